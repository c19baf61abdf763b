/**
 * Which deleted files live on under another name: with the same content, or with one that is at least half the same, as
 * git itself counts it. Contents are read object by object, each held to its hash. The pieces of the old contents are kept
 * in one index, so that each new content is looked at once and not once for each old one. The work is bounded: what is not
 * compared counts as deleted and added. Everything else that is ready runs between its slices.
 * Source: docs/protocol/verdicts.md, section 8.
 */
import { ownTurn } from "../../base/clock.ts";
import type { Meter } from "../../base/paths/glob-matching.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { ChangedPath } from "./changed-paths.ts";
import { linkMode, submoduleMode } from "./git-objects.ts";
import type { ObjectReader } from "./object-reader.ts";

/** Most contents that are read on each side, and the largest; beyond that only equal contents are a rename. */
const comparedMax = 300;
const contentBytesMax = 1024 * 1024;
/** How much of the larger content both must share. */
const sharedMin = 0.5;
/** Longest piece of a content that counts as one; a line feed ends one too. */
const pieceBytesMax = 64;
/** Most entries of the index. */
const indexedMax = 500_000;
/** Work of one comparison, some tenths of a second: to look a piece up is so many steps, to add up what is shared one. */
export const renameStepsMax = 120_000_000;
const pieceSteps = 16;
/** Work that is done before others have their turn, some milliseconds. */
export const renameTurnSteps = 50_000;

export interface RenameOptions {
  /** Ends the work with `interrupted`. */
  readonly signal?: AbortSignal;
  /** Counts the steps that are taken. */
  readonly meter?: Meter;
  /** Takes the paths of `deleted` that may be renames and were not compared with all of `added`. */
  readonly unsure?: Set<string>;
}

/**
 * The paths of `deleted` that are the old sides of renames, each with its path of `added`, which is used once. Refuses
 * `interrupted`, and what reading objects refuses.
 */
export async function renamedPaths(
  objects: ObjectReader,
  deleted: readonly ChangedPath[],
  added: readonly ChangedPath[],
  { signal, meter = { steps: 0 }, unsure = new Set() }: RenameOptions = {},
): Promise<Result<ReadonlyMap<string, string>, Problem>> {
  const { renamed, old, free } = withSameContent(deleted, added);
  const isFile = (mode: string): boolean => mode !== linkMode && mode !== submoduleMode;
  const sources = old.filter(({ mode }) => isFile(mode.before));
  const targets = free.filter(({ mode }) => isFile(mode.after));
  if (sources.length === 0 || targets.length === 0) return ok(renamed);
  if (sources.length > comparedMax || targets.length > comparedMax) {
    if (sources.length <= targets.length) for (const { path } of sources) unsure.add(path);
    return ok(renamed);
  }
  const work: Work = { objects, meter, signal, isOver: false, turnAt: renameTurnSteps };
  const index = await indexOf(
    work,
    sources.map(({ content }) => content.before),
  );
  if (!index.ok) return index;
  const pairs: Pair[] = [];
  let largest = 0;
  for (const [target, { content }] of targets.entries()) {
    const read = await contentOf(work, content.after);
    if (!read.ok) return read;
    largest = Math.max(largest, read.value?.length ?? Number.POSITIVE_INFINITY);
    const found = await pairsWith(work, index.value, read.value ?? nothing);
    for (const { source, shared } of found) pairs.push({ source, target, shared });
  }
  if (signal?.aborted === true) return err(interrupted);
  const used = new Set<number>();
  for (const { source, target } of pairs.toSorted(byShared)) {
    const [from, to] = [sources[source], targets[target]];
    if (from === undefined || to === undefined || renamed.has(from.path) || used.has(target)) continue;
    used.add(target);
    renamed.set(from.path, to.path);
  }
  const { sizes, end } = index.value;
  const left = sources.flatMap(({ path }, source): readonly string[] => {
    const size = sizes[source] ?? 0;
    const isCut = work.isOver || source >= end || isBeyond(size, largest);
    return isCut && !renamed.has(path) ? [path] : [];
  });
  // More of them than there are names to live on under: some are deleted, and nobody has to know which.
  if (left.length <= targets.length - used.size) for (const path of left) unsure.add(path);
  return ok(renamed);
}

/** Whether one is too large to be compared, and the other not too small to be at least half of it. */
function isBeyond(one: number, other: number): boolean {
  return Math.max(one, other) === Number.POSITIVE_INFINITY && Math.min(one, other) >= contentBytesMax * sharedMin;
}

const interrupted = makeProblem("interrupted", "commit", "Looking for renamed files was cancelled.");

/** Pairs of paths whose contents have one id, and what is left of both sides. */
function withSameContent(
  deleted: readonly ChangedPath[],
  added: readonly ChangedPath[],
): {
  readonly renamed: Map<string, string>;
  readonly old: readonly ChangedPath[];
  readonly free: readonly ChangedPath[];
} {
  const renamed = new Map<string, string>();
  const free = new Map(added.map((change) => [change.path, change]));
  // Of each content the first path is taken first.
  const paths = new Map<string, string[]>();
  for (const { path, content } of [...free.values()].toReversed()) {
    const same = paths.get(content.after);
    if (same === undefined) paths.set(content.after, [path]);
    else same.push(path);
  }
  const old = deleted.filter((change) => {
    const same = paths.get(change.content.before)?.pop();
    if (same === undefined) return true;
    free.delete(same);
    renamed.set(change.path, same);
    return false;
  });
  return { renamed, old, free: [...free.values()] };
}

