/** `baton validate`: judges inputs as a team would read them, without sending anything. */
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { isValid, type Reading } from "../../messages/intake/reading.ts";
import { chooseDialects, readChosen, readingOptions } from "./dialect-choice.ts";
import { eachMessage, placeIn, type SourceMessage } from "./message-source.ts";
import { readingText } from "./show.ts";

export const command: Command = {
  isLocal: true,
  globals: ["journal"],
  description:
    "Tells for each message its dialect, type and rung, and every problem with its path and a repair hint. A file is one\n" +
    "message, or one a line (JSONL, of any size). Judges form, not receivers or the state of\n" +
    "the work. Needs no team; where there is one, its dialects are tried first. Exits 2 when a message is invalid.",
  positionals: [{ name: "FILE", repeatable: true, summary: "files; - or nothing reads standard input" }],
  options: readingOptions,
  examples: [
    { line: "baton validate update.json", meaning: "one message" },
    { line: "baton validate --dialect vbw/2 inbox.jsonl --json", meaning: "a message a line, answers as JSON" },
    { line: "my-agent | baton validate -", meaning: "what a program prints" },
  ],
  next: "baton send FILE sends a valid message; baton reference DIALECT/TYPE prints what is expected.",
  run: async (call) => {
    const chosen = await chooseDialects(call);
    if (!chosen.ok) return call.output.fail(chosen.error);
    const strict = call.given.flag("strict");
    let invalid = 0;
    const problem = await eachMessage(call, call.given.words("FILE"), (file, message) => {
      const tell = (reading: Reading) => {
        if (!isValid(reading)) invalid++;
        showReading(call, file, message, reading);
      };
      const reading = readChosen(message.text, chosen.value, { strict, isFinal: true });
      return reading instanceof Promise ? reading.then(tell) : tell(reading);
    });
    if (problem !== null) return call.output.fail(problem);
    return invalid === 0 ? exitCodes.done : exitCodes.refused;
  },
};

/** Prints the answer about one message. */
function showReading(call: Call, source: string, message: SourceMessage, reading: Reading): void {
  const { dialect, rung, type, problems, notes } = reading;
  const valid = isValid(reading);
  call.output.result({ source, index: message.index, dialect, rung, type, valid, problems, notes }, () =>
    readingText(reading, placeIn(source, message), call.output.paint.stdout),
  );
}
