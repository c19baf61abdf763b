/**
 * A handoff document in YAML: recognised by its first line, `handoff:` with something indented below, or with a brace
 * beside it. It may be the whole text, or stand in the only fence that begins like one.
 * Source: semantics.md section 1.1; the seed bmad-1-handoff-document.md.
 */
import { stretchesOf } from "./fences.ts";

/** The document's part of the text, and whether that is all of it. */
export interface FoundDocument {
  readonly source: string;
  readonly whole: boolean;
}

/** The handoff document of a text, or null when there is none, or more than one. */
export function findDocument(text: string): FoundDocument | null {
  if (!text.includes("handoff:")) return null;
  // A byte order mark hides no document: the parser of YAML refuses it by name.
  if (beginsDocument(text, text.startsWith("\ufeff") ? 1 : 0, text.length)) return { source: text, whole: true };
  const fenced = stretchesOf(text).filter(({ start, end, info }) => info !== null && beginsDocument(text, start, end));
  const [only, ...others] = fenced;
  if (only === undefined || others.length > 0) return null;
  return { source: text.slice(only.start, only.end), whole: false };
}

/** Whether the first line that says something is `handoff:` with a brace behind it, or with the next one indented below. */
function beginsDocument(text: string, start: number, end: number): boolean {
  let hasKey = false;
  for (const line of linesOf(text, start, end)) {
    if (hasKey) return /^[ \t]/.test(line);
    if (line.startsWith("---") && line.slice(3).trim() === "") continue;
    const beside = /^handoff:[ \t]*(#|\{|$)/.exec(line)?.[1];
    if (beside === undefined || beside === "{") return beside === "{";
    hasKey = true;
  }
  return false;
}

/** The lines that hold more than blanks or a comment, without their line ends. */
function* linesOf(text: string, start: number, end: number): Generator<string, void> {
  for (let at = start; at < end; ) {
    const newline = text.indexOf("\n", at);
    const stop = newline < 0 || newline > end ? end : newline;
    const line = text.slice(at, stop).trimEnd();
    const said = line.trimStart();
    if (said !== "" && !said.startsWith("#")) yield line;
    at = stop + 1;
  }
}
