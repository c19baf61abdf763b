/** `baton log`: every entry of the team, filtered, and followed as entries come. */
import type { Problem } from "../../base/problem.ts";
import type { Result } from "../../base/result.ts";
import { type OptionFacts, usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { chosen, readMoment } from "../../doors/cli/kernel/time-argument.ts";
import { withTeam } from "../../doors/cli/place/session.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { type EntryKind, entryKinds } from "../../journal/entry.ts";
import { logLineText } from "../../mail/text/show.ts";
import { meansTask } from "../../messages/task-ids.ts";
import { type Outcome, outcomes } from "../../perform/line-outcome.ts";
import type { Team } from "../../perform/team.ts";
import { sayUnknown } from "../../team/text/agents-text.ts";
import type { LogLine } from "../operations/entries.ts";
import { isInView, isParty, type LogOptions, logViews, partiesOf } from "../view/log-line.ts";

/** The filters; a command adds where it begins and how much it shows. */
const filterOptions: readonly OptionFacts[] = [
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
interface Wanted {
  readonly filters: LogOptions;
  readonly receiver: string | null;
}

/** What the call's filters want, of what was recorded `since` and before `until`; undefined: whenever. */
function wantedBy(call: Call, since?: string, until?: string): Wanted {
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
async function* recordedLines(
  team: Team,
  { filters, receiver }: Wanted,
  { limit, ...range }: Pick<LogOptions, "after" | "before" | "limit" | "newestFirst" | "signal" | "looked">,
): AsyncIterable<Result<LogLine, Problem>> {
  // The receiver is judged here, so the log cannot count for us.
  const counted = receiver === null && limit !== undefined ? { limit } : {};
  let left = limit ?? Number.POSITIVE_INFINITY;
  for await (const line of team.log({ ...filters, ...range, ...counted })) {
    if (line.ok && receiver !== null && !partiesOf(line.value).to.includes(receiver)) continue;
    yield line;
    left--;
    if (left <= 0) return;
  }
}

/** Whether an entry that came while following is wanted. */
async function isWanted(team: Team, line: LogLine, { filters, receiver }: Wanted): Promise<boolean> {
  const { type, sender, agent, task, kinds, text, view, until, outcomes: became } = filters;
  if (view !== undefined && !isInView(line, view)) return false;
  if (until !== undefined && Date.parse(line.recordedAt) >= Date.parse(until)) return false;
  if (became !== undefined && (line.outcome === null || !became.includes(line.outcome))) return false;
  if (type !== undefined && line.type !== type) return false;
  if (sender !== undefined && line.sender !== sender) return false;
  if (agent !== undefined && !isParty(line, agent)) return false;
  if (receiver !== null && !partiesOf(line).to.includes(receiver)) return false;
  const isNumbered = task !== undefined && /^\d+$/.test(task);
  if (task !== undefined && !isNumbered && (line.task === null || !meansTask(task, line.task))) return false;
  if (kinds !== undefined && !kinds.includes(line.kind)) return false;
  if (text === undefined && !isNumbered) return true;
  const asked = { ...(text === undefined ? {} : { text }), ...(isNumbered ? { task } : {}) };
  // A line says only the gist; the log searches the whole text, and knows the tasks' numbers.
  for await (const found of team.log({ ...asked, after: line.seq - 1, before: line.seq + 1, limit: 1 })) {
    return found.ok && found.value.seq === line.seq;
  }
  return false;
}

export const command: Command = {
  description:
    "Prints what was recorded, oldest first: messages, commands, refusals, acknowledgements, team revisions. Filters\n" +
    "combine. With --follow it goes on until Ctrl-C, also for entries of other processes.",
  options: [
    ...filterOptions,
    {
      name: "since",
      kind: "text",
      value: "TIME",
      summary: "only entries recorded since (2026-02-12T10:00:00Z, or 10m, 2h, 3d ago)",
    },
    {
      name: "until",
      kind: "text",
      value: "TIME",
      summary: "only entries recorded before this time, written the same way",
    },
    { name: "after", kind: "position", value: "SEQ", summary: "only entries after this number" },
    { name: "limit", kind: "count", value: "N", summary: "at most so many, from the oldest" },
    { name: "last", kind: "count", short: "n", value: "N", summary: "only the newest so many of them" },
    { name: "tail", kind: "count", value: "N", summary: "the same as --last" },
    { name: "follow", kind: "flag", short: "f", summary: "go on with entries as they come" },
  ],
  examples: [
    { line: "baton log", meaning: "everything" },
    { line: "baton log --type qa_verdict --since 2h", meaning: "the verdicts of the last two hours" },
    { line: "baton log -n 20", meaning: "the newest twenty entries" },
    { line: "baton log --agent dev-1 --since 1h", meaning: "what dev-1 sent and was sent in the last hour" },
    { line: "baton log --view refusals", meaning: "what agents were refused" },
    { line: "baton log --follow --json", meaning: "a line of JSON an entry, as they come" },
  ],
  next: "baton show SEQ tells all about one entry.",
  run: async (call) => {
    const since = call.given.text("since");
    if (newestOf(call) !== undefined && call.given.number("limit") !== undefined)
      return call.output.fail(usageProblem("--last", "--last and --limit count from two ends.", "give one of them"));
    const moment = since === undefined ? null : readMoment("--since", since);
    if (moment !== null && !moment.ok) return call.output.fail(moment.error);
    const until = call.given.text("until");
    const end = until === undefined ? null : readMoment("--until", until);
    if (end !== null && !end.ok) return call.output.fail(end.error);
    const { given } = call;
    const wanted = wantedBy(call, moment?.value, end?.value);
    const [after, limit] = [given.number("after"), given.number("limit")];
    const asked = { wanted, after, limit, newest: newestOf(call), follows: given.flag("follow") };
    return await withTeam(call, (team) => showLog(call, team, asked));
  },
};

function newestOf({ given }: Call): number | undefined {
  return given.number("last") ?? given.number("tail");
}

/** What is printed: where it begins, how much of it, and whether it goes on with what comes. */
interface Asked {
  readonly wanted: Wanted;
  readonly after?: number | undefined;
  readonly limit?: number | undefined;
  readonly newest?: number | undefined;
  readonly follows: boolean;
}

export const everything: Wanted = { filters: {}, receiver: null };

/** Prints the entries that are asked for. */
export async function showLog(
  call: Call,
  team: Team,
  { wanted, after, limit, newest, follows }: Asked,
): Promise<ExitCode> {
  const range = {
    ...(after === undefined ? {} : { after }),
    ...(limit === undefined ? {} : { limit }),
    signal: call.signal,
    looked: (seq: number, head: number) => call.output.progress(`looked at entry ${seq} of ${head}`),
  };
  let last = after ?? 0;
  let isEmpty = true;
  let left = limit ?? Number.POSITIVE_INFINITY;
  // One page over the filter's last match would be missed by following from it; so follow from the head as it was.
  const status = follows ? await team.status() : null;
  if (status !== null && !status.ok) return call.output.fail(status.error);
  const lines =
    newest === undefined ? recordedLines(team, wanted, range) : lastOf(team, wanted, { ...range, limit: newest });
  for await (const line of lines) {
    // Who stops the reading has what it wanted, or has gone.
    if (!line.ok) return call.signal.aborted ? exitCodes.done : call.output.fail(line.error);
    print(call, line.value);
    last = line.value.seq;
    isEmpty = false;
    left--;
    if (call.signal.aborted) return exitCodes.done;
  }
  call.output.progress(null);
  if (status === null) {
    if (!isEmpty) return exitCodes.done;
    call.output.say("No entry matches.");
    return await sayUnknown(call, team, ["from", "to", "agent"]);
  }
  last = Math.max(last, status.value.head.seq);
  if (left <= 0) return exitCodes.done;
  for await (const line of team.follow({ after: last, signal: call.signal })) {
    if (!(await isWanted(team, line, wanted))) continue;
    print(call, line);
    left--;
    if (left <= 0) return exitCodes.done;
  }
  if (call.signal.aborted) return exitCodes.done;
  // Following ends by itself only where it can no longer be done; asking says why.
  const now = await team.status();
  if (!now.ok) return call.output.fail(now.error);
  call.output.say("The record can no longer be followed from here. Start again.");
  return exitCodes.problem;
}

/** The newest entries that are wanted, oldest first: read from the end, so that the rest of the record costs nothing. */
async function* lastOf(
  team: Team,
  wanted: Wanted,
  range: Pick<LogOptions, "after" | "limit" | "signal" | "looked">,
): AsyncIterable<Result<LogLine, Problem>> {
  const lines: Result<LogLine, Problem>[] = [];
  for await (const line of recordedLines(team, wanted, { ...range, newestFirst: true })) {
    lines.push(line);
    if (!line.ok) break;
  }
  yield* lines.toReversed();
}

function print({ output }: Call, line: LogLine): void {
  output.result(line, () => logLineText(line, output.paint.stdout));
}
