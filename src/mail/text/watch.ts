/**
 * `baton watch`: the team as a whole on a terminal, with the keys to decide; otherwise, or where something is asked for, its
 * record as it grows, a line an entry.
 */
import type { Problem } from "../../base/problem.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { readMoment } from "../../doors/cli/kernel/time-argument.ts";
import { withTeam } from "../../doors/cli/place/session.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import type { Team } from "../../perform/team.ts";
import type { LogLine } from "../../record/operations/entries.ts";
import { filterOptions, isWanted, recordedLines, type Wanted, wantedBy } from "../../record/text/log.ts";
import { watchLine } from "./show.ts";

const lastDefault = 20;

export const command: Command = {
  description:
    "On a terminal, shows the team on the whole screen: what needs you, the agents, what came last. `j` and `k` choose, Enter\n" +
    "opens, `a` and `d` decide; a decision is sent after five seconds, until then `z` takes it back. `q` leaves.\n" +
    "With `--lines`, with a filter, or where there is no terminal, shows what is recorded, one line an entry, as it comes from any\n" +
    "process: messages, refusals with their first problem and hint, acknowledgements, commands. Begins with the last 20\n" +
    "entries. Filters combine. Goes on until Ctrl-C; a hub that goes away is waited for, and nothing is lost or shown twice.",
  options: [
    ...filterOptions,
    {
      name: "since",
      kind: "text",
      value: "TIME",
      summary: "begin with what was recorded since (2026-02-12T10:00:00Z, or 10m, 2h, 3d ago)",
    },
    { name: "lines", kind: "flag", summary: "a line an entry, also on a terminal" },
    { name: "last", kind: "position", value: "N", summary: "begin with at most so many entries (default: 20)" },
  ],
  examples: [
    { line: "baton watch", meaning: "the team, live, and its decisions" },
    { line: "baton watch --lines", meaning: "everything as it is recorded" },
    { line: "baton watch --to lead-1 --kind message --kind refusal", meaning: "what reaches lead-1, or should have" },
    { line: "baton watch --view messages", meaning: "what is said and turned down, without the bookkeeping" },
    {
      line: "baton watch --hub http://127.0.0.1:4777 --last 0 --json",
      meaning: "what a hub takes from now on, for a program",
    },
  ],
  next: "baton show SEQ tells all about one entry.",
  run: async (call) => {
    const since = call.given.text("since");
    const moment = since === undefined ? null : readMoment("--since", since);
    if (moment !== null && !moment.ok) return call.output.fail(moment.error);
    const { config, given, output } = call;
    const isFiltered = filterOptions.some(({ name, repeatable }) =>
      repeatable === true ? given.texts(name).length > 0 : given.text(name) !== undefined,
    );
    const wantsLines = given.flag("lines") || since !== undefined || given.number("last") !== undefined || isFiltered;
    if (output.json || wantsLines || config.screen() === null)
      return await withTeam(call, (team) => watch(call, team, moment?.value));
    const { watchTeam } = await import("../../team/text/team-watch.ts");
    return await withTeam(call, (team) => watchTeam(call, team, () => config.screen() ?? { rows: 24, columns: 80 }));
  },
};

async function watch(call: Call, team: Team, since: string | undefined): Promise<ExitCode> {
  const wanted = wantedBy(call, since);
  // Most entries to begin with.
  const last = call.given.number("last") ?? (since === undefined ? lastDefault : Number.POSITIVE_INFINITY);
  // What came before the head is looked up, what comes after it followed: nothing falls between, nothing comes twice.
  const status = await team.status();
  if (!status.ok) return call.output.fail(status.error);
  const head = status.value.head.seq;
  const problem = await showBeginning(call, team, wanted, last, head);
  if (problem !== null) return call.output.fail(problem);
  for await (const line of team.follow({ after: head, signal: call.signal })) {
    if (await isWanted(team, line, wanted)) await print(call, team, line);
    if (call.signal.aborted) break;
  }
  if (call.signal.aborted) return exitCodes.done;
  // Following ends by itself only where it can no longer be done; asking says why.
  const after = await team.status();
  if (!after.ok) return call.output.fail(after.error);
  call.output.say("The record can no longer be followed from here. Start again.");
  return exitCodes.problem;
}

/** The last entries up to the head that are wanted, oldest first. */
async function showBeginning(
  call: Call,
  team: Team,
  wanted: Wanted,
  last: number,
  head: number,
): Promise<Problem | null> {
  if (last === 0) return null;
  const lines: LogLine[] = [];
  const limit = Number.isFinite(last) ? { limit: last } : {};
  for await (const line of recordedLines(team, wanted, { ...limit, before: head + 1, newestFirst: true })) {
    if (!line.ok) return line.error;
    if (call.signal.aborted) return null;
    lines.push(line.value);
  }
  for (const line of lines.toReversed()) await print(call, team, line);
  return null;
}

async function print(call: Call, team: Team, line: LogLine): Promise<void> {
  const { output, config } = call;
  const problem = line.kind === "refusal" && !output.json ? await firstProblem(team, line.seq) : null;
  // Interrupted while asking: half of what there is to say would look like all of it.
  if (call.signal.aborted) return;
  output.result(line, () => watchLine(line, problem, { paint: output.paint.stdout, columns: config.columns() }));
}

/** Why the entry was refused; null where it cannot be read any more, and then the line's own words stand for it. */
async function firstProblem(team: Team, seq: number): Promise<Problem | null> {
  const shown = await team.show(String(seq));
  return shown.ok ? (shown.value.problems[0] ?? null) : null;
}
