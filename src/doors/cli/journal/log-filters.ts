/** What `log` and `watch` may be asked to show: one list of options, and the same answer to which entries pass. */
import type { Problem } from "../../../base/problem.ts";
import type { Result } from "../../../base/result.ts";
import { type Outcome, outcomes } from "../../../coordination/line-outcome.ts";
import { meansTask } from "../../../coordination/tasks/task-ids.ts";
import { type EntryKind, entryKinds } from "../../../journal/entry.ts";
import type { LogLine } from "../../../operations/entries.ts";
import { isInView, type LogOptions, logViews } from "../../../runtime/record/log-line.ts";
import type { Team } from "../../../runtime/team/team.ts";
import type { OptionFacts } from "../kernel/arguments.ts";
import type { Call } from "../kernel/command.ts";
import { chosen } from "../kernel/time-argument.ts";

/** The filters; a command adds where it begins and how much it shows. */
export const filterOptions: readonly OptionFacts[] = [
  {
    name: "view",
    kind: "text",
    value: "VIEW",
    choices: logViews,
    summary: "messages: what was said or turned down, no bookkeeping; refusals: what agents were refused",
  },
  { name: "from", argument: "sender", kind: "text", value: "AGENT", summary: "only entries of this sender" },
  { name: "to", kind: "text", value: "AGENT", summary: "only entries addressed to this agent" },
  { name: "agent", kind: "text", value: "AGENT", summary: "only entries that this agent sent or was sent" },
  { name: "type", kind: "text", value: "TYPE", summary: "only messages of this type" },
  { name: "task", kind: "text", value: "TASK", summary: "only messages and operations that are about this task" },
  {
    name: "grep",
    argument: "text",
    kind: "text",
    value: "TEXT",
    summary: "only entries that contain this text, in any case",
  },
  {
    name: "kind",
    kind: "text",
    value: "KIND",
    repeatable: true,
    choices: entryKinds,
    summary: "only entries of this kind",
  },
  {
    name: "outcome",
    kind: "text",
    value: "OUTCOME",
    repeatable: true,
    choices: outcomes,
    summary: "only entries that have become this, such as open or disputed",
  },
];

/** What is shown: what the log filters, and the receiver, which it knows only as one who is concerned. */
export interface Wanted {
  readonly filters: LogOptions;
  readonly receiver: string | null;
}

/** What the call's filters want, of what was recorded `since` and before `until`; undefined: whenever. */
export function wantedBy(call: Call, since: string | undefined, until?: string): Wanted {
  const { given } = call;
  const view = given.text("view");
  const type = given.text("type");
  const sender = given.text("from");
  const receiver = given.text("to");
  const agent = given.text("agent") ?? receiver;
  const task = given.text("task");
  const text = given.text("grep");
  const became: readonly Outcome[] = given.texts("outcome").map((outcome) => chosen(outcome, outcomes));
  const kinds: readonly EntryKind[] = given.texts("kind").map((kind) => chosen(kind, entryKinds));
  return {
    filters: {
      ...(type === undefined ? {} : { type }),
      ...(sender === undefined ? {} : { sender }),
      ...(agent === undefined ? {} : { agent }),
      ...(task === undefined ? {} : { task }),
      ...(text === undefined ? {} : { text }),
      ...(kinds.length === 0 ? {} : { kinds }),
      ...(since === undefined ? {} : { since }),
      ...(until === undefined ? {} : { until }),
      ...(became.length === 0 ? {} : { outcomes: became }),
      ...(view === undefined ? {} : { view: chosen(view, logViews) }),
    },
    receiver: receiver ?? null,
  };
}

/** The recorded entries that are wanted, in the range and the order of `range`; an error ends them. */
export async function* recordedLines(
  team: Team,
  { filters, receiver }: Wanted,
  { limit, ...range }: Pick<LogOptions, "after" | "before" | "limit" | "newestFirst" | "signal" | "looked">,
): AsyncIterable<Result<LogLine, Problem>> {
  // The receiver is judged here, so the log cannot count for us.
  const counted = receiver === null && limit !== undefined ? { limit } : {};
  let left = limit ?? Number.POSITIVE_INFINITY;
  for await (const line of team.log({ ...filters, ...range, ...counted })) {
    if (line.ok && receiver !== null && !line.value.receivers.includes(receiver)) continue;
    yield line;
    left--;
    if (left <= 0) return;
  }
}

/** Whether an entry that came while following is wanted. */
export async function isWanted(team: Team, line: LogLine, { filters, receiver }: Wanted): Promise<boolean> {
  const { type, sender, agent, task, kinds, text, view, until, outcomes: became } = filters;
  if (view !== undefined && !isInView(line, view)) return false;
  if (until !== undefined && Date.parse(line.recordedAt) >= Date.parse(until)) return false;
  if (became !== undefined && (line.outcome === null || !became.includes(line.outcome))) return false;
  if (type !== undefined && line.type !== type) return false;
  if (sender !== undefined && line.sender !== sender) return false;
  if (agent !== undefined && line.sender !== agent && !line.receivers.includes(agent)) return false;
  if (receiver !== null && !line.receivers.includes(receiver)) return false;
  if (task !== undefined && (line.task === null || !meansTask(task, line.task))) return false;
  if (kinds !== undefined && !kinds.includes(line.kind)) return false;
  if (text === undefined) return true;
  // A line says only the gist; the log searches the whole text.
  for await (const found of team.log({ text, after: line.seq - 1, before: line.seq + 1, limit: 1 })) {
    return found.ok && found.value.seq === line.seq;
  }
  return false;
}
