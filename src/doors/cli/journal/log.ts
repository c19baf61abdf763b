/** `baton log`: every entry of the team, filtered, and followed as entries come. */
import type { Problem } from "../../../base/problem.ts";
import type { Result } from "../../../base/result.ts";
import type { LogLine } from "../../../operations/entries.ts";
import type { LogOptions } from "../../../runtime/record/log-line.ts";
import type { Team } from "../../../runtime/team/team.ts";
import { usageProblem } from "../kernel/arguments.ts";
import type { Call, Command } from "../kernel/command.ts";
import { type ExitCode, exitCodes } from "../kernel/exit-codes.ts";
import { readMoment } from "../kernel/time-argument.ts";
import { withTeam } from "../place/session.ts";
import { sayUnknown } from "../team/agents-text.ts";
import { filterOptions, isWanted, recordedLines, type Wanted, wantedBy } from "./log-filters.ts";
import { logLineText } from "./log-line-text.ts";

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
    return await withTeam(call, (team) => log(call, team, { since: moment?.value, until: end?.value }));
  },
};

function newestOf({ given }: Call): number | undefined {
  return given.number("last") ?? given.number("tail");
}

/** From when and until when; undefined: whenever. */
interface Times {
  readonly since: string | undefined;
  readonly until: string | undefined;
}

async function log(call: Call, team: Team, { since, until }: Times): Promise<ExitCode> {
  const wanted = wantedBy(call, since, until);
  const after = call.given.number("after");
  const limit = call.given.number("limit");
  const newest = newestOf(call);
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
  const status = call.given.flag("follow") ? await team.status() : null;
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
    if (left <= 0) break;
  }
  return exitCodes.done;
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
