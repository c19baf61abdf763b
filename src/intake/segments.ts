/**
 * A text cut into segments: the insides of its fences and the words around them, each divided by lines of `---` and
 * `...`, as YAML divides documents and Markdown divides its head from its body. One pass over the lines.
 */
import { closesFence, type FenceMarks, fenceAt } from "./fences.ts";

/** A line of a segment. */
export interface Line {
  readonly start: number;
  /** Columns before the first character that is no blank. */
  readonly indent: number;
  /** The line without blanks around it. */
  readonly said: string;
  readonly isAfterBlank: boolean;
  /** Whether it stands in a fence of the words, or is one's mark. */
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
