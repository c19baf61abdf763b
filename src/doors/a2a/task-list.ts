/**
 * The tasks of a caller: what it asked for, what it requested, and what waits for it. One of them, one as it changes, or
 * all in pages, the newest status first.
 * Rules: docs/protocol/doors.md, section 16.
 */
import type { JsonObject } from "../../base/json.ts";
import { makeProblem } from "../../base/problem.ts";
import { err, ok } from "../../base/result.ts";
import { chainLevelOf } from "../../messages/authority/chain-of-command.ts";
import type { Team } from "../../perform/team.ts";
import type { AskView } from "../../tasks/operations/asks.ts";
import { askPosition } from "../../tasks/view/ask-list.ts";
import { a2aError, errorOf, unknownTask } from "./errors.ts";
import {
  type Caller,
  type FoundTask,
  isOfAsk,
  taskOfApproval,
  taskOfAsk,
  tasksOfEscalation,
  withHistory,
} from "./tasks.ts";
import { type A2aTask, type Read, readList } from "./wire.ts";

/** What the methods use of a team. */
export type A2aTeam = Pick<
  Team,
  | "name"
  | "actor"
  | "ask"
  | "asks"
  | "discuss"
  | "endTask"
  | "answer"
  | "approvals"
  | "escalations"
  | "resolve"
  | "agents"
  | "send"
  | "forms"
  | "follow"
  | "logPage"
>;

interface Asked {
  readonly team: A2aTeam;
}

/** Most messages of a task that are shown. */
export const historyMax = 200;

/** Approvals and escalations that the caller has part in. */
async function ownRequests(team: A2aTeam): Promise<Read<readonly FoundTask[]>> {
  const approvals = await team.approvals({ all: true });
  if (!approvals.ok) return err(errorOf([approvals.error]));
  const { agent } = team.actor;
  const asked = approvals.value.flatMap((each) => taskOfApproval(each, agent) ?? []);
  const escalations = await team.escalations({ all: true });
  if (!escalations.ok) return err(errorOf([escalations.error]));
  if (escalations.value.length === 0) return ok(asked);
  const caller = await callerOf(team);
  if (!caller.ok) return caller;
  return ok([...asked, ...escalations.value.flatMap((each) => tasksOfEscalation(each, caller.value))]);
}

/** The caller with its place in the chain of command. */
async function callerOf(team: A2aTeam): Promise<Read<Caller>> {
  const all = await team.agents();
  if (!all.ok) return err(errorOf([all.error]));
  const { agent } = team.actor;
  const member = all.value.find((each) => each.agent === agent && each.status === "active");
  return ok({ agent, level: member === undefined ? null : chainLevelOf(member.role), department: member?.department });
}

/** A task of the caller, with its history. Refuses every other in the same words. */
export async function findTask({ team }: Asked, id: string): Promise<Read<A2aTask>> {
  if (!isOfAsk(id)) {
    const requests = await ownRequests(team);
    if (!requests.ok) return requests;
    const found = requests.value.find(({ task }) => task.id === id);
    return found === undefined ? err(unknownTask) : ok(found.task);
  }
  const asks = await team.asks({ task: id, asker: team.actor.agent, history: historyMax });
  if (!asks.ok) return err(errorOf([asks.error]));
  const found = asks.value.find(({ task }) => task.task === id);
  return found === undefined ? err(unknownTask) : ok(taskOfAsk(found).task);
}

/**
 * The task as it is, and again after each entry that changed it, until `signal` aborts. The head is read before the task,
 * so that no change falls between them.
 */
export async function* taskStates(call: Asked, id: string, signal: AbortSignal): AsyncGenerator<Read<A2aTask>, void> {
  const head = await call.team.logPage({ newestFirst: true, limit: 1 });
  if (!head.ok) {
    yield err(errorOf([head.error]));
    return;
  }
  let shown = await findTask(call, id);
  yield shown;
  for await (const _ of call.team.follow({ after: head.value.entries[0]?.seq ?? 0, signal })) {
    const now = await findTask(call, id);
    if (JSON.stringify(now) === JSON.stringify(shown)) continue;
    shown = now;
    yield now;
    if (!now.ok) return;
  }
}

/** Everything that the caller asked for or is asked, the newest status first. */
async function ownTasks({ team }: Asked, history: number): Promise<Read<readonly FoundTask[]>> {
  const caller = team.actor.agent;
  const found: FoundTask[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await team.asks({
      asker: caller,
      limit: asksPage,
      history,
      ...(after === undefined ? {} : { after }),
    });
    if (!page.ok) return err(errorOf([page.error]));
    found.push(...page.value.map((each: AskView) => taskOfAsk(each)));
    const last = page.value.at(-1);
    if (last === undefined || page.value.length < asksPage) break;
    after = askPosition(last);
  }
  const requests = await ownRequests(team);
  if (!requests.ok) return requests;
  found.push(...requests.value);
  return ok(found.toSorted((one, other) => (one.key < other.key ? 1 : one.key > other.key ? -1 : 0)));
}

const asksPage = 100;

export async function listTasks(call: Asked, params: JsonObject): Promise<Read<object>> {
  const read = readList(params);
  if (!read.ok) return read;
  const { contextId, status, pageSize, pageToken, historyLength, since, includeArtifacts } = read.value;
  const from = pageToken === null ? null : keyOf(pageToken);
  if (pageToken !== null && from === null) {
    const wrong = makeProblem("wrong-value", "pageToken", "There is no such page.", {
      received: pageToken.slice(0, 100),
    });
    return err(a2aError("INVALID_PARAMS", wrong.message, [wrong]));
  }
  const own = await ownTasks(call, Math.min(historyLength ?? 0, historyMax));
  if (!own.ok) return own;
  const wanted = own.value.filter(
    ({ task }) =>
      (contextId === null || task.contextId === contextId) &&
      (status === null || task.status.state === status) &&
      (since === null || Date.parse(task.status.timestamp) >= Date.parse(since)),
  );
  const rest = from === null ? wanted : wanted.filter(({ key }) => key < from);
  const page = rest.slice(0, pageSize);
  const last = page.at(-1);
  const nextPageToken =
    last === undefined || rest.length <= pageSize ? "" : Buffer.from(last.key).toString("base64url");
  const tasks = page.map(({ task }) => {
    const { artifacts, ...bare } = withHistory(task, historyLength ?? 0);
    return includeArtifacts && artifacts !== undefined ? { ...bare, artifacts } : bare;
  });
  return ok({ tasks, nextPageToken, pageSize, totalSize: wanted.length });
}

/** The place that a page token stands for: a time and a task. Null: it is none. */
function keyOf(token: string): string | null {
  const text = Buffer.from(token, "base64url").toString();
  const isKey = /^\d{4}-\d\d-\d\dT[\d:.]{8,12}Z~(?:ask|approval|escalation)-[0-9a-f]{20}$/.test(text);
  return isKey && Buffer.from(text).toString("base64url") === token ? text : null;
}
