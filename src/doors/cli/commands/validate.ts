/** `baton validate`: judges texts as a team would read them, without sending anything. */
import { type Problem, problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { nearest, visible } from "../../../base/text.ts";
import type { Dialect } from "../../../dialects/dialect.ts";
import { dialects as allDialects, dialectIds, dialectOf } from "../../../dialects/registry.ts";
import { read } from "../../../intake/read.ts";
import { isValid, type Reading } from "../../../intake/reading.ts";
import type { DialectId } from "../../../message/message.ts";
import { readTeamFile } from "../../../team/team-file.ts";
import { usageProblem } from "../arguments.ts";
import type { Call, Command } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { unreadable } from "../input.ts";
import { messagesOf, type SourceMessage } from "../message-source.ts";
import { readTeamText } from "../place.ts";
import { noteText, problemText } from "../problem-text.ts";
import { findWorkspace } from "../workspace.ts";

/** Dialects that are tried first, and those that are asked when the first accept nothing. */
interface Dialects {
  readonly first: readonly Dialect[];
  readonly others: readonly Dialect[];
}

export const command: Command = {
  description:
    "Tells for each message its dialect, type and rung, and every problem with its path and a repair hint. A file is one\n" +
    "message, or one a line (JSONL, of any size). Judges form, not receivers or the state of the work. Needs no team; where\n" +
    "there is one, its dialects are tried first. Exits 2 when a message is invalid.",
  positionals: [{ name: "FILE", repeatable: true, summary: "files; - or nothing reads standard input" }],
  options: [
    {
      name: "dialect",
      kind: "text",
      value: "DIALECT",
      repeatable: true,
      summary: "only these dialects, in this order",
    },
    { name: "strict", kind: "flag", summary: "refuse fields and types that no definition knows" },
  ],
  examples: [
    { line: "baton validate update.json", meaning: "one message" },
    { line: "baton validate --dialect vbw/2 inbox.jsonl --json", meaning: "a message a line, answers as JSON" },
    { line: "my-agent | baton validate -", meaning: "what a program prints" },
  ],
  next: "baton send FILE sends a valid message; baton schema DIALECT/TYPE prints what is expected.",
  run: async (call) => {
    const chosen = await chooseDialects(call);
    if (!chosen.ok) return call.output.fail(chosen.error);
    const files = call.given.words("FILE");
    if (files.length === 0 && process.stdin.isTTY) {
      return call.output.fail(
        usageProblem("FILE", "FILE is missing, and standard input is a terminal.", "baton validate message.json"),
      );
    }
    let invalid = 0;
    for (const file of files.length === 0 ? ["-"] : files) {
      try {
        for await (const message of messagesOf(file, call.signal)) {
          if (call.signal.aborted) break;
          if (!judge(call, file, message, chosen.value)) invalid++;
        }
      } catch (cause) {
        if (!(cause instanceof Error && "syscall" in cause)) throw cause;
        return call.output.fail(unreadable(file, cause));
      }
    }
    return invalid === 0 ? exitCodes.done : exitCodes.refused;
  },
};

/** Judges one message and prints the answer; whether it is valid. */
function judge(call: Call, source: string, message: SourceMessage, dialects: Dialects): boolean {
  const reading = readBy(dialects, message.text, call.given.flag("strict"));
  const { dialect, rung, type, problems, notes } = reading;
  const valid = isValid(reading);
  call.output.result({ source, index: message.index, dialect, rung, type, valid, problems, notes }, () =>
    readingText(call, message.line === null ? source : `${source}:${message.line}`, reading),
  );
  return valid;
}

/** The reading by the first dialects; by the others where only they accept the text. */
function readBy({ first, others }: Dialects, text: Uint8Array, strict: boolean): Reading {
  const reading = read(text, { dialects: first.length > 0 ? first : others, strict });
  if (reading.outcome === "accepted" || first.length === 0 || others.length === 0) return reading;
  const second = read(text, { dialects: others, strict });
  return second.outcome === "accepted" ? second : reading;
}

function readingText(call: Call, where: string, reading: Reading): string {
  const paint = call.output.paint.stdout;
  const verdict = isValid(reading) ? paint.good("valid") : paint.bad("invalid");
  const what =
    reading.type === null
      ? reading.rung
      : `${visible(reading.type)} (${reading.dialect ?? "no dialect"}, ${reading.rung})`;
  const lines = [`${verdict}  ${visible(where)}  ${what}`];
  for (const fault of reading.problems) lines.push(indent(problemText(fault, paint)));
  for (const note of reading.notes) lines.push(indent(noteText(note, paint)));
  return lines.join("\n");
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}

/** The dialects to try: those asked for alone; else the team's first, or all where there is no team. */
async function chooseDialects(call: Call): Promise<Result<Dialects, Problem | readonly Problem[]>> {
  const asked = call.given.texts("dialect");
  if (asked.length === 0) {
    const team = await teamDialects(call);
    if (!team.ok) return team;
    const first = team.value.flatMap((id) => dialectOf(id) ?? []);
    return ok({ first, others: allDialects.filter((dialect) => !first.includes(dialect)) });
  }
  const first: Dialect[] = [];
  for (const word of asked) {
    const dialect = dialectOf(word);
    if (dialect === null) return err(unknownDialect(word));
    first.push(dialect);
  }
  return ok({ first, others: [] });
}

/** A team file that is there and broken is no reason to judge by something else: its problems are told. */
async function teamDialects(call: Call): Promise<Result<readonly DialectId[], readonly Problem[]>> {
  const workspace = findWorkspace(call.config.directory);
  const file = workspace === null ? ok(null) : readTeamText(workspace.teamFile);
  if (!file.ok) return err([file.error]);
  if (file.value === null) return ok([]);
  const { path, text } = file.value;
  const definition = await readTeamFile(text, { dialects: dialectIds, path });
  return definition.ok ? ok(definition.value.dialects) : definition;
}

function unknownDialect(word: string): Problem {
  const near = nearest(word, dialectIds);
  return problem("unknown-dialect", "--dialect", `There is no dialect "${word}" in this build.`, {
    expected: dialectIds.join(" | "),
    received: word,
    hint: near === null ? `one of: ${dialectIds.join(", ")}` : `did you mean "${near}"?`,
  });
}
