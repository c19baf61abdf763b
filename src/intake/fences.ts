/**
 * Fenced blocks of a Markdown text: where words end and quoted code begins. One pass over the lines; every character is
 * looked at a bounded number of times, whatever the text.
 */

/** A stretch of the text: words, or the inside of a fence. `end` is exclusive; the fence's own lines belong to neither. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
  /** The word after the opening marks in lower case (`json`, `yaml`, ""), or null for words outside fences. */
  readonly info: string | null;
}

/** The marks of a line that opens or closes a fence. */
export interface FenceMarks {
  readonly sign: string;
  readonly length: number;
  readonly info: string;
}

interface OpenFence extends FenceMarks {
  readonly start: number;
}

/** The text cut into words and fences, in order. A fence that is never closed runs to the end. */
export function stretchesOf(text: string): readonly Stretch[] {
  const found: Stretch[] = [];
  let open: OpenFence | null = null;
  let wordsStart = 0;
  for (let lineStart = 0; lineStart < text.length; ) {
    const newline = text.indexOf("\n", lineStart);
    const lineEnd = newline < 0 ? text.length : newline;
    const nextStart = newline < 0 ? text.length : newline + 1;
    const fence = fenceAt(text, lineStart, lineEnd);
    if (fence !== null && open === null) {
      if (lineStart > wordsStart) found.push({ start: wordsStart, end: lineStart, info: null });
      open = { ...fence, start: nextStart };
    } else if (fence !== null && open !== null && closesFence(fence, open)) {
      found.push({ start: open.start, end: lineStart, info: open.info });
      open = null;
      wordsStart = nextStart;
    }
    lineStart = nextStart;
  }
  if (open !== null) found.push({ start: Math.min(open.start, text.length), end: text.length, info: open.info });
  else if (wordsStart < text.length) found.push({ start: wordsStart, end: text.length, info: null });
  return found;
}

const MARKS = /[ \t]*(`{3,}|~{3,})[ \t]*/y;
/** More than an info word is never looked at. */
const infoCharactersMax = 32;

/** The marks that a line consists of or begins with, or null: the line is none of a fence. */
export function fenceAt(text: string, start: number, end: number): FenceMarks | null {
  MARKS.lastIndex = start;
  const marks = MARKS.exec(text)?.[1];
  if (marks === undefined) return null;
  // Marks and words on one line that hold a backtick are code within a sentence, not a fence.
  if (marks.startsWith("`") && text.slice(MARKS.lastIndex, end).includes("`")) return null;
  const rest = text.slice(MARKS.lastIndex, Math.min(end, MARKS.lastIndex + infoCharactersMax)).trim();
  return { sign: marks.charAt(0), length: marks.length, info: rest.toLowerCase() };
}

/** Whether the marks close the fence that `open` has opened. */
export function closesFence(fence: FenceMarks, open: FenceMarks): boolean {
  return fence.sign === open.sign && fence.length >= open.length && fence.info === "";
}
