/**
 * The changes between two documents, as a unified diff: lines that go, lines that come, and three lines around them.
 */

const around = 3;
/**
 * So many differing lines are still paired; beyond that everything between the first and the last one is shown as
 * changed.
 */
const pairedMax = 1000;

interface Line {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/**
 * The diff from `before` to `after`, headed by the two names, without a line end behind it; empty where they are the same.
 * Null stands for a file that is not there.
 */
export function unifiedDiff(before: string | null, after: string | null, names: { from: string; to: string }): string {
  if (before === after) return "";
  const lines = diffLines(linesOf(before ?? ""), linesOf(after ?? ""));
  const heads = [`--- ${before === null ? "/dev/null" : names.from}`, `+++ ${after === null ? "/dev/null" : names.to}`];
  return [...heads, ...hunks(lines)].join("\n");
}

/** Each line with its end. */
function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

function diffLines(before: readonly string[], after: readonly string[]): readonly Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let same = 0;
  const most = Math.min(before.length, after.length) - start;
  while (same < most && before.at(-1 - same) === after.at(-1 - same)) same++;
  const kept = (lines: readonly string[]): readonly Line[] => lines.map((text) => ({ sign: " ", text }));
  return [
    ...kept(before.slice(0, start)),
    ...paired(before.slice(start, before.length - same), after.slice(start, after.length - same)),
    ...kept(before.slice(before.length - same)),
  ];
}

/** By the longest common sequence. Quadratic, so what is too long is shown as removed and added. */
function paired(before: readonly string[], after: readonly string[]): readonly Line[] {
  const gone = before.map((text): Line => ({ sign: "-", text }));
  const come = after.map((text): Line => ({ sign: "+", text }));
  if (before.length > pairedMax || after.length > pairedMax) return [...gone, ...come];
  const width = after.length + 1;
  const longest = new Uint16Array((before.length + 1) * width);
  const at = (row: number, column: number) => longest[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      longest[row * width + column] =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: Line[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    const [mine, theirs] = [before[row], after[column]];
    if (mine !== undefined && mine === theirs) {
      lines.push({ sign: " ", text: mine });
      row++;
      column++;
    } else if (mine !== undefined && (theirs === undefined || at(row + 1, column) >= at(row, column + 1))) {
      lines.push({ sign: "-", text: mine });
      row++;
    } else {
      lines.push({ sign: "+", text: theirs ?? "" });
      column++;
    }
  }
  return lines;
}

function hunks(lines: readonly Line[]): readonly string[] {
  const told: string[] = [];
  const changed = lines.flatMap(({ sign }, index) => (sign === " " ? [] : [index]));
  for (let first = 0; first < changed.length; ) {
    let last = first;
    while ((changed[last + 1] ?? Number.POSITIVE_INFINITY) - (changed[last] ?? 0) <= 2 * around + 1) last++;
    const from = Math.max(0, (changed[first] ?? 0) - around);
    const to = Math.min(lines.length, (changed[last] ?? 0) + around + 1);
    told.push(head(lines, from, to), ...lines.slice(from, to).map(lineText));
    first = last + 1;
  }
  return told;
}

function head(lines: readonly Line[], from: number, to: number): string {
  const side = (other: "+" | "-"): string => {
    const count = (some: readonly Line[]) => some.filter(({ sign }) => sign !== other).length;
    const length = count(lines.slice(from, to));
    // A hunk without lines names the line before it.
    return `${count(lines.slice(0, from)) + (length === 0 ? 0 : 1)},${length}`;
  };
  return `@@ -${side("+")} +${side("-")} @@`;
}

function lineText({ sign, text }: Line): string {
  return text.endsWith("\n") ? sign + text.slice(0, -1) : `${sign}${text}\n\\ No newline at end of file`;
}
