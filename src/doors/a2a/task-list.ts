/**
 * The tasks of a caller as a list in pages: everything that it asked for or is asked, the newest status first.
 * Rules: docs/protocol/a2a.md, section 3.
 */
import type { JsonObject } from "../../base/json.ts";
import { problem } from "../../base/problem.ts";
import { err, ok } from "../../base/result.ts";
import type { AskView } from "../../operations/asks.ts";
import { askPosition } from "../../runtime/tasks/ask-list.ts";
import type { Team } from "../../runtime/team/team.ts";
import { a2aError, errorOf } from "./errors.ts";
import { type FoundTask, taskOfApproval, taskOfAsk, withHistory } from "./tasks.ts";
import { type Read, readList } from "./wire.ts";

/** What the list uses of a call. */
interface Listing {
  readonly team: Pick<Team, "actor" | "asks" | "approvals">;
}

/** Most messages of a task that are shown. */
export const historyMax = 200;

/** Everything that the caller asked for or is asked, the newest status first. */
async function ownTasks({ team }: Listing, history: number): Promise<Read<readonly FoundTask[]>> {
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
  const approvals = await team.approvals({ all: true });
  if (!approvals.ok) return err(errorOf([approvals.error]));
  found.push(...approvals.value.flatMap((each) => taskOfApproval(each, caller) ?? []));
  return ok(found.toSorted((one, other) => (one.key < other.key ? 1 : one.key > other.key ? -1 : 0)));
}

const asksPage = 100;

export async function listTasks(call: Listing, params: JsonObject): Promise<Read<object>> {
  const read = readList(params);
  if (!read.ok) return read;
  const { contextId, status, pageSize, pageToken, historyLength, since, includeArtifacts } = read.value;
  const from = pageToken === null ? null : keyOf(pageToken);
  if (pageToken !== null && from === null) {
    const wrong = problem("wrong-value", "pageToken", "There is no such page.", { received: pageToken.slice(0, 100) });
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
  const isKey = /^\d{4}-\d\d-\d\dT[\d:.]{8,12}Z~(?:ask|approval)-[0-9a-f]{20}$/.test(text);
  return isKey && Buffer.from(text).toString("base64url") === token ? text : null;
}
