/**
 * One team's entries in the memory of this process: reading and searching them, and keeping their fold correct, also when
 * `evolve` throws.
 */
import { pageLimit } from "./attempt.ts";
import type { Sealed } from "./chain.ts";
import type { Entry, Page } from "./entry.ts";
import { advance, emptyFold, type Fold, holdersOf, inboxAfter } from "./fold.ts";
import type { Found, Projection, ReadOptions, SearchOptions } from "./journal.ts";
import { isFound, scanRows } from "./searching.ts";

/** The entries of one team, with what is folded from them. */
export interface Stream<State> {
  fold: Fold<State>;
  readonly sealed: Sealed[];
}

/** One step of a search: as many entries as are looked through at once. */
export function searchStep<State>(
  stream: Stream<State> | undefined,
  projection: Projection<State>,
  { text, after = 0, before = Number.POSITIVE_INFINITY, newestFirst = false }: SearchOptions,
): Found {
  const first = Math.max(0, after);
  const end = Math.max(first, Math.min(before - 1, stream?.fold.head.seq ?? 0));
  const [from, to] = newestFirst ? [Math.max(first, end - scanRows), end] : [first, Math.min(end, first + scanRows)];
  const entries = stream === undefined ? [] : entriesWithin(stream, from, to);
  const found = entries.filter((entry) => isFound(projection, entry, text));
  const isOver = newestFirst ? from === first : to === end;
  const next = newestFirst ? from + 1 : to;
  return { entries: newestFirst ? found.toReversed() : found, next: isOver ? null : next, examined: entries.length };
}

/** The entry of that number; null: there is none, or the stream begins behind it. */
export function entryAt(stream: Stream<unknown>, seq: number | null): Entry | null {
  return seq === null ? null : (stream.sealed[seq - 1 - missingBefore(stream)]?.entry ?? null);
}

/** How many entries before its first the stream lacks, because an older journal gave them up to an archive. */
function missingBefore({ sealed }: Stream<unknown>): number {
  return (sealed[0]?.entry.seq ?? 1) - 1;
}

/** The entries above `after` up to `upTo`. */
function entriesWithin(stream: Stream<unknown>, after: number, upTo: number): readonly Entry[] {
  const [from, to] = [after, upTo].map((seq) => Math.max(0, seq - missingBefore(stream)));
  return stream.sealed.slice(from, to).map(({ entry }) => entry);
}

/** The entries that hold the id. */
export function findEntries(stream: Stream<unknown> | undefined, id: string): readonly Entry[] {
  return stream === undefined ? [] : holdersOf(stream.fold.held, id).flatMap((seq) => entryAt(stream, seq) ?? []);
}

/** Moves the stream's fold; when `evolve` throws, the half-changed state is folded afresh and the error passed on. */
export function advanceOrRefold<State>(stream: Stream<State>, projection: Projection<State>, entry: Entry): void {
  try {
    advance(stream.fold, projection, entry);
  } catch (error) {
    stream.fold = foldOf(stream, projection);
    throw error;
  }
}

/** The fold of all entries that are kept. */
export function foldOf<State>(stream: Stream<State>, projection: Projection<State>): Fold<State> {
  const fold = emptyFold(projection);
  for (const { entry } of stream.sealed) advance(fold, projection, entry);
  return fold;
}

/** A page of the stream, or of a receiver's inbox. */
export function readPage<State>(stream: Stream<State> | undefined, options: ReadOptions): Page {
  if (stream === undefined) return { entries: [], next: null };
  const limit = pageLimit(options.limit);
  const after = Math.max(0, options.after ?? 0);
  if (options.receiver !== undefined) {
    const { seqs, more } = inboxAfter(stream.fold, options.receiver, after, limit);
    const entries = seqs.flatMap((seq) => entryAt(stream, seq) ?? []);
    return { entries, next: more ? (seqs.at(-1) ?? null) : null };
  }
  const from = Math.max(after, missingBefore(stream));
  const entries = entriesWithin(stream, from, from + limit);
  return { entries, next: from + limit < stream.fold.head.seq ? from + limit : null };
}
