/**
 * Tells the person away from the page what needs them, by the ways that they have switched on: one message a need, one more
 * at half of its time, and at most one a minute: what comes meanwhile is said together. What was said is noted in the
 * journal once it was delivered, so a hub that was killed says what it had not, and a message that it may have said before
 * has the same id.
 * Rules: docs/protocol/asking.md, section 20.
 */
import { createHmac } from "node:crypto";
import { sha256 } from "../base/canonical.ts";
import { systemClock, timestampOf } from "../base/clock.ts";
import type { TeamName } from "../base/ids.ts";
import { isJsonObject, parseBounded } from "../base/json.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import { shorten, visible } from "../base/text.ts";
import { readOutsideUrl, requestOutside } from "../doors/a2a/guarded-request.ts";
import type { HubLog } from "../doors/http/index.ts";
import { addressOf } from "../doors/page/shown/places.ts";
import { ownerName } from "../messages/principal.ts";
import { type Need, titleOf, untoldName } from "../needs/view/need-ranking.ts";
import type { Hub } from "../perform/hub.ts";
import { showNotification } from "./commands/start-outside.ts";
import { type NotifySettings, readNotify, type Webhook } from "./notify-settings.ts";

/** How often the record's head is compared, and the needs looked at although nothing was recorded, in milliseconds. */
const lookMs = 500;
const restMs = 2_000;
/** At most one message in so long. */
const apartMs = 60_000;
/** How long a way that fails is left alone, the longer the more often it has failed. */
const pauseMsMin = 1_000;
const pauseMsMax = 60_000;
/** After so many the person is told on the page. */
const triesMax = 3;

const ways = ["desktop", "webhook"] as const;
type Way = (typeof ways)[number];

interface Notifying {
  readonly hub: Hub;
  readonly team: TeamName;
  /** How the person's browser reaches the hub. */
  readonly page: string;
  /** Of this machine's notifications. */
  readonly environment: Readonly<Record<string, string>>;
  readonly log: HubLog;
}

/** Tells until `signal` aborts. */
export async function notifyOfNeeds(notifying: Notifying, signal: AbortSignal): Promise<void> {
  await Promise.all(ways.map((way) => tellBy(way, notifying, signal)));
}

async function tellBy(way: Way, { hub, team, log, ...shown }: Notifying, signal: AbortSignal): Promise<void> {
  const noteName = `owner/notified-${way}`;
  let head = -1;
  let notBefore = 0;
  let failures = 0;
  let refused: string | null = null;
  let known: string | null = null;
  /** Keeps where the person looks why nothing reaches their webhook; empty: it does, or there is none. */
  const untold = async (why: string) => {
    if (way !== "webhook" || why === known) return;
    known = why;
    await hub.journal.note(team, untoldName, () => why);
  };
  for (; !signal.aborted; await systemClock.wait(lookMs, signal)) {
    const settings = readNotify(hub.stateFolder);
    if (!settings.ok && refused !== settings.error.message)
      log.warn({ code: settings.error.code, why: settings.error.message }, "nobody is notified");
    refused = settings.ok ? null : settings.error.message;
    const isOn = settings.ok && (way === "desktop" ? settings.value.isDesktop : settings.value.webhook !== null);
    if (hub.journal.condition().condition !== "ready") continue;
    if (!isOn) {
      failures = 0;
      await untold("");
      continue;
    }
    const folded = await hub.journal.state(team);
    const [seq, now] = [folded.ok ? folded.value.head.seq : head, systemClock.monotonic()];
    if (now < notBefore && (failures > 0 || seq === head)) continue;
    const owner = await hub.localTeam(team, { agent: ownerName, via: "launcher" });
    const [needs, notes] = owner.ok ? [await owner.value.needs(), await hub.journal.notes(team)] : [null, null];
    if (needs?.ok !== true || notes?.ok !== true) continue;
    [head, notBefore] = [seq, now + restMs];
    const others = needs.value.needs.filter(({ id }) => way !== "webhook" || id !== untoldName);
    const due = dueIn(others, readTold(notes.value.get(noteName)), hub.journal.clock.now());
    const said = { team, state: hub.stateFolder, needs: due.say, told: due.told, ...shown };
    const problem = due.say.length === 0 ? null : await send(way, settings.value, said, signal);
    // Also where the hub ends meanwhile: what was delivered is noted.
    if (problem === null) {
      failures = 0;
      await untold("");
      if (due.told !== null) await hub.journal.note(team, noteName, () => JSON.stringify(due.told));
      continue;
    }
    if (signal.aborted) return;
    if (failures === 0)
      log.warn({ way, code: problem.code, why: problem.message }, "a notification waits; it is tried again");
    failures += 1;
    if (failures === triesMax) await untold(problem.message);
    notBefore = now + Math.min(pauseMsMax, pauseMsMin * 2 ** Math.min(10, failures - 1));
  }
}

