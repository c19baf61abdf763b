/**
 * Text of agents, cut into what may be drawn as it is and what must be named: control, bidi, zero-width and other
 * unseen characters. A page that marks the second kind cannot be fooled by text that spells such a name out.
 */
import { visible } from "../../../base/text.ts";

export interface Segment {
  readonly text: string;
  /** Whether `text` names a character that would not be seen, instead of being what the agent wrote. */
  readonly named: boolean;
  /** Whether it is what somebody searches for. */
  readonly found?: boolean;
}

/** The segments, cut so that each place of `words`, in any case, is one. Names of unseen characters are not searched. */
export function markedIn(segments: readonly Segment[], words: string): readonly Segment[] {
  const wanted = words.toLowerCase();
  if (wanted === "") return segments;
  return segments.flatMap((segment) => {
    const { text, named } = segment;
    const lower = text.toLowerCase();
    // Some letters are longer in lower case; then places in it are not places in the text.
    if (named || lower.length !== text.length) return [segment];
    const parts: Segment[] = [];
    let from = 0;
    for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
      if (at > from) parts.push({ text: text.slice(from, at), named });
      parts.push({ text: text.slice(at, at + wanted.length), named, found: true });
      from = at + wanted.length;
    }
    return from === 0 ? [segment] : [...parts, ...(from < text.length ? [{ text: text.slice(from), named }] : [])];
  });
}

/** The segments of `text` in order. With `lines`, line feeds and tabs stay as they are; `\r\n` counts as a line feed. */
export function segmentsOf(text: string, options: { readonly lines?: boolean } = {}): readonly Segment[] {
  const lines = options.lines === true;
  const source = lines ? text.replaceAll("\r\n", "\n") : text;
  if (visible(source) === source) return [{ text: source, named: false }];
  const segments: { text: string; named: boolean }[] = [];
  for (const character of source) {
    const drawn = lines && (character === "\n" || character === "\t") ? character : visible(character);
    const named = drawn !== character;
    const last = segments.at(-1);
    if (last?.named === named) last.text += drawn;
    else segments.push({ text: drawn, named });
  }
  return segments;
}

/*
 * Which words of a changed line changed. Pure; text stays text.
 */

/** A part of a line, and whether it is on this side only. */
interface LinePart {
  readonly text: string;
  readonly changed: boolean;
}

/** Longer lines are not compared: they would take long, and nobody reads them. */
const lengthMax = 500;
/** Lines that share less than this part of their words are two lines, not one that was changed. */
const alikeMin = 0.3;

/** Both lines in parts; null: they are too long, or too little alike to be one line that was changed. */
export function wordDiff(
  old: string,
  now: string,
): readonly [old: readonly LinePart[], now: readonly LinePart[]] | null {
  if (old.length > lengthMax || now.length > lengthMax) return null;
  const [before, after] = [wordsOf(old), wordsOf(now)];
  const kept = commonOf(before, after);
  const isWord = (word: string) => word.trim() !== "";
  const shared = kept.filter(([at]) => isWord(before[at] ?? "")).length;
  if (shared < alikeMin * Math.max(before.filter(isWord).length, after.filter(isWord).length)) return null;
  return [partsOf(before, new Set(kept.map(([at]) => at))), partsOf(after, new Set(kept.map(([, at]) => at)))];
}

function wordsOf(line: string): readonly string[] {
  return line.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

/** The longest list of words that both have in this order, as their places. */
function commonOf(one: readonly string[], other: readonly string[]): readonly (readonly [number, number])[] {
  const width = other.length + 1;
  const lengths = new Uint16Array((one.length + 1) * width);
  const at = (row: number, column: number) => lengths[row * width + column] ?? 0;
  for (let row = one.length - 1; row >= 0; row--)
    for (let column = other.length - 1; column >= 0; column--)
      lengths[row * width + column] =
        one[row] === other[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
  const common: (readonly [number, number])[] = [];
  for (let [row, column] = [0, 0]; row < one.length && column < other.length; ) {
    if (one[row] === other[column]) common.push([row++, column++]);
    else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return common;
}

function partsOf(words: readonly string[], kept: ReadonlySet<number>): readonly LinePart[] {
  const parts: { text: string; readonly changed: boolean }[] = [];
  for (const [at, text] of words.entries()) {
    const changed = !kept.has(at);
    const last = parts.at(-1);
    if (last?.changed === changed) last.text += text;
    else parts.push({ text, changed });
  }
  return parts;
}

/**
 * The parts of the changed lines of a hunk, by their place in it: where as many lines follow removed ones as there were,
 * each is compared with its own.
 */
export function changedWords(
  lines: readonly { readonly op: string; readonly text: string }[],
): ReadonlyMap<number, readonly LinePart[]> {
  const parts = new Map<number, readonly LinePart[]>();
  for (let at = 0; at < lines.length; ) {
    const removed = runOf(lines, at, "-");
    const added = runOf(lines, at + removed, "+");
    for (let each = 0; removed === added && each < removed; each++) {
      const [old, now] = [at + each, at + removed + each];
      const words = wordDiff(lines[old]?.text ?? "", lines[now]?.text ?? "");
      if (words === null) continue;
      parts.set(old, words[0]);
      parts.set(now, words[1]);
    }
    at += Math.max(removed + added, 1);
  }
  return parts;
}

function runOf(lines: readonly { readonly op: string }[], from: number, op: string): number {
  let count = 0;
  while (lines[from + count]?.op === op) count += 1;
  return count;
}
