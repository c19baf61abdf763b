/** Problems and notes laid out for people: what is wrong, where, what was expected, what came, what to do. */
import type { Problem } from "../../../base/problem.ts";
import { visible } from "../../../base/text.ts";
import type { Note } from "../../../message/message.ts";
import type { Paint } from "./paint.ts";

/** The problem in two to five lines. Everything that may hold agent text is made visible. */
export function problemText(problem: Problem, paint: Paint): string {
  const where = problem.path === "" || problem.path === "$" ? "" : ` at ${visible(problem.path)}`;
  const lines = [`${paint.bad(problem.code)}${where}`, `  ${visible(problem.message)}`];
  // A digest tells programs which content stands under the id; people compare the entry.
  if (problem.expected !== undefined && problem.code !== "id-conflict")
    lines.push(`  ${paint.faint("expected")}  ${visible(problem.expected)}`);
  if (problem.received !== undefined) lines.push(`  ${paint.faint("received")}  ${visible(problem.received)}`);
  if (problem.hint !== undefined) lines.push(`  ${paint.strong("hint")}      ${visible(problem.hint)}`);
  return lines.join("\n");
}

/** The note in one line. */
export function noteText(note: Note, paint: Paint): string {
  const where = note.path === "" || note.path === "$" ? "" : ` at ${visible(note.path)}`;
  return `${paint.warn("note")}: ${visible(note.message)} ${paint.faint(`(${note.code}${where})`)}`;
}
