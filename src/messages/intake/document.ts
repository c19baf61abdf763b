/**
 * A handoff document in YAML: recognised by its key `handoff:`, with something indented below or with a brace next to
 * it. It may be the whole text, with other fields next to its key and indented as a whole; be between lines of `---`,
 * as the head of a Markdown document; be in a fence; or be among words, where one of its sections follows its key.
 * Source: docs/protocol/messages.md, section 13; tests/requirements/bmad-1.tsv.
 */
import { isSaid, type Line, type Segment, segmentsOf } from "./markdown.ts";

/** The document's part of the text, where it begins and ends, and whether that is all that the text says. */
export interface FoundDocument {
  readonly source: string;
  readonly start: number;
  readonly end: number;
  readonly whole: boolean;
}

/** The handoff document of an input; null: there is none, or which of several is meant is not clear. */
export function findDocument(text: string): FoundDocument | null {
  if (!text.includes("handoff")) return null;
  const found = outermost(segmentsOf(text).flatMap((segment) => rangeIn(segment) ?? []));
  const [first, ...others] = found;
  if (first === undefined) return null;
  if (others.length > 0) {
    // Documents one after another are no words: the parser says that they are several.
    const isAlone = found.every(({ isFenced }) => !isFenced) && isBare(text.slice(0, first.start));
    return isAlone ? { source: text, start: 0, end: text.length, whole: true } : null;
  }
  const { start, end, isFenced } = first;
  const head = text.slice(0, start);
  const whole = !isFenced && isBare(head) && isBare(text.slice(end));
  // The empty part before it is kept, so that its errors have the lines of the input.
  const from = whole && head.split("---").length <= 2 ? 0 : start;
  return { source: text.slice(from, end), start, end, whole };
}

/** Without those that are in another: a document may show others in its fences. */
function outermost(ranges: readonly Range[]): readonly Range[] {
  const kept: Range[] = [];
  for (const range of ranges.toSorted((a, b) => a.start - b.start)) {
    if (range.end > (kept.at(-1)?.end ?? 0)) kept.push(range);
  }
  return kept;
}

/** Whether an input says nothing: blank lines, comments, and what divides documents. */
function isBare(text: string): boolean {
  // Line by line: one pattern for all of them is more than can be shown to be linear on a busy machine.
  const lines = text.replace(/^\ufeff/, "").split(/\r\n?|\n/);
  return lines.every((line) => /^[ \t]*(?:#|$)/.test(line) || /^(?:---|\.\.\.)[ \t]*$/.test(line));
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly isFenced: boolean;
}

const KEY = /^(?:handoff|"handoff"|'handoff')[ \t]*:[ \t]*(#|\{|$)/;
const SECTION = /^["']?(?:metadata|context|instructions|dependencies|validation|history)["']?[ \t]*:/;
/** A key of a mapping, at the beginning of its line. */
const ANY_KEY = /^(?:"[^"]{1,64}"|'[^']{1,64}'|[A-Za-z_][\w.-]{0,63})[ \t]*:(?:[ \t]|$)/;

/** Where the document of a segment is, or null: it has none. */
function rangeIn({ lines, end, isFenced }: Segment): Range | null {
  const said = lines.filter(isSaid);
  /** The least column of the lines so far, and whether every line there is a key. */
  let least = Number.POSITIVE_INFINITY;
  let areKeys = true;
  for (const [index, line] of said.entries()) {
    const beside = line.isInFence ? undefined : KEY.exec(line.said)?.[1];
    const isMapping = least > line.indent || (least === line.indent && areKeys);
    if (line.indent <= least) {
      areKeys = (areKeys || line.indent < least) && ANY_KEY.test(line.said);
      least = line.indent;
    }
    if (beside === undefined) continue;
    const next = said[index + 1];
    if (beside === "{" ? !isMapping : next === undefined || next.indent <= line.indent) continue;
    if (beside !== "{" && index > 0 && !SECTION.test(next?.said ?? "")) continue;
    const start = (isMapping ? said[0] : undefined)?.start ?? line.start;
    return { start, end: beside === "{" ? end : endOf(said.slice(index + 1), line.indent, end), isFenced };
  }
  return null;
}

/**
 * Where a document ends whose key is at the column `indent`: before the paragraph behind it, or at `end`. Where more of
 * the document seems to follow such a paragraph, its text may have lost its indentation: then nothing is cut off.
 */
function endOf(further: readonly Line[], indent: number, end: number): number {
  const index = further.findIndex((line) => line.indent <= indent && !isKeyAt(line, indent));
  const words = further[index];
  if (words === undefined || !words.isAfterBlank) return end;
  const goesOn = further.slice(index).some((line) => {
    return line.indent > indent && !line.isInFence && (ANY_KEY.test(line.said) || line.said.startsWith("- "));
  });
  return goesOn ? end : words.start;
}

function isKeyAt(line: Line, indent: number): boolean {
  return line.indent === indent && ANY_KEY.test(line.said);
}
