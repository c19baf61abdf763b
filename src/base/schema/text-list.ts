/**
 * A list that was written as text. Programs of agents send `"[\\"a\\"]"` and `"a"` where `["a"]` is asked for, for whole
 * sessions; taken as one name, the first would be a file that nobody has.
 */
import { parseBounded } from "../json.ts";

/** What was read otherwise than it was written, for who wrote it. */
export interface ReadNote {
  readonly code: "list-as-text";
  readonly path: string;
  readonly message: string;
}

/**
 * The list that a text stands for: the one that it is as JSON, else itself alone. Null: it is written like a list and is
 * none of texts, so nobody can say which was meant.
 */
export function listInText(text: string): readonly string[] | null {
  const read = parseBounded(text);
  if (read.ok && Array.isArray(read.value))
    return read.value.every((each) => typeof each === "string") ? read.value : null;
  // A file may be called `[id].tsx`; no name begins with a bracket and a quote.
  return /^\s*\[\s*["']/.test(text) ? null : [text];
}

export function textListNote(path: string, list: readonly string[]): ReadNote {
  return { code: "list-as-text", path, message: `This was text; it was read as the list ${JSON.stringify(list)}.` };
}
