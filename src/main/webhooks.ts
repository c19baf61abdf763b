/**
 * Webhooks of A2A at a hub: kept in a file of the state folder, and called by one hub of that folder when a task of their
 * caller changes. Off unless the owner names the origins that may be called.
 * Rules: docs/protocol/doors.md, section 15.
 */
import { type Clock, systemClock } from "../base/clock.ts";
import { type Problem, problem } from "../base/problem.ts";
import { err } from "../base/result.ts";
import { type AddressRules, readOutsideUrl, requestOutside } from "../doors/a2a/guarded-request.ts";
import { changesBetween, type Webhook, type Webhooks, webhooksMax } from "../doors/a2a/push.ts";
import type { a2aDoor } from "../doors/a2a/server.ts";
import { taskStates } from "../doors/a2a/task-list.ts";
import { isOver } from "../doors/a2a/tasks.ts";
import type { A2aTask, StreamResponse } from "../doors/a2a/wire.ts";
import type { HubLog, Mounts } from "../doors/http/index.ts";
import type { Hub } from "../runtime/hub.ts";
import { keptMax, type WebhookFile, webhookFile } from "./webhook-file.ts";

type A2aMount = Awaited<ReturnType<NonNullable<Mounts["a2a"]>>>;

/** A notification is tried so often, after pauses that double from the first, in milliseconds. */
const triesMax = 4;
const pauseMs = 1_000;
/** How often new webhooks are looked for, in milliseconds. */
const lookMs = 250;

/** The word by which every public https address may be called. */
export const anyPublic = "public";

/** Webhooks in a file, with the rules for their addresses. */
export interface KeptWebhooks extends Webhooks, Pick<WebhookFile, "all" | "takeCalling"> {
  rulesFor(url: URL): AddressRules | null;
}

/** The webhooks of a hub. `allowed`: origins, which may be private, and `public` for every public https address. */
export function webhooksIn(state: string, allowed: readonly string[]): KeptWebhooks {
  const { all, change, takeCalling } = webhookFile(state);
  const rulesFor = (url: URL): AddressRules | null => {
    if (allowed.includes(url.origin)) return { isPrivateAllowed: true };
    return allowed.includes(anyPublic) ? { isPrivateAllowed: false } : null;
  };
  return {
    rulesFor,
    judge(text) {
      const rules = URL.canParse(text) ? rulesFor(new URL(text)) : null;
      if (rules !== null) return readOutsideUrl(text, rules);
      const hint = "The owner of the hub allows origins for webhooks.";
      return err(problem("wrong-value", "url", "This address is not called: its origin is not allowed.", { hint }));
    },
    async set(webhook) {
      let isFull = false;
      await change((now) => {
        const others = now.filter((each) => keyOf(each) !== keyOf(webhook));
        const sameTask = others.filter((each) => each.team === webhook.team && each.taskId === webhook.taskId);
        isFull = sameTask.length >= webhooksMax || others.length >= keptMax;
        return isFull ? null : [...others, webhook];
      });
      const expected = `at most ${webhooksMax} a task`;
      return isFull ? problem("too-many-requests", "taskId", "There are too many webhooks.", { expected }) : null;
    },
    of: (team, caller, taskId) =>
      all().filter((each) => each.team === team && each.caller === caller && each.taskId === taskId),
    async remove(webhook) {
      await change((now) => {
        const others = now.filter((each) => keyOf(each) !== keyOf(webhook));
        return others.length === now.length ? null : others;
      });
    },
    all,
    takeCalling,
  };
}

function keyOf({ team, caller, taskId, id }: Pick<Webhook, "team" | "caller" | "taskId" | "id">): string {
  return JSON.stringify([team, caller, taskId, id]);
}

/** The door with webhooks. */
export function withWebhooks(door: typeof a2aDoor, webhooks: Webhooks): A2aMount {
  return {
    ...door,
    card: (place, request) => door.card({ ...place, hasPush: true }, request),
    call: (call) => door.call({ ...call, webhooks }),
  };
}

/**
 * Calls webhooks until `signal` aborts, each in the order of its task's changes; one that is slow holds up no other. While
 * another hub of the state folder calls them, this one only looks whether it still does.
 */
