/**
 * Reading: a team's fold brought to the head, and pages of entries. No read transaction outlives a call, a page has
 * at most `pageRowsMax` rows and about `pageBytesMax` bytes, and long folds let the event loop run between pages.
 */
import { nextTurn } from "../../base/clock.ts";
import { messageId, type TeamName } from "../../base/ids.ts";
import { pageRowsMax } from "../../base/limits.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { pageLimit } from "../attempt.ts";
import { broken, checkLink } from "../chain.ts";
import type { Entry, Page } from "../entry.ts";
import { advance, emptyFold, type Fold, inboxAfter } from "../fold.ts";
import type { ReadOptions } from "../journal.ts";
import { placeEnd, placeOf } from "./connection.ts";
import { dropIndexed, findHolders, hasIndexGoneBack, idsBetweenLooks, readBoundary } from "./id-index.ts";
import { loadSnapshot } from "./snapshot.ts";
import {
  checkAscent,
  dataVersion,
  entryOf,
  entryRow,
  failStop,
  type KeptFold,
  reading,
  type Store,
  teamNumber,
} from "./store.ts";

/** A page ends once its entries reach this size: reading it takes a few milliseconds. */
const pageBytesMax = 512 * 1024;
/** Entries that are folded in one turn of the event loop, where nobody holds a lock. */
const foldRows = 200;

/** Brings the fold at most `rowsMax` entries forward. `isAtHead`: nothing more was there. */
export function foldSome<State>(
  store: Store<State>,
  team: TeamName,
  rowsMax: number = pageRowsMax,
): Result<{ readonly kept: KeptFold<State>; readonly isAtHead: boolean }, Problem> {
  const version = dataVersion(store);
  const number = teamNumber(store, team);
  if (number === null) {
    return ok({ kept: keptFold(emptyFold(store.projection), version), isAtHead: true });
  }
  const kept = store.folds.get(team) ?? keepFold(store, team, number);
  kept.unusedSince = null;
  if (kept.dataVersion === version) return ok({ kept, isAtHead: true });
  const gone = checkKept(store, team, number, kept);
  if (gone !== null) return err(gone);
  const rows = store.statements.entriesAfter.all(placeOf(number, kept.fold.head.seq), placeEnd(number), rowsMax);
  for (const row of rows) {
    const entry = entryOf(store, entryRow(row));
    if (!entry.ok) return entry;
    const problem = checkLink(team, kept.fold.head, entry.value);
    if (problem !== null) return err(failStop(store, problem));
    advanceOrForget(store, team, kept, entry.value);
  }
  const isAtHead = rows.length < rowsMax;
  if (isAtHead) kept.dataVersion = version;
  dropIndexed(store, number, kept);
  return ok({ kept, isAtHead });
}

/** Moves the fold over an entry; when `evolve` throws, the half-changed state is dropped before the error goes on. */
export function advanceOrForget<State>(store: Store<State>, team: TeamName, kept: KeptFold<State>, entry: Entry): void {
  try {
    advance(kept.fold, store.projection, entry);
  } catch (error) {
    store.folds.delete(team);
    throw error;
  }
}

/**
 * The entry that the fold is on must still be there, and the ids that the fold dropped: a file replaced under us would
 * let a gap or a duplicate be written.
 */
function checkKept(store: Store<unknown>, team: TeamName, number: number, kept: KeptFold<unknown>): Problem | null {
  const { head } = kept.fold;
  const isThere = head.seq === 0 || store.statements.hashAt.get(placeOf(number, head.seq))?.hash === head.hash;
  if (isThere && !hasIndexGoneBack(store, number, kept.fold)) return null;
  const problem = broken(`${team}/${head.seq}`, "What this process had read is no longer in the file.");
  return failStop(store, problem);
}

function keepFold<State>(store: Store<State>, team: TeamName, number: number): KeptFold<State> {
  const loaded = loadSnapshot(store, number);
  // Asked after the snapshot, with which the boundary moves; it may have moved on since, but never back.
  const indexed = readBoundary(store, number);
  if (loaded !== null && indexed !== null && indexed < loaded.head.seq)
    failStop(store, broken(`${store.path} index of team ${number}`, "The index of ids has gone back."));
  // With an index that cannot be trusted everything is folded, which finds every id without it.
  const isTrusted = indexed !== null && indexed >= (loaded?.head.seq ?? 0);
  const fold = isTrusted && loaded !== null ? loaded : emptyFold(store.projection);
  fold.held.above = isTrusted ? indexed : 0;
  const kept = keptFold(fold, -1);
  store.folds.set(team, kept);
  return kept;
}

function keptFold<State>(fold: Fold<State>, dataVersion: number): KeptFold<State> {
  return { fold, dataVersion, snapshotSeq: fold.head.seq, lookAtIds: idsBetweenLooks, unusedSince: null };
}

