/**
 * The work of a report, file by file: what it added and took away, as counts of lines and words that differ before and
 * after. Formatting does not count, nor does order. `statusOf` says what of it a version of the file has. Neither asks
 * for any history. Rules: docs/protocol/verdicts.md.
 */
import { nextTurn } from "../../base/clock.ts";
import type { FileWork } from "../state.ts";

/** What a version of a file has of the work. `unknown`: neither side's content, and no text to compare. */
export type FileStatus = "kept" | "changed" | "gone" | "unknown";

/** The same, and whether so much of it is there that the commit can be said to hold the work. */
export interface Seen {
  readonly status: FileStatus;
  readonly holds: boolean;
  /** Whether half of its lines or words are there: enough where history says that they are this work's. */
  readonly hasHalf: boolean;
}

/** Most lines and words of a file that are kept. */
const linesMax = 400;
const wordsMax = 100;
/** How much text is counted before others have their turn. */
const pieceCharacters = 65_536;

/** A line or word by its key, and how often it is there before and after. */
export type Delta = readonly [key: string, before: number, after: number];

/** Whether an id stands for nothing: the file is not there. */
export const isNone = (id: string): boolean => /^0+$/.test(id);

/** How often each line and word is in a text, by its key. */
export interface Counted {
  readonly lines: ReadonlyMap<string, number>;
  readonly words: ReadonlyMap<string, number>;
}

const plain = (line: string): string => line.replace(/[\s;,'"`]+/g, "");

interface Counts {
  readonly lines: Map<string, number>;
  readonly words: Map<string, number>;
}

async function countsOf(text: string): Promise<Counts> {
  const counts: Counts = { lines: new Map(), words: new Map() };
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + pieceCharacters, text.length);
    if (end < text.length) {
      const line = text.indexOf("\n", end);
      end = line < 0 ? text.length : line + 1;
    }
    const piece = text.slice(at, end);
    for (const line of piece.split("\n")) add(counts.lines, plain(line));
    for (const word of piece.match(/[\p{L}\p{N}_$]+/gu) ?? []) add(counts.words, word);
    at = end;
    if (at < text.length) await nextTurn();
  }
  return counts;
}

function add(counts: Map<string, number>, item: string): void {
  if (item !== "") counts.set(item, (counts.get(item) ?? 0) + 1);
}

/** The counts of a text, to compare work with. */
export async function countedOf(text: string): Promise<Counted> {
  const { lines, words } = await countsOf(text);
  const keyed = (counts: ReadonlyMap<string, number>) =>
    new Map([...counts].map(([item, count]) => [keyOf(item), count]));
  return { lines: keyed(lines), words: keyed(words) };
}

/** 53 bits of a line, word or path: enough to tell those of one file or commit apart, and quick. */
export function keyOf(text: string): string {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
}

/**
 * What differs between two texts, as `FileWork` keeps it; nothing where only order and white space do. `most`: lines that
 * are kept.
 */
export async function sketchOf(
  before: string,
  after: string,
  most = linesMax,
): Promise<Pick<FileWork, "lines" | "words">> {
  const [old, now] = [await countsOf(before), await countsOf(after)];
  const lines = differing(old.lines, now.lines);
  if (lines.length === 0) return {};
  const words = differing(old.words, now.words);
  const fresh = words.filter(([, b, a]) => b === 0 || a === 0);
  return {
    lines: joined(telling(lines, most)),
    words: joined(telling(fresh.length > 0 ? fresh : words, Math.min(wordsMax, most))),
  };
}

function differing(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): Delta[] {
  const found: Delta[] = [];
  for (const [item, a] of after) {
    const b = before.get(item) ?? 0;
    if (a !== b) found.push([item, b, a]);
  }
  for (const [item, b] of before) if (!after.has(item)) found.push([item, b, 0]);
  return found;
}

/** Those that tell most: with a letter or digit, else all; of too many an even choice that does not depend on order. */
function telling(all: readonly Delta[], most: number): readonly Delta[] {
  const worded = all.filter(([item]) => /[\p{L}\p{N}]/u.test(item));
  const keyed = (worded.length > 0 ? worded : all).map(([item, b, a]): Delta => [keyOf(item), b, a]);
  return keyed.length <= most ? keyed : keyed.toSorted((x, y) => (x[0] < y[0] ? -1 : 1)).slice(0, most);
}

/** `KEY` for what is new once, `-KEY` for what is gone and was there once, else `KEY.BEFORE.AFTER`. */
function joined(deltas: readonly Delta[]): string {
  return deltas
    .map(([key, b, a]) => (b === 0 && a === 1 ? key : b === 1 && a === 0 ? `-${key}` : `${key}.${b}.${a}`))
    .join(" ");
}

/** The lines or words that work added or took away; what is not written so is left out. */
export function deltasIn(text: string | undefined): readonly Delta[] {
  return (text ?? "").split(" ").flatMap((each): readonly Delta[] => {
    const [, minus, key = "", b, a] = /^(-?)([0-9a-z]+)(?:\.(\d+)\.(\d+))?$/.exec(each) ?? [];
    if (key === "") return [];
    if (b !== undefined) return [[key, Number(b), Number(a)]];
    return [minus === "-" ? [key, 1, 0] : [key, 0, 1]];
  });
}