interface Work {
  readonly objects: ObjectReader;
  readonly meter: Meter;
  readonly signal: AbortSignal | undefined;
  /** Nothing more is compared: the steps are used up, or nobody waits for the answer. */
  isOver: boolean;
  /** The count of steps at which others have their turn. */
  turnAt: number;
}

/** Lets others have their turn where it is time; whether the work may go on. */
async function mayGoOn(work: Work): Promise<boolean> {
  if (work.meter.steps >= work.turnAt) {
    await ownTurn();
    work.turnAt = work.meter.steps + renameTurnSteps;
  }
  work.isOver ||= work.meter.steps >= renameStepsMax || work.signal?.aborted === true;
  return !work.isOver;
}

/** Which contents have a piece: the number of one, the bytes in its pieces that are this one, and so on. */
type Owners = number[];

interface PieceIndex {
  readonly owners: ReadonlyMap<string, Owners>;
  /** The bytes of each content; 0: it is not in the index; infinite: it is too large for it. */
  readonly sizes: readonly number[];
  /** How many of the contents were looked at, the first ones. */
  readonly end: number;
}

/** The index of these contents. One that is not there, too large, or beyond the bounds is not in it. */
async function indexOf(work: Work, ids: readonly string[]): Promise<Result<PieceIndex, Problem>> {
  const owners = new Map<string, Owners>();
  const sizes = ids.map(() => 0);
  let entries = 0;
  for (const [number, id] of ids.entries()) {
    if (entries >= indexedMax) return ok({ owners, sizes, end: number });
    const read = await contentOf(work, id);
    if (!read.ok) return read;
    if (read.value === null) {
      sizes[number] = Number.POSITIVE_INFINITY;
      continue;
    }
    const isWhole = await eachPiece(work, read.value, (piece) => {
      const known = owners.get(piece);
      if (known?.at(-2) === number) known[known.length - 1] = (known.at(-1) ?? 0) + piece.length;
      else {
        entries++;
        if (known === undefined) owners.set(piece, [number, piece.length]);
        else known.push(number, piece.length);
      }
    });
    if (!isWhole) break;
    sizes[number] = read.value.length;
  }
  return ok({ owners, sizes, end: ids.length });
}

/** An old and a new file by their numbers, and the part of the larger one that both have. */
interface Pair {
  readonly source: number;
  readonly target: number;
  readonly shared: number;
}

function byShared(a: Pair, b: Pair): number {
  return b.shared - a.shared || a.source - b.source || a.target - b.target;
}

/** The contents of the index that share enough with this one. */
async function pairsWith(
  work: Work,
  { owners, sizes }: PieceIndex,
  content: Buffer,
): Promise<readonly Omit<Pair, "target">[]> {
  const bytes = new Map<Owners, number>();
  const isWhole = await eachPiece(work, content, (piece) => {
    const known = owners.get(piece);
    if (known !== undefined) bytes.set(known, (bytes.get(known) ?? 0) + piece.length);
  });
  if (!isWhole) return [];
  const shared = new Float64Array(sizes.length);
  for (const [known, count] of bytes) {
    if (work.meter.steps >= work.turnAt && !(await mayGoOn(work))) return [];
    for (let at = 0; at < known.length; at += 2) {
      const source = known[at] ?? 0;
      shared[source] = (shared[source] ?? 0) + Math.min(count, known[at + 1] ?? 0);
    }
    work.meter.steps += known.length / 2;
  }
  const found: Omit<Pair, "target">[] = [];
  for (const [source, size] of sizes.entries()) {
    const part = (shared[source] ?? 0) / Math.max(size, content.length);
    if (size > 0 && part >= sharedMin) found.push({ source, shared: part });
  }
  return found;
}

/** The content; empty where there is none, and where the work is over; null: it is too large. */
async function contentOf(work: Work, id: string): Promise<Result<Buffer | null, Problem>> {
  if (!(await mayGoOn(work))) return ok(nothing);
  const object = await work.objects.read(id, contentBytesMax);
  if (!object.ok) return object.error.code === "too-large" ? ok(null) : object;
  return ok(typeof object.value === "string" ? nothing : object.value.content);
}

const nothing = Buffer.alloc(0);

const lineFeed = 0x0a;

/** Gives `take` each piece of the content; false: the work was over before. */
async function eachPiece(work: Work, content: Buffer, take: (piece: string) => void): Promise<boolean> {
  for (let at = 0, feed = -1; at < content.length; ) {
    if (work.meter.steps >= work.turnAt && !(await mayGoOn(work))) return false;
    // Each line feed is looked for once, also where there is none.
    if (feed < at) feed = content.indexOf(lineFeed, at);
    if (feed < 0) feed = content.length;
    const end = Math.min(feed + 1, at + pieceBytesMax, content.length);
    take(content.toString("latin1", at, end));
    work.meter.steps += pieceSteps;
    at = end;
  }
  return !work.isOver;
}
