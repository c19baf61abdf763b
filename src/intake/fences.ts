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
interface FenceMarks {
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
function fenceAt(text: string, start: number, end: number): FenceMarks | null {
  MARKS.lastIndex = start;
  const marks = MARKS.exec(text)?.[1];
  if (marks === undefined) return null;
  // Marks and words on one line that hold a backtick are code within a sentence, not a fence.
  if (marks.startsWith("`") && text.slice(MARKS.lastIndex, end).includes("`")) return null;
  const rest = text.slice(MARKS.lastIndex, Math.min(end, MARKS.lastIndex + infoCharactersMax)).trim();
  return { sign: marks.charAt(0), length: marks.length, info: rest.toLowerCase() };
}

/** Whether the marks close the fence that `open` has opened. */
function closesFence(fence: FenceMarks, open: FenceMarks): boolean {
  return fence.sign === open.sign && fence.length >= open.length && fence.info === "";
}

/*
 * An input cut into segments: the insides of its fences and the words around them, each divided by lines of `---` and
 * `...`, as YAML divides documents and Markdown divides its head from its body. One pass over the lines.
 */

/** A line of a segment. */
export interface Line {
  readonly start: number;
  /** Columns before the first character that is no blank. */
  readonly indent: number;
  /** The line without blanks around it. */
  readonly said: string;
  readonly isAfterBlank: boolean;
  /** Whether it is in a fence, or is a fence's mark. */
  readonly isInFence: boolean;
}

/** Lines that belong together. `end` is where the last one ends, exclusive. */
export interface Segment {
  readonly lines: readonly Line[];
  readonly end: number;
  /** Whether it is the inside of a fence. */
  readonly isFenced: boolean;
}

/** Whether a line holds more than blanks or a comment. */
export function isSaid({ said }: Line): boolean {
  return said !== "" && !said.startsWith("#");
}

/** Every segment of the text. The lines of a fence belong to the words around it too, for words may hold it as their own. */
export function segmentsOf(text: string): readonly Segment[] {
  const segments: Segment[] = [];
  let fence: FenceMarks | null = null;
  let words: Line[] = [];
  let inside: Line[] = [];
  let isAfterBlank = true;
  const close = (lines: readonly Line[], end: number, isFenced: boolean) => {
    if (lines.some(isSaid)) segments.push({ lines, end, isFenced });
  };
  for (let start = text.startsWith("\ufeff") ? 1 : 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    const line = lineOf(text, start, end, isAfterBlank);
    const marks = fenceAt(text, start, end);
    const isDivider = line.indent === 0 && (line.said === "---" || line.said === "...");
    if (marks !== null && (fence === null || closesFence(marks, fence))) {
      if (fence !== null) close(inside, start, true);
      inside = [];
      fence = fence === null ? marks : null;
      words.push({ ...line, isInFence: true });
    } else if (fence !== null) {
      if (isDivider) {
        close(inside, start, true);
        inside = [];
      } else inside.push(line);
      words.push({ ...line, isInFence: true });
    } else if (isDivider) {
      close(words, start, false);
      words = [];
    } else words.push(line);
    isAfterBlank = line.said === "" || isDivider || marks !== null;
    start = end + 1;
  }
  close(words, text.length, false);
  if (fence !== null) close(inside, text.length, true);
  return segments;
}

function lineOf(text: string, start: number, end: number, isAfterBlank: boolean): Line {
  const line = text.slice(start, end);
  const said = line.trim();
  return { start, indent: line.length - line.trimStart().length, said, isAfterBlank, isInFence: false };
}
