/** A place in a file as messages name it: `src/auth.ts:42`. Source: docs/protocol/messages.md, sections 5 and 6. */
import { canonicalPath } from "./paths.ts";

/** A file in canonical form where its path has one, else as written; the line is null where none is named. */
export interface FileLine {
  readonly file: string;
  readonly line: number | null;
}

/** The file and the line of `file:line`; what is no number behind the last colon belongs to the file. */
export function fileLine(text: string): FileLine {
  const colon = text.lastIndexOf(":");
  const digits = colon < 0 ? "" : text.slice(colon + 1);
  const line = /^[0-9]{1,15}$/.test(digits) ? Number(digits) : null;
  return { file: canonicalFile(line === null ? text : text.slice(0, colon)), line };
}

/** `file:line` in canonical form, of a file and a line that a message says apart; null: it lacks one of them. */
export function placeOf(file: unknown, line: unknown): string | null {
  return typeof file === "string" && typeof line === "number" ? `${canonicalFile(file)}:${line}` : null;
}

/** A path in canonical form, or as written where it has none: `./src/a.ts` and `src//a.ts` are `src/a.ts`. */
export function canonicalFile(text: string): string {
  const path = canonicalPath(text);
  return path.ok ? path.value : text;
}
