/**
 * Checking handoff documents before anything is recorded: `baton handoff verify` compares the files with what the
 * document says of them, and `baton handoff validate` says whether the document itself is well-formed.
 */

import { counted, visible } from "../../../base/text.ts";
import { checkFiles, type FileCheck, fileProblems } from "../../../evidence/checksums.ts";
import { isValid } from "../../../intake/reading.ts";
import { fileStates, filesToVerify } from "../../../message/handoff-body.ts";
import type { Call, Command } from "../kernel/command.ts";
import { type ExitCode, exitCodes } from "../kernel/exit-codes.ts";
import { readingText } from "../messages/reading-text.ts";
import { handoffIn, readHandoff, rootOf, rootOption } from "./handoff-file.ts";

export const verifyCommand: Command = {
  isLocal: true,
  globals: [],
  description:
    "Looks for the required files and for every file with a checksum below the root, links resolved, and says of each: ok,\n" +
    "changed, missing, outside (the path or a link leads out of the root) or weak (the checksum is no SHA-256 of 64 hex\n" +
    "digits, so it tells nothing). Exits 2 when one is changed, missing or outside; a weak checksum alone does not.",
  positionals: [{ name: "FILE", required: true, summary: "the document; - reads standard input" }],
  options: [rootOption],
  examples: [
    { line: "baton handoff verify docs/handoffs/story-2.yaml", meaning: "against this working tree" },
    { line: "baton handoff verify handoff.json --root ../checkout --json", meaning: "a line of JSON for each file" },
  ],
  next: "baton handoff accept ID verifies the same way and takes the work over; baton handoff reject ID --reason TEXT does not.",
  run: async (call) => {
    const document = await handoffIn(call, call.given.word("FILE") ?? "-");
    if (!document.ok) return call.output.fail(document.error);
    const checks = await checkFiles(rootOf(call), filesToVerify(document.value.body), { signal: call.signal });
    return checks.ok ? tellChecks(call, checks.value) : call.output.fail(checks.error);
  },
};

/* What was found of a handoff document's files, for programs a line each, for people a table. */

/** Tells every check; exits 2 when a file is changed, missing or outside the root. Weak checksums only inform. */
function tellChecks({ output }: Call, checks: readonly FileCheck[]): ExitCode {
  const { stdout: paint } = output.paint;
  const colours = { ok: paint.good, weak: paint.warn, changed: paint.bad, missing: paint.bad, outside: paint.bad };
  for (const check of checks) {
    output.result(check, () => {
      const { path, state, expected, reason } = check;
      const why = reason ?? (state === "ok" && expected === null ? "there; no checksum is given" : null);
      return `${colours[state](state.padEnd("outside".length))}  ${visible(path)}${why === null ? "" : paint.faint(`  ${visible(why)}`)}`;
    });
  }
  output.say(`${counted(checks.length, "file")}: ${countsOf(checks)}.`);
  const problems = fileProblems(checks);
  output.problems(problems);
  return problems.length === 0 ? exitCodes.done : exitCodes.refused;
}

function countsOf(checks: readonly FileCheck[]): string {
  const counts = fileStates
    .map((state) => [state, checks.filter((check) => check.state === state).length] as const)
    .filter(([, count]) => count > 0);
  return counts.length === 0 ? "none is named" : counts.map(([state, count]) => `${count} ${state}`).join(", ");
}

/** `baton handoff validate`: whether a file is a well-formed handoff document. */
export const validateCommand: Command = {
  isLocal: true,
  globals: [],
  description:
    "Judges the form of a handoff document in YAML or JSON by the schema of bmad/1: required parts, words, times, and every\n" +
    "problem with its path and a hint. Looks at no file that the document names. Exits 2 when it is invalid.",
  positionals: [{ name: "FILE", required: true, summary: "the document; - reads standard input" }],
  options: [{ name: "strict", kind: "flag", summary: "refuse unknown fields and drifted spelling too" }],
  examples: [
    { line: "baton handoff validate docs/handoffs/story-2.yaml", meaning: "is it well formed?" },
    { line: "baton handoff validate handoff.json --json", meaning: "the answer as one line of JSON" },
  ],
  next: "baton handoff verify FILE looks at its files; baton schema bmad/1/handoff prints the schema.",
  run: async (call) => {
    const { output, given } = call;
    const file = given.word("FILE") ?? "-";
    const read = await readHandoff(call, file, { strict: given.flag("strict") });
    if (!read.ok) return output.fail(read.error);
    const reading = read.value;
    const { dialect, rung, type, problems, notes } = reading;
    const valid = isValid(reading);
    output.result({ source: file, index: 0, dialect, rung, type, valid, problems, notes }, () =>
      readingText(reading, file, output.paint.stdout),
    );
    return valid ? exitCodes.done : exitCodes.refused;
  },
};