interface Tally {
  added: number;
  kept: number;
  removed: number;
  back: number;
}

function tallyOf(deltas: readonly Delta[], now: ReadonlyMap<string, number>): Tally {
  const sum: Tally = { added: 0, kept: 0, removed: 0, back: 0 };
  for (const [key, before, after] of deltas) {
    const count = now.get(key) ?? 0;
    if (after > before) {
      sum.added += after - before;
      sum.kept += Math.min(Math.max(count - before, 0), after - before);
    } else {
      sum.removed += before - after;
      sum.back += Math.min(Math.max(count - after, 0), before - after);
    }
  }
  return sum;
}

const shareOf = ({ added, kept, removed, back }: Tally): number =>
  added > 0 ? kept / added : removed > 0 ? 1 - back / removed : 0;

export const seenAs = (status: FileStatus, holds = status === "kept", hasHalf = holds): Seen => ({
  status,
  holds,
  hasHalf,
});

/** A version of a file; `mode` absent: it is not known. */
export interface Version {
  readonly id: string;
  readonly mode?: string;
}

const emptyContents: ReadonlySet<string> = new Set([
  "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
  "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
]);

/** What a version (null: there is none) has of the work. `text` null: ids alone tell, or it is no text. */
export function statusOf(file: FileWork, now: Version | null, text: Counted | null): Seen {
  const { before, after } = file.content;
  if (now === null) return seenAs(isNone(after) ? "kept" : "gone");
  if (before === after) {
    if (now.mode === undefined || now.mode === file.mode.after) return seenAs("kept");
    return seenAs(now.mode === file.mode.before ? "gone" : "changed");
  }
  if (now.id === after) return seenAs("kept");
  if (now.id === before) return seenAs("gone");
  if (isNone(after)) return seenAs("changed");
  // A new file without content is there, whatever others wrote into it.
  if (isNone(before) && emptyContents.has(after)) return seenAs("changed", true);
  if (file.lines === undefined || text === null) return seenAs("unknown");
  const lines = tallyOf(deltasIn(file.lines), text.lines);
  const words = tallyOf(deltasIn(file.words), text.words);
  if (lines.kept === lines.added && lines.back === 0) return seenAs("kept");
  // Where lines were replaced, the old ones are back; where some were only added, no word of them is left.
  const isUndone = lines.kept === 0 && lines.back === lines.removed && (lines.removed > 0 || words.kept === 0);
  if (isUndone) return seenAs("gone");
  const ofWords = words.added > 0 ? shareOf(words) : 0;
  const holds = shareOf(lines) >= 0.5 || ofWords >= 0.95;
  return seenAs("changed", holds, holds || ofWords >= 0.5);
}

/** Whether a commit holds the work: nothing of it is gone there, and it has most of it. */
export function isHeld(seen: readonly Seen[]): boolean {
  return hasMost(seen) && !seen.some(({ status }) => status === "gone");
}

/** Whether a commit has most of the work in at least half of the files that can be told. */
export function hasMost(seen: readonly Seen[]): boolean {
  const told = seen.filter(({ status }) => status !== "unknown");
  return told.length > 0 && 2 * told.filter(({ holds }) => holds).length >= told.length;
}

/** What the files have in common; `changed`: nothing. */
export function wholeOf(seen: readonly Seen[]): FileStatus {
  const alike = (["kept", "gone", "unknown"] as const).find((each) => seen.every(({ status }) => status === each));
  return alike ?? "changed";
}

/** How much of what was done to a file another work did to it as well, from 0 to 1. */
export function shareIn(file: FileWork, other: FileWork | undefined): number {
  if (other === undefined) return 0;
  if (file.lines === undefined || other.lines === undefined)
    return file.content.after === other.content.after && file.mode.after === other.mode.after ? 1 : 0;
  const theirs = new Map(deltasIn(other.lines).map(([key, b, a]) => [key, a - b]));
  const own = deltasIn(file.lines);
  const same = own.filter(([key, b, a]) => {
    const done = theirs.get(key) ?? 0;
    return a > b ? done >= a - b : done <= a - b;
  });
  return own.length === 0 ? 0 : same.length / own.length;
}

/** The part of a file's work that the other work did not do to it as well; null: none of it is another. */
export function besides(file: FileWork, other: FileWork): FileWork | null {
  const rest = (own: string | undefined, theirs: string | undefined) => {
    const known = new Set(deltasIn(theirs).map(([key, b, a]) => `${key} ${a > b}`));
    return deltasIn(own).filter(([key, b, a]) => !known.has(`${key} ${a > b}`));
  };
  const lines = rest(file.lines, other.lines);
  return lines.length === 0 ? null : { ...file, lines: joined(lines), words: joined(rest(file.words, other.words)) };
}

/** Whether `later` takes away lines that `file` brought, and puts others in their place. */
export function replaces(later: FileWork, file: FileWork): boolean {
  const brought = new Set(deltasIn(file.lines).flatMap(([key, b, a]) => (a > b ? [key] : [])));
  const deltas = deltasIn(later.lines);
  return deltas.some(([key, b, a]) => a < b && brought.has(key)) && deltas.some(([, b, a]) => a > b);
}
