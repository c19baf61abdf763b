/**
 * The difference of two contents by lines, in hunks as people read them. The contents are those that the object reader held
 * to their ids; nothing of them reaches git. The work is bounded: contents that differ in too much are shown as one block
 * taken away and one put in, and of long differences the beginning is shown. Pure.
 * Source: docs/protocol/verdicts.md, section 8.
 */
import { type ChangeObject, diffArrays } from "diff";

/** One line of a hunk, with its number on each side; null: it is not there. */
export interface DiffLine {
  readonly op: " " | "+" | "-";
  readonly old: number | null;
  readonly new: number | null;
  readonly text: string;
  /** The side ends here without a line feed. */
  readonly noNewline?: true;
}

/** Lines that changed, with some around them. */
export interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** The last line before it that begins a part of the file, such as a function; empty: there is none. */
  readonly heading: string;
  readonly lines: readonly DiffLine[];
}

export interface FileDiff {
  readonly binary: boolean;
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly Hunk[];
  /** There is more than is shown. */
  readonly isCut: boolean;
}

/** Most lines of a difference that are shown, and most characters of one. */
export const shownLinesMax = 2_000;
const lineCharactersMax = 2_000;
/** Unchanged lines around a change. */
const contextLines = 3;
/** Most insertions and deletions that are looked for one by one, which takes about a tenth of a second. */
const editsMax = 1_000;
/** A second bound, in milliseconds, that is not reached otherwise: a verdict should not depend on the machine. */
const timeoutMs = 2_000;
/** Work that comparing contents may take, some hundredths of a second. */
export const diffStepsMax = 20_000_000;
/** Bytes in which a zero makes a content binary, as git has it. */
const binaryBytes = 8_000;
const headingCharactersMax = 120;

/**
 * How `after` differs from `before`; null: that side is not there. `budget`: the work that it may take; where that is used
 * up, what is between the first and the last difference is one block.
 *
 * @example
 * const { hunks } = diffOf(Buffer.from("a\nb\n"), Buffer.from("a\nc\n"));
 * hunks[0]?.lines.map(({ op, text }) => op + text); // [" a", "-b", "+c"]
 */
export function diffOf(before: Buffer | null, after: Buffer | null, budget = { left: diffStepsMax }): FileDiff {
  if (isBinary(before) || isBinary(after)) return { binary: true, added: 0, removed: 0, hunks: [], isCut: false };
  const [old, now] = [linesOf(before), linesOf(after)];
  const { edits } = editsOf(old.lines, now.lines, budget);
  const removed = edits.reduce((sum, { oldEnd, oldStart }) => sum + oldEnd - oldStart, 0);
  const added = edits.reduce((sum, { newEnd, newStart }) => sum + newEnd - newStart, 0);
  const hunks: Hunk[] = [];
  let left = shownLinesMax;
  for (const group of groupsOf(edits)) {
    const hunk = hunkOf(group, old, now);
    const lines = hunk.lines.slice(0, left);
    hunks.push({ ...hunk, lines });
    left -= hunk.lines.length;
    if (left <= 0) break;
  }
  const isLong = hunks.some(({ lines }) => lines.some(({ text }) => text.length > lineCharactersMax));
  return { binary: false, added, removed, hunks: hunks.map(shortened), isCut: left < 0 || isLong };
}

/**
 * Whether `after` changes or takes away the line of `before` (the first is 1), or puts something in right next to it. Every
 * content counts by its lines. Null: the contents differ in too much to say.
 */
export function isLineTouched(before: Buffer, after: Buffer, line: number): boolean | null {
  const { edits, isExact } = editsOf(linesOf(before).lines, linesOf(after).lines, { left: diffStepsMax });
  const isTouched = edits.some(({ oldStart, oldEnd }) =>
    oldStart === oldEnd ? line === oldStart || line === oldStart + 1 : line > oldStart && line <= oldEnd,
  );
  return isTouched && !isExact ? null : isTouched;
}

function isBinary(content: Buffer | null): boolean {
  return content?.subarray(0, binaryBytes).includes(0) === true;
}

interface Lines {
  readonly lines: readonly string[];
  /** The last line has no line feed. */
  readonly isOpen: boolean;
}

function linesOf(content: Buffer | null): Lines {
  if (content === null || content.length === 0) return { lines: [], isOpen: false };
  const lines = content.toString("utf8").split("\n");
  const isOpen = lines.at(-1) !== "";
  if (isOpen) {
    // A last line without a line feed is another line than the same one with it.
    lines[lines.length - 1] = `${lines.at(-1) ?? ""}${openMark}`;
  } else lines.pop();
  return { lines, isOpen };
}

/** Stands for the missing line feed while lines are compared; no line holds a line feed. */
const openMark = "\n";

