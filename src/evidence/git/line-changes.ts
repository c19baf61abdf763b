/**
 * Which lines a change takes out of a file and which it brings, wherever they are, as a digest: a change that was picked
 * elsewhere has the same. Contents of several megabytes are compared in short pieces, so that no request waits for them.
 * Source: docs/protocol/verdicts.md.
 */
import { createHash } from "node:crypto";
import { ownTurn } from "../../base/clock.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { ChangedPath } from "./changed-paths.ts";
import type { ObjectReader } from "./object-reader.ts";

/** Largest content whose lines are compared; a larger one is the same only where its id is. */
const contentBytesMax = 4 * 1024 * 1024;

/** Whether two changes of a file take away and add the same lines, wherever they are. */
export async function isSameChange(
  { objects }: { readonly objects: ObjectReader },
  one: ChangedPath,
  other: ChangedPath,
): Promise<Result<boolean, Problem>> {
  if (one.change !== other.change || one.mode.after !== other.mode.after) return ok(false);
  if (one.content.after === other.content.after && one.content.before === other.content.before) return ok(true);
  const [mine, theirs] = [await lineChanges(objects, one), await lineChanges(objects, other)];
  if (!mine.ok) return mine;
  if (!theirs.ok) return err(theirs.error);
  return ok(mine.value !== null && mine.value === theirs.value);
}

/** Digests that were made with a reader, by the ids of both sides: a report is compared with many, and each with many. */
const known = new WeakMap<ObjectReader, Map<string, string | null>>();

/** A digest of the lines; null: a side is too large or not there. Refuses what reading objects refuses. */
async function lineChanges(objects: ObjectReader, change: ChangedPath): Promise<Result<string | null, Problem>> {
  const { content, mode } = change;
  const sides = [
    /^0*$/.test(mode.before) ? null : content.before,
    /^0*$/.test(mode.after) ? null : content.after,
  ] as const;
  const key = sides.join(" ");
  const kept = known.get(objects) ?? new Map<string, string | null>();
  known.set(objects, kept);
  const found = kept.get(key);
  if (found !== undefined) return ok(found);
  const texts: Buffer[] = [];
  for (const id of sides) {
    const read = id === null ? null : await objects.read(id, contentBytesMax);
    if (read?.ok === false && read.error.code !== "too-large") return read;
    if (read?.ok === false || typeof read?.value === "string") return ok(null);
    texts.push(read?.value.content ?? Buffer.alloc(0));
  }
  const [before = Buffer.alloc(0), after = Buffer.alloc(0)] = texts;
  const digest = await digestOfLines(before, after, [sides[0] !== null, sides[1] !== null]);
  kept.set(key, digest);
  return ok(digest);
}

/** Bytes of a piece that is looked at in one go. */
const pieceBytes = 64 * 1024;
const linesTogether = 5_000;

/** A digest of the lines that one side has more often than the other, sorted; null: there are none. */
export async function digestOfLines(
  before: Buffer,
  after: Buffer,
  isThere: readonly [boolean, boolean],
): Promise<string | null> {
  const counts = new Map<string, number>();
  // What both begin with has the same lines. It ends with a whole line.
  const start = isThere[0] && isThere[1] ? await sameStart(before, after) : 0;
  if (isThere[0]) await countLines(counts, before, start, -1);
  if (isThere[1]) await countLines(counts, after, start, 1);
  const lines: string[] = [];
  let looked = 0;
  for (const [line, count] of counts) {
    if (count !== 0) lines.push(line);
    if (++looked % linesTogether === 0) await ownTurn();
  }
  if (lines.length === 0) return null;
  const hash = createHash("sha256");
  for (const [at, line] of (await sortedInTurns(lines)).entries()) {
    hash.update(`${counts.get(line) ?? 0} ${line.length}\n${line}\n`);
    if (at % linesTogether === linesTogether - 1) await ownTurn();
  }
  return hash.digest("hex");
}

/** How many bytes the sides have in common at their start, up to the end of a line. */
async function sameStart(one: Buffer, other: Buffer): Promise<number> {
  let same = 0;
  while (same < one.length && same < other.length) {
    const end = Math.min(same + pieceBytes, one.length, other.length);
    if (one.compare(other, same, end, same, end) !== 0) break;
    same = end;
    await ownTurn();
  }
  return same === 0 ? 0 : one.lastIndexOf(0x0a, same - 1) + 1;
}

/** Counts the lines from `start` on, a piece at a time. What is behind the last line feed is a line, too. */
async function countLines(counts: Map<string, number>, text: Buffer, start: number, step: number): Promise<void> {
  for (let at = start; at <= text.length; ) {
    const feed = text.indexOf(0x0a, Math.min(at + pieceBytes, text.length));
    const end = feed === -1 ? text.length : feed;
    for (const line of text.toString("latin1", at, end).split("\n")) counts.set(line, (counts.get(line) ?? 0) + step);
    at = end + 1;
    await ownTurn();
  }
}

/** Sorts as `toSorted` does, a piece at a time: sorted pieces are merged two by two. */
async function sortedInTurns(lines: readonly string[]): Promise<readonly string[]> {
  let sorted: (readonly string[])[] = [];
  for (let at = 0; at < lines.length; at += linesTogether) {
    sorted.push(lines.slice(at, at + linesTogether).sort());
    await ownTurn();
  }
  while (sorted.length > 1) {
    const merged: (readonly string[])[] = [];
    for (let at = 0; at < sorted.length; at += 2)
      merged.push(await mergeInTurns(sorted[at] ?? [], sorted[at + 1] ?? []));
    sorted = merged;
  }
  return sorted[0] ?? [];
}

async function mergeInTurns(one: readonly string[], other: readonly string[]): Promise<readonly string[]> {
  if (other.length === 0) return one;
  const merged: string[] = [];
  let [left, right] = [0, 0];
  while (left < one.length || right < other.length) {
    const [mine, theirs] = [one[left], other[right]];
    if (theirs === undefined || (mine !== undefined && mine <= theirs)) {
      merged.push(mine ?? "");
      left += 1;
    } else {
      merged.push(theirs);
      right += 1;
    }
    if (merged.length % (linesTogether * 2) === 0) await ownTurn();
  }
  return merged;
}
