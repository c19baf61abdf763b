/** `baton handoff validate`: whether a file is a well-formed handoff document. */
import { isValid } from "../../../intake/reading.ts";
import type { Command } from "../kernel/command.ts";
import { exitCodes } from "../kernel/exit-codes.ts";
import { readingText } from "../messages/reading-text.ts";
import { readHandoff } from "./handoff-file.ts";

export const command: Command = {
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