/** The fold at the head, in one go; for callers that hold the write lock. */
export function foldNow<State>(store: Store<State>, team: TeamName): Result<KeptFold<State>, Problem> {
  for (;;) {
    const step = foldSome(store, team);
    if (!step.ok) return step;
    if (step.value.isAtHead) return ok(step.value.kept);
  }
}

/** The fold at the head, page by page, without a lock. */
export async function foldToHead<State>(
  store: Store<State>,
  team: TeamName,
): Promise<Result<KeptFold<State>, Problem>> {
  for (;;) {
    const step = await reading(store, () => foldSome(store, team, foldRows));
    if (!step.ok) return step;
    if (step.value.isAtHead) return ok(step.value.kept);
    await nextTurn();
  }
}

/** One page of the team's entries, or of those addressed to a receiver. */
export async function readPage<State>(
  store: Store<State>,
  team: TeamName,
  options: ReadOptions,
): Promise<Result<Page, Problem>> {
  const limit = pageLimit(options.limit);
  const after = Math.max(0, options.after ?? 0);
  const { receiver } = options;
  if (receiver === undefined) return reading(store, () => readStream(store, team, after, limit));
  const kept = await foldToHead(store, team);
  if (!kept.ok) return kept;
  const { seqs, more } = inboxAfter(kept.value.fold, receiver, after, limit);
  return reading(store, () => readSeqs(store, team, seqs, more));
}

function readStream<State>(store: Store<State>, team: TeamName, after: number, limit: number): Result<Page, Problem> {
  const number = teamNumber(store, team);
  if (number === null) return ok({ entries: [], next: null });
  // One row more than asked for tells whether there is a next page.
  const rows = store.statements.entriesAfter.iterate(placeOf(number, after), placeEnd(number), limit + 1);
  return readRows(store, rows, { after, limit });
}

function readRows(
  store: Store<unknown>,
  rows: Iterable<Record<string, unknown>>,
  { after, limit }: { readonly after: number; readonly limit: number },
): Result<Page, Problem> {
  const entries: Entry[] = [];
  let bytes = 0;
  for (const row of rows) {
    if (entries.length === limit || bytes >= pageBytesMax) return ok({ entries, next: entries.at(-1)?.seq ?? null });
    const { text, ...rest } = entryRow(row);
    const entry = entryOf(store, { text, ...rest });
    if (!entry.ok) return entry;
    const circle = checkAscent(store, entries.at(-1)?.seq ?? after, entry.value);
    if (circle !== null) return err(circle);
    entries.push(entry.value);
    bytes += text.length;
  }
  return ok({ entries, next: null });
}

/** The entries above `after` up to `upTo`, as many as one page holds; `next` null: all of them. */
export function readRange<State>(
  store: Store<State>,
  number: number,
  after: number,
  upTo: number,
): Result<Page, Problem> {
  return readRows(store, store.statements.entriesAfter.iterate(placeOf(number, after), placeOf(number, upTo + 1), -1), {
    after,
    limit: Number.POSITIVE_INFINITY,
  });
}

function readSeqs<State>(
  store: Store<State>,
  team: TeamName,
  seqs: readonly number[],
  more: boolean,
): Result<Page, Problem> {
  const number = teamNumber(store, team);
  const entries: Entry[] = [];
  let bytes = 0;
  for (const seq of seqs) {
    const row = number === null ? undefined : store.statements.entryAt.get(placeOf(number, seq));
    if (row === undefined) continue; // The fold moved on while we waited for a lock and was dropped; the next page shows it.
    if (bytes >= pageBytesMax) return ok({ entries, next: entries.at(-1)?.seq ?? null });
    const known = entryRow(row);
    const entry = entryOf(store, known);
    if (!entry.ok) return entry;
    entries.push(entry.value);
    bytes += known.text.length;
  }
  return ok({ entries, next: more ? (seqs.at(-1) ?? null) : null });
}

/** The entries that hold `id` for any agent, the latest first; see `Journal.find`. */
export async function findEntries<State>(
  store: Store<State>,
  team: TeamName,
  id: string,
): Promise<Result<readonly Entry[], Problem>> {
  if (messageId(id) === null) return ok([]);
  // A long fold lets others run; what came since, or a fold dropped meanwhile, is folded in one go with the look-up.
  const folded = await foldToHead(store, team);
  if (!folded.ok) return folded;
  return reading(store, () => {
    const kept = foldNow(store, team);
    const number = teamNumber(store, team);
    if (!kept.ok || number === null) return kept.ok ? ok([]) : kept;
    return findHolders(store, number, kept.value.fold, { team, id });
  });
}
