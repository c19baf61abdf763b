/** `baton read`: prints what an input says once it is read, or the same in another dialect. */
import { systemClock } from "../../base/clock.ts";
import { type Json, jsonLine } from "../../base/json.ts";
import { newMessageId } from "../../base/new-ids.ts";
import { visible, visibleLines } from "../../base/text.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import type { Paint } from "../../doors/cli/terminal/output.ts";
import type { Dialect } from "../../messages/dialects/dialect.ts";
import { dialectOf } from "../../messages/dialects/registry.ts";
import { type Translation, translate } from "../../messages/intake/drafts.ts";
import { type AcceptedReading, isValid, type Reading } from "../../messages/intake/reading.ts";
import { chooseDialects, knownDialect, readChosen, readingOptions } from "./dialect-choice.ts";
import { eachMessage, placeIn, type SourceMessage } from "./message-source.ts";
import { messageText, problemLines, readingText, verdictLine } from "./show.ts";

export const command: Command = {
  isLocal: true,
  description:
    "Prints the reading of a message: its dialect, rung and type, the neutral fact that it states, and its fields as the\n" +
    "definition spells them. With --to the message in another dialect instead; where that has no counterpart, prose that\n" +
    "says so. Takes what validate takes. Exits 2 when a message is invalid.",
  positionals: [{ name: "FILE", summary: "a file; - or nothing reads standard input" }],
  options: [
    { name: "to", kind: "text", value: "DIALECT", summary: "print the message in this dialect" },
    ...readingOptions,
  ],
  examples: [
    { line: "baton read update.json", meaning: "what the message says" },
    { line: "baton read --to vbw/2 progress.json", meaning: "the same for a reader of vbw/2" },
    { line: "baton read .claude/teams/my-team/inboxes/lead.json", meaning: "every message of a mailbox" },
  ],
  next: "baton validate tells what is wrong with a message; baton send sends it.",
  run: async (call) => {
    const chosen = await chooseDialects(call);
    if (!chosen.ok) return call.output.fail(chosen.error);
    const wanted = call.given.text("to");
    const target = wanted === undefined ? null : knownDialect(wanted, "--to");
    if (target !== null && !target.ok) return call.output.fail(target.error);
    const file = call.given.word("FILE");
    let invalid = 0;
    const problem = await eachMessage(call, file === undefined ? [] : [file], async (source, message) => {
      const reading = await readChosen(message.text, chosen.value, { strict: call.given.flag("strict") });
      if (!isValid(reading)) invalid++;
      if (target === null) show(call, source, message, reading);
      else showIn(call, target.value, source, message, reading);
    });
    if (problem !== null) return call.output.fail(problem);
    return invalid === 0 ? exitCodes.done : exitCodes.refused;
  },
};

/** Prints a reading. */
function show(call: Call, source: string, { index, ...rest }: SourceMessage, reading: Reading): void {
  const { text, ...read } = reading;
  const words = reading.outcome === "prose" ? { text } : {};
  call.output.result({ source, index, valid: isValid(reading), ...read, ...words }, () => {
    const { stdout } = call.output.paint;
    const lines = [verdictLine(reading, placeIn(source, { index, ...rest }), stdout)];
    if (reading.outcome === "accepted") lines.push(...factLines(reading, stdout));
    else if (reading.outcome === "prose") lines.push(visibleLines(text).replaceAll(/^/gm, "  "));
    return [...lines, ...problemLines(reading, stdout)].join("\n");
  });
}

/** Who says what about what, then the message's fields as its definition spells them. */
function factLines(reading: AcceptedReading, paint: Paint): readonly string[] {
  const { kind, head } = reading.fact;
  const rows = {
    says: kind,
    phase: head.phase,
    task: head.task,
    from: head.authorRole,
    at: head.timestamp,
    confidence: head.confidence,
  };
  const told = Object.entries(rows)
    .filter(([, value]) => value !== null && value !== "")
    .map(([name, value]) => `  ${paint.faint(name.padEnd(10))}  ${visible(String(value))}`);
  const { payload } = reading.message;
  return [...told, messageText(payload ?? reading.message)];
}

/** Prints a reading in another dialect; what is no message stays what it is. */
function showIn(call: Call, target: Dialect, source: string, message: SourceMessage, reading: Reading): void {
  const { index } = message;
  const head = { source, index, from: { dialect: reading.dialect, type: reading.type } };
  const { problems, notes } = reading;
  if (reading.outcome !== "accepted") {
    const words: Json = reading.outcome === "prose" ? reading.text : null;
    call.output.result({ ...head, dialect: null, type: null, message: words, problems, notes }, () => {
      const told = readingText(reading, placeIn(source, message), call.output.paint.stdout);
      return reading.outcome === "prose" ? `${told}\n${visibleLines(reading.text)}` : told;
    });
    return;
  }
  const translation = translated(reading, target);
  call.output.result({ ...head, ...translation, problems, notes }, () => {
    const { message: written } = translation;
    return typeof written === "string" ? visibleLines(written) : jsonLine(written);
  });
  // People get the message alone, fit to be passed on, and the notes next to it.
  if (!call.output.json) call.output.notes(notes);
}

/** The message for a reader of `target`: what the text does not say comes from its definition and from now. */
function translated(reading: AcceptedReading, target: Dialect): Translation {
  const { dialect, type, fact, message, wireId } = reading;
  const sender = dialectOf(dialect)?.definitions.get(type)?.senders[0] ?? "lead";
  const timestamp = new Date(systemClock.now()).toISOString();
  return translate({ dialect, type, fact, wire: message }, target, {
    id: wireId ?? newMessageId(),
    given: { authorRole: sender, timestamp },
  });
}

/* `baton validate`: judges inputs as a team would read them, without sending anything. */

export const validateCommand: Command = {
  isLocal: true,
  globals: ["journal"],
  description:
    "Tells for each message its dialect, type and rung, and every problem with its path and a repair hint. A file is one\n" +
    "message, or one a line (JSONL, of any size), or a mailbox of Claude Code. Judges form, not receivers or the state of\n" +
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