/** What was said by one way. */
export interface Told {
  /** When it was last; 0: never. */
  readonly atMs: number;
  /** Of each need that waits: when it was said first, and whether it was said again. */
  readonly needs: { readonly [id: string]: readonly [firstMs: number, isTwice: boolean] };
}

/**
 * Which needs are said now, together; `told`: what is noted once that is done, null where nothing changes.
 *
 * @example dueIn(needs, told, nowMs).say // [] within a minute of the last message
 */
export function dueIn(
  needs: readonly Need[],
  told: Told,
  nowMs: number,
): { readonly say: readonly Need[]; readonly told: Told | null } {
  const known = needs.flatMap(({ id }) => {
    const before = told.needs[id];
    return before === undefined ? [] : [[id, before] as const];
  });
  const isHalfOver = ({ dueAt, since }: Need, firstMs: number) => {
    const [from, until] = [since === null ? firstMs : Date.parse(since), Date.parse(dueAt ?? "")];
    return nowMs >= Math.max(from + (until - from) / 2, firstMs + apartMs) && nowMs < until;
  };
  const due = needs.filter((need) => {
    const before = told.needs[need.id];
    return before === undefined || (!before[1] && isHalfOver(need, before[0]));
  });
  const passed = nowMs - told.atMs;
  const say = passed >= 0 && passed < apartMs ? [] : due;
  if (say.length === 0 && known.length === Object.keys(told.needs).length) return { say, told: null };
  const said = say.map(({ id }) => [id, [told.needs[id]?.[0] ?? nowMs, told.needs[id] !== undefined]] as const);
  const atMs = say.length === 0 ? told.atMs : nowMs;
  return { say, told: { atMs, needs: Object.fromEntries([...known, ...said]) } };
}

/** What the note says; nothing, where this file did not write it. */
function readTold(note: string | undefined): Told {
  const read = note === undefined ? null : parseBounded(note);
  const value = read?.ok === true && isJsonObject(read.value) ? read.value : {};
  const isTold = typeof value.atMs === "number" && isJsonObject(value.needs ?? null);
  // As it was written above; no other file writes this note.
  return isTold ? (value as unknown as Told) : { atMs: 0, needs: {} };
}

/** What is said at once. */
interface Said extends Pick<Notifying, "team" | "page" | "environment"> {
  readonly state: string;
  readonly needs: readonly Need[];
  readonly told: Told | null;
}

/** Says it; answers why it was not said. */
async function send(way: Way, { webhook }: NotifySettings, said: Said, signal: AbortSignal): Promise<Problem | null> {
  if (way === "desktop") {
    const [only, ...others] = said.needs;
    // Only Baton's own words: a program that shows agents' might act on them.
    const text = others.length === 0 ? visible(only?.subject ?? "") : several(said);
    return await showNotification({ ...said, title: `Baton · ${said.team}`, text, inTmux: several(said) }, signal);
  }
  return webhook === null ? null : await post(webhook, said, signal);
}

/** Several are said by their number. */
function several({ needs }: Pick<Said, "needs">): string {
  return `${needs.length} ${needs.length === 1 ? "waits" : "wait"} for you.`;
}

/** In the form of Standard Webhooks: id, time and an HMAC of both with the body in the head. */
async function post(webhook: Webhook, said: Said, signal: AbortSignal): Promise<Problem | null> {
  const rules = { isPrivateAllowed: webhook.isPrivateAllowed };
  const url = readOutsideUrl(webhook.url, rules);
  if (!url.ok) return url.error;
  const { team, needs, page } = said;
  const [only, ...others] = needs;
  if (only === undefined) return null;
  const isAlone = others.length === 0;
  const place = addressOf({ team, view: "inbox", item: isAlone ? only.id : null, query: {} });
  const body = JSON.stringify({
    type: "decision.waiting",
    timestamp: only.since ?? timestampOf(systemClock.now()),
    data: {
      team,
      id: isAlone ? only.id : null,
      kind: isAlone ? only.kind : null,
      from: isAlone ? only.agent : null,
      text: isAlone ? shorten(visible(titleOf(only)), 500) : several(said),
      answer: `${page}${place}`,
    },
  });
  // The same in every try, whichever hub makes it.
  const what = needs.map((need) => [need.id, need.since, said.told?.needs[need.id]?.[1] ?? false]);
  const id = `msg_${sha256(JSON.stringify([team, what])).slice(0, 32)}`;
  const timestamp = String(Math.floor(systemClock.now() / 1000));
  const key = Buffer.from(webhook.secret.replace(/^whsec_/, ""), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  const answer = await requestOutside({
    url: url.value,
    method: "POST",
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${signature}`,
    },
    body,
    rules,
    signal,
  });
  if (!answer.ok) return answer.error;
  const { status } = answer.value;
  return status >= 200 && status < 300
    ? null
    : makeProblem("hub-unreachable", url.value.host, `It answered with status ${status}.`);
}
