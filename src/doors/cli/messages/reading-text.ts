/** A reading for people: the verdict with what was read, its problems and its notes. */
import { visible } from "../../../base/text.ts";
import { isValid, type Reading } from "../../../intake/reading.ts";
import type { Json } from "../../../message/facts.ts";
import { noteText, type Paint, problemText } from "../terminal/output.ts";

/** The verdict in one line, then each problem and note. `where` says which message of which source. */
export function readingText(reading: Reading, where: string, paint: Paint): string {
  return [verdictLine(reading, where, paint), ...faultLines(reading, paint)].join("\n");
}

/** `valid  update.json  execution_update (vbw/2, typed)`. */
export function verdictLine(reading: Reading, where: string, paint: Paint): string {
  const verdict = isValid(reading) ? paint.good("valid") : paint.bad("invalid");
  const { type, dialect, rung } = reading;
  const what = type === null ? rung : `${visible(type)} (${dialect ?? "no dialect"}, ${rung})`;
  return `${verdict}  ${visible(where)}  ${what}`;
}

/** Problems and notes, indented. */
export function faultLines(reading: Reading, paint: Paint): readonly string[] {
  const problems = reading.problems.map((fault) => problemText(fault, paint));
  const notes = reading.notes.map((note) => noteText(note, paint));
  return [...problems, ...notes].map((text) => text.replaceAll(/^/gm, "  "));
}

/* A message for a person's eyes: prose as it is, JSON indented, nothing in it able to act on the terminal. */

/** The message indented by two, line by line made visible; a line feed at its end begins no line. */
export function messageText(message: Json): string {
  const text = typeof message === "string" ? message : JSON.stringify(message, null, 2);
  return text
    .replace(/\r?\n$/, "")
    .split(/\r?\n/)
    .map((line) => `  ${visible(line)}`)
    .join("\n");
}
