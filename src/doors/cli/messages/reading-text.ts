/** A reading for people: the verdict with what was read, its problems and its notes. */
import { visible } from "../../../base/text.ts";
import { isValid, type Reading } from "../../../intake/reading.ts";
import type { Paint } from "../terminal/paint.ts";
import { noteText, problemText } from "../terminal/problem-text.ts";

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
