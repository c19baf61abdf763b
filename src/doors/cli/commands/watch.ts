/** `baton watch`: the team's record as it grows, for a person at a terminal. */
import type { Problem } from "../../../base/problem.ts";
import { type EntryKind, entryKinds } from "../../../journal/entry.ts";
import type { LogLine, LogOptions } from "../../../runtime/log-line.ts";
import { isInView } from "../../../runtime/log-view.ts";
import type { Team } from "../../../runtime/team.ts";
import { chosen } from "../choice.ts";
import type { Call, Command } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { readMoment } from "../moment.ts";
import { withTeam } from "../session.ts";
import { viewOf, viewOption } from "../view-option.ts";
import { watchLine } from "../watch-line.ts";

const lastDefault = 20;

export const command: Command = {
  description:
    "Shows what is recorded, one line an entry, as it comes from any process: messages, refusals with their first problem\n" +
    "and hint, acknowledgements, commands. Begins with the last 20 entries. Filters combine. Goes on until Ctrl-C; a hub\n" +
    "that goes away is waited for, and nothing is lost or shown twice.",
  options: [
    viewOption,
    { name: "from", kind: "text", value: "AGENT", summary: "only entries of this sender" },
    { name: "to", kind: "text", value: "AGENT", summary: "only entries addressed to this agent" },
    { name: "type", kind: "text", value: "TYPE", summary: "only messages of this type" },
    { name: "task", kind: "text", value: "TASK", summary: "only messages that say they belong to this task" },
    { name: "grep", kind: "text", value: "TEXT", summary: "only entries that contain this text, in any case" },
    {
      name: "kind",
      kind: "text",
      value: "KIND",
      repeatable: true,
      choices: entryKinds,
      summary: "only entries of this kind",
    },
    {
      name: "since",
      kind: "text",
      value: "TIME",
      summary: "begin with what was recorded since (2026-02-12T10:00:00Z, or 10m, 2h, 3d ago)",
    },
    { name: "last", kind: "position", value: "N", summary: "begin with at most so many entries (default: 20)" },
  ],
  examples: [
    { line: "baton watch", meaning: "everything, live" },
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
    return await withTeam(call, (team) => watch(call, team, wantedBy(call, moment?.value)));
  },
};

/** What is shown: what the log filters, and the receiver, which it knows only as one who is concerned. */
interface Wanted {
  readonly filters: LogOptions;
  readonly receiver: string | null;
  /** Most entries to begin with. */
  readonly last: number;
}

function wantedBy(call: Call, since: string | undefined): Wanted {
  const { given } = call;
  const type = given.text("type");
  const sender = given.text("from");
  const receiver = given.text("to");
  const task = given.text("task");
  const text = given.text("grep");
  const kinds: readonly EntryKind[] = given.texts("kind").map((kind) => chosen(kind, entryKinds));
  return {
    filters: {
      ...(type === undefined ? {} : { type }),
      ...(sender === undefined ? {} : { sender }),
      ...(receiver === undefined ? {} : { agent: receiver }),
      ...(task === undefined ? {} : { task }),
      ...(text === undefined ? {} : { text }),
      ...(kinds.length === 0 ? {} : { kinds }),
      ...(since === undefined ? {} : { since }),
      ...viewOf(call),
    },
    receiver: receiver ?? null,
    last: given.number("last") ?? (since === undefined ? lastDefault : Number.POSITIVE_INFINITY),
  };
}

async function watch(call: Call, team: Team, wanted: Wanted): Promise<ExitCode> {
  // What came before the head is looked up, what comes after it followed: nothing falls between, nothing comes twice.
  const status = await team.status();
  if (!status.ok) return call.output.fail(status.error);
  const head = status.value.head.seq;
  const fault = await showBeginning(call, team, wanted, head);
  if (fault !== null) return call.output.fail(fault);
  for await (const line of team.follow({ after: head, signal: call.signal })) {
    if (await isWanted(team, line, wanted)) await print(call, team, line);
    if (call.signal.aborted) break;
  }
  if (call.signal.aborted) return exitCodes.done;
  // Following ends by itself only where it can no longer be done; asking says why.
  const after = await team.status();
  if (!after.ok) return call.output.fail(after.error);
  call.output.say("The record can no longer be followed from here. Start again.");
  return exitCodes.fault;
}

/** The last entries up to the head that are wanted, oldest first. */
async function showBeginning(call: Call, team: Team, wanted: Wanted, head: number): Promise<Problem | null> {
  const { filters, receiver, last } = wanted;
  if (last === 0) return null;
  const lines: LogLine[] = [];
  // The receiver is judged here, so the log cannot count for us.
  const limit = receiver === null && Number.isFinite(last) ? { limit: last } : {};
  for await (const line of team.log({ ...filters, ...limit, before: head + 1, newestFirst: true })) {
    if (!line.ok) return line.error;
    if (call.signal.aborted) return null;
    if (receiver !== null && !line.value.receivers.includes(receiver)) continue;
    lines.push(line.value);
    if (lines.length >= last) break;
  }
  for (const line of lines.toReversed()) await print(call, team, line);
  return null;
}

/** Whether an entry that came while following passes the filters. */
async function isWanted(team: Team, line: LogLine, { filters, receiver }: Wanted): Promise<boolean> {
  const { type, sender, task, kinds, text, view } = filters;
  if (view !== undefined && !isInView(line, view)) return false;
  if (type !== undefined && line.type !== type) return false;
  if (sender !== undefined && line.sender !== sender) return false;
  if (receiver !== null && !line.receivers.includes(receiver)) return false;
  if (task !== undefined && line.task !== task) return false;
  if (kinds !== undefined && !kinds.includes(line.kind)) return false;
  if (text === undefined) return true;
  // A line says only the gist; the log searches the whole text.
  for await (const found of team.log({ text, after: line.seq - 1, before: line.seq + 1, limit: 1 })) {
    return found.ok && found.value.seq === line.seq;
  }
  return false;
}

async function print(call: Call, team: Team, line: LogLine): Promise<void> {
  const { output, config } = call;
  const fault = line.kind === "refusal" && !output.json ? await firstProblem(team, line.seq) : null;
  // Interrupted while asking: half of what there is to say would look like all of it.
  if (call.signal.aborted) return;
  output.result(line, () => watchLine(line, fault, { paint: output.paint.stdout, columns: config.columns() }));
}

/** Why the entry was refused; null where it cannot be read any more, and then the line's own words stand for it. */
async function firstProblem(team: Team, seq: number): Promise<Problem | null> {
  const shown = await team.show(String(seq));
  return shown.ok ? (shown.value.problems[0] ?? null) : null;
}
