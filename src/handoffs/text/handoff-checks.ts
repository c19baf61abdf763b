/**
 * Checking handoff documents before anything is recorded: `baton handoff verify` compares the files with what the
 * document says of them, and `baton handoff validate` says whether the document itself is well-formed.
 */

import { counted, visible } from "../../base/text.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { answer, listed, withTeam } from "../../doors/cli/place/session.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { checkFiles, type FileCheck, fileProblems } from "../../evidence/decide/checksums.ts";
import { readingText } from "../../mail/text/show.ts";
import { fileStates, filesToVerify } from "../../messages/handoff-body.ts";
import { isValid } from "../../messages/intake/reading.ts";
import { handoffIn, readHandoff, rootOf, rootOption } from "./handoff-file.ts";
import { issueFile } from "./handoff-issuing.ts";
import { handoffText } from "./handoff-views.ts";

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

/* `baton handoff issue`: stamps a document in its file and hands the work over with it. */

export const command: Command = {
  acts: true,
  description:
    "Writes into the file what issuing adds: an id where there is none, the time, the SHA-256 of every file that it names,\n" +
    "and the handoffs before it by the record; comments, order and everything else stay. Then the document is sent to its\n" +
    "target_agent. A refused one is put back as it was. Issued twice, it is the same handoff; one that was rejected is\n" +
    "issued again under a new id.",
  positionals: [
    {
      name: "FILE",
      required: true,
      summary: "the document, in YAML or JSON, or Markdown with it at its head or in a fence",
    },
  ],
  options: [rootOption],
  examples: [
    { line: "baton handoff issue docs/handoffs/story-2.yaml --as sm", meaning: "sm hands the story over" },
    { line: "baton handoff issue handoff.json --as dev-1 --root ../checkout --json", meaning: "files of another tree" },
  ],
  next: "The receiver finds it in baton inbox, and answers with baton handoff accept ID or baton handoff reject ID.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { output } = call;
      const issued = await issueFile(call, team);
      if (!issued.ok) return output.fail(issued.error);
      if (issued.value.outcome === "known") {
        const { handoff } = issued.value.detail;
        output.result({ handoff: handoff.id, seq: handoff.seq, isNew: false, standing: handoff.standing }, () =>
          handoffText(handoff, output.paint.stdout),
        );
        output.say(`It was issued before, at entry ${handoff.seq}; nothing was changed.`);
        return exitCodes.done;
      }
      const { reply, body, unsummed } = issued.value;
      for (const path of unsummed) output.say(`note: ${visible(path)} is not there, so it has no checksum.`);
      if (reply.outcome !== "accepted" || !output.json)
        return answer(
          call,
          reply,
          (receipt, receivers) =>
            `Issued: ${visible(body.metadata.id)}, entry ${receipt.seq}, to ${listed(receivers)}.`,
        );
      const { receipt, receivers, notes } = reply;
      output.notes(notes);
      const files = Object.keys(body.validation?.file_checksums ?? {}).length;
      output.result(
        { handoff: body.metadata.id, seq: receipt.seq, isNew: true, receivers, files, receipt },
        () => null,
      );
      return exitCodes.done;
    }),
};
