/** Which words of a changed line changed. Pure; text stays text. */

/** A part of a line, and whether it is on this side only. */
export interface LinePart {
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