export async function callWebhooks(hub: Hub, kept: KeptWebhooks, log: HubLog, signal: AbortSignal): Promise<void> {
  const running = new Map<string, { readonly webhook: Webhook; stop(): void; readonly done: Promise<void> }>();
  let calling: Disposable | null = null;
  while (!signal.aborted) {
    const all = kept.all();
    if (all.length > 0) calling ??= await kept.takeCalling();
    const wanted = new Set(all);
    for (const { webhook, stop } of running.values()) if (!wanted.has(webhook)) stop();
    for (const webhook of calling === null ? [] : all) {
      const key = keyOf(webhook);
      if (running.has(key)) continue;
      const over = new AbortController();
      const ending = AbortSignal.any([over.signal, signal]);
      const done = follow({ hub, kept, log, clock: systemClock }, webhook, ending).finally(() => running.delete(key));
      running.set(key, { webhook, stop: () => over.abort(), done });
    }
    await systemClock.wait(lookMs, signal);
  }
  await Promise.all([...running.values()].map(({ done }) => done));
  calling?.[Symbol.dispose]();
}

interface Calling {
  readonly hub: Hub;
  readonly kept: KeptWebhooks;
  readonly log: HubLog;
  readonly clock: Clock;
}

/** Follows the task of one webhook to its end. What cannot be delivered ends the webhook, and is noted. */
async function follow(calling: Calling, webhook: Webhook, signal: AbortSignal): Promise<void> {
  const { hub, kept, log } = calling;
  const team = await hub.team(webhook.team, { agent: webhook.caller, via: "token" });
  if (!team.ok) return;
  let before: A2aTask | null = null;
  for await (const read of taskStates({ team: team.value }, webhook.taskId, signal)) {
    if (!read.ok) break;
    const task: A2aTask = read.value;
    // The task as it is comes first: it may have changed since the webhook was set, or while no hub ran.
    const events = before === null ? [{ task }] : changesBetween(before, task);
    before = task;
    for (const event of events) {
      if (!(await isStillValid(hub, webhook))) return kept.remove(webhook);
      const fault = await notify(calling, webhook, event, signal);
      if (signal.aborted) return;
      if (fault === null) continue;
      log.warn(
        { task: webhook.taskId, webhook: webhook.id, code: fault.code, why: fault.message },
        "a webhook is given up",
      );
      return kept.remove(webhook);
    }
    if (isOver(task.status.state)) break;
  }
  // A webhook ends with its task.
  if (!signal.aborted) await kept.remove(webhook);
}

/** Whether the token that set the webhook is still valid. */
async function isStillValid(hub: Hub, { team, setBy }: Webhook): Promise<boolean> {
  const folded = await hub.journal.state(team as Parameters<typeof hub.journal.state>[0]); // a handle on it was just given
  if (!folded.ok) return true;
  const { byHash, tokens } = folded.value.state.credentials;
  return tokens.get(byHash.get(setBy) ?? "")?.status === "valid";
}

/** Calls a webhook with one event. Null: it took it. */
async function notify(
  calling: Calling,
  webhook: Webhook,
  event: StreamResponse,
  signal: AbortSignal,
): Promise<Problem | null> {
  const url = new URL(webhook.url);
  const { clock, kept } = calling;
  let last: Problem = problem("wrong-value", url.origin, "Its origin is not allowed any more.");
  for (let tried = 0; tried < triesMax && !signal.aborted; tried += 1) {
    if (tried > 0) await clock.wait(pauseMs * 2 ** (tried - 1), signal);
    const rules = kept.rulesFor(url);
    if (rules === null) return last;
    const { token, scheme, credentials } = webhook;
    const answer = await requestOutside({
      url,
      method: "POST",
      headers: {
        "content-type": "application/a2a+json",
        "a2a-version": "1.0",
        ...(token === null ? {} : { "x-a2a-notification-token": token, "a2a-notification-token": token }),
        ...(scheme === null || credentials === null ? {} : { authorization: `${scheme} ${credentials}` }),
      },
      body: JSON.stringify(event),
      rules,
      signal,
      isBodyIgnored: true,
    });
    if (answer.ok && answer.value.status < 300) return null;
    last = answer.ok ? problem("hub-unreachable", url.origin, `It answers ${answer.value.status}.`) : answer.error;
    const mayRetry = answer.ok
      ? answer.value.status >= 500 || answer.value.status === 429
      : ["hub-unreachable", "timed-out"].includes(answer.error.code);
    if (!mayRetry) return last;
  }
  return last;
}