/** A range of old lines that a range of new ones takes the place of; ends are exclusive. */
interface Edit {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** The edits in order: the shortest ones where the budget is enough for that (`isExact`), else one of everything between. */
function editsOf(
  old: readonly string[],
  now: readonly string[],
  budget: { left: number },
): { readonly edits: readonly Edit[]; readonly isExact: boolean } {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let [oldEnd, newEnd] = [old.length, now.length];
  while (oldEnd > start && newEnd > start && old[oldEnd - 1] === now[newEnd - 1]) {
    oldEnd -= 1;
    newEnd -= 1;
  }
  if (oldEnd === start && newEnd === start) return { edits: [], isExact: true };
  const whole = { oldStart: start, oldEnd, newStart: start, newEnd };
  if (oldEnd === start || newEnd === start) return { edits: [whole], isExact: true };
  const [a, b] = numbered(old.slice(start, oldEnd), now.slice(start, newEnd));
  const affordable = Math.floor(Math.max(0, budget.left) / (a.length + b.length));
  const changes = diffArrays(a, b, { maxEditLength: Math.min(editsMax, affordable), timeout: timeoutMs });
  const taken = changes?.reduce((sum, { count, added, removed }) => sum + (added || removed ? count : 0), 0);
  budget.left -= (a.length + b.length) * (taken ?? affordable);
  return changes === undefined ? { edits: [whole], isExact: false } : { edits: editsIn(changes, start), isExact: true };
}

/** Lines as numbers, equal where they are. */
function numbered(old: readonly string[], now: readonly string[]): readonly [number[], number[]] {
  const numbers = new Map<string, number>();
  const numberOf = (line: string): number => {
    const known = numbers.get(line) ?? numbers.size;
    numbers.set(line, known);
    return known;
  };
  return [old.map(numberOf), now.map(numberOf)];
}

/** The changes in order, as ranges behind `start`. */
function editsIn(changes: readonly ChangeObject<readonly number[]>[], start: number): readonly Edit[] {
  const edits: Edit[] = [];
  let [old, now] = [start, start];
  for (const { count, added, removed } of changes) {
    const [oldEnd, newEnd] = [added ? old : old + count, removed ? now : now + count];
    const last = edits.at(-1);
    // Lines that come right behind those that go take their place.
    if (added && last !== undefined && last.oldEnd === old && last.newEnd === now)
      edits[edits.length - 1] = { ...last, newEnd };
    else if (added || removed) edits.push({ oldStart: old, oldEnd, newStart: now, newEnd });
    [old, now] = [oldEnd, newEnd];
  }
  return edits;
}

/** Edits whose surroundings meet are in one hunk. */
function groupsOf(edits: readonly Edit[]): readonly (readonly Edit[])[] {
  const groups: Edit[][] = [];
  for (const edit of edits) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group !== undefined && last !== undefined && edit.oldStart - last.oldEnd <= 2 * contextLines) group.push(edit);
    else groups.push([edit]);
  }
  return groups;
}

function hunkOf(group: readonly Edit[], old: Lines, now: Lines): Hunk {
  const [first, last] = [group[0], group.at(-1)];
  const [oldFirst, newFirst] = [first?.oldStart ?? 0, first?.newStart ?? 0];
  const before = Math.min(contextLines, oldFirst);
  const after = Math.min(contextLines, old.lines.length - (last?.oldEnd ?? 0));
  const [from, to] = [oldFirst - before, (last?.oldEnd ?? 0) + after];
  const lines: DiffLine[] = [];
  let [x, y] = [from, newFirst - before];
  const keep = (until: number) => {
    for (; x < until; x += 1, y += 1) lines.push(lineOf(" ", x, y, old.lines[x]));
  };
  for (const { oldStart, oldEnd, newEnd } of group) {
    keep(oldStart);
    for (; x < oldEnd; x += 1) lines.push(lineOf("-", x, null, old.lines[x]));
    for (; y < newEnd; y += 1) lines.push(lineOf("+", null, y, now.lines[y]));
  }
  keep(to);
  const [oldLines, newLines] = [to - from, y - (newFirst - before)];
  return {
    // As git counts: an empty side begins with the line before it.
    oldStart: oldLines === 0 ? from : from + 1,
    oldLines,
    newStart: newLines === 0 ? newFirst - before : newFirst - before + 1,
    newLines,
    heading: headingBefore(old.lines, from),
    lines,
  };
}

function lineOf(op: DiffLine["op"], old: number | null, now: number | null, line = ""): DiffLine {
  const isOpen = line.endsWith(openMark);
  return {
    op,
    old: old === null ? null : old + 1,
    new: now === null ? null : now + 1,
    text: isOpen ? line.slice(0, -openMark.length) : line,
    ...(isOpen ? { noNewline: true as const } : {}),
  };
}

function shortened(hunk: Hunk): Hunk {
  const lines = hunk.lines.map((line) =>
    line.text.length > lineCharactersMax
      ? { ...line, text: line.text.slice(0, lineCharactersMax).toWellFormed() }
      : line,
  );
  return { ...hunk, lines };
}

/** How far back a heading is looked for. */
const headingLinesMax = 2_000;

function headingBefore(lines: readonly string[], from: number): string {
  for (let at = from - 1; at >= Math.max(0, from - headingLinesMax); at -= 1) {
    const line = lines[at] ?? "";
    if (/^[A-Za-z_$]/.test(line)) return line.slice(0, headingCharactersMax).toWellFormed().trimEnd();
  }
  return "";
}
