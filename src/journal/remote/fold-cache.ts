/**
 * What this process has folded of a team, brought up to what the server has. Whatever is read begins at the entry on which
 * the fold is: if that is gone or another one is there, the server has lost entries.
 * Source: docs/protocol/record.md, sections 4 and 7.
 */

import { sha256 } from "../../base/canonical.ts";
import { nextTurn } from "../../base/clock.ts";
import type { TeamName } from "../../base/ids.ts";
import { pageRowsMax } from "../../base/limits.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { isArchived } from "../archive-notice.ts";
import { sameHead } from "../chain.ts";
import type { Entry, Head } from "../entry.ts";
import { advance, decodeInboxes, dropHeld, emptyFold, encodeInboxes, type Fold, noHeldIds } from "../fold.ts";
import type { Row } from "./backend.ts";
import { acceptsLossOf, asking, bellOf, entryOf, type KeptFold, linkProblem, noteHead, type Store } from "./store.ts";

/** Entries that are folded in one turn of the event loop. */
const foldRows = 200;

/** The team's fold as this process has it; one that is not there yet is begun from its snapshot. */
export async function keptFold<State>(store: Store<State>, team: TeamName): Promise<Result<KeptFold<State>, Problem>> {
  const known = store.folds.get(team);
  if (known !== undefined) return ok(known);
  const kept = await asking(store, () => store.backend.snapshot(team));
  if (!kept.ok) return kept;
  const text = kept.value?.text ?? null;
  const loaded = text === null ? null : decodeFold(store, team, text);
  const rows = loaded === null ? ok([]) : await asking(store, () => store.backend.rowsAt(team, [loaded.head.seq]));
  if (!rows.ok) return rows;
  // A snapshot counts only while the entry on which it was made is there.
  const isThere = loaded !== null && rows.value[0]?.hash === loaded.head.hash;
  const fold = isThere ? loaded : emptyFold(store.projection);
  const snapshot = { seq: fold.head.seq, characters: text?.length ?? 0 };
  const fresh: KeptFold<State> = { fold, snapshot, isChecked: false, signs: null, unusedSince: null };
  store.folds.set(team, fresh);
  return ok(fresh);
}

/**
 * Brings the fold to the head without a lock, page by page, and compares a new one with what this process saw before: the
 * team may be noted as regressed afterwards. Callers of one team take turns.
 */
export async function foldToHead<State>(
  store: Store<State>,
  team: TeamName,
): Promise<Result<KeptFold<State>, Problem>> {
  for (;;) {
    const kept = await keptFold(store, team);
    if (!kept.ok) return kept;
    const from = kept.value.fold.head.seq;
    const rows = await asking(store, () => store.backend.rows(team, { from, limit: pageRowsMax }));
    if (!rows.ok) return rows;
    const done = await applyRows(store, team, kept.value, rows.value);
    if (!done.ok) return done;
    if (done.value === "begin again") continue;
    if (rows.value.length < pageRowsMax) return await checked(store, team, kept.value);
  }
}

/**
 * Moves the fold over rows that were read from its head on. `begin again`: the server does not have that head any more,
 * so the fold was dropped.
 */
export async function applyRows<State>(
  store: Store<State>,
  team: TeamName,
  kept: KeptFold<State>,
  rows: readonly Row[],
): Promise<Result<"done" | "begin again", Problem>> {
  const { fold } = kept;
  const [first] = rows;
  if (fold.head.seq > 0 && (first?.seq !== fold.head.seq || first.hash !== fold.head.hash)) {
    store.folds.delete(team);
    return ok("begin again");
  }
  let count = 0;
  for (const row of rows) {
    if (row.seq <= fold.head.seq) continue;
    const entry = entryOf(store, team, row);
    if (!entry.ok) return entry;
    const problem = linkProblem(store, team, fold.head, entry.value);
    if (problem !== null) return err(problem);
    advanceOrForget(store, team, fold, entry.value);
    const seen = store.seen.get(team);
    if (seen !== undefined && acceptsLossOf(entry.value, seen)) forgetLoss(store, team, fold.head);
    count += 1;
    if (count % foldRows === 0) await nextTurn();
  }
  trimHeld(fold);
  return ok("done");
}

/** How many ids a fold holds at most, and at least then: a repeat mostly comes soon, and the server has all of them. */
const idsMax = 10_000;
const idsKept = 5_000;

function trimHeld({ held, head }: Fold<unknown>): void {
  if (held.latest.size > idsMax) dropHeld(held, head.seq - idsKept);
}

/** Moves the fold over an entry; when `evolve` throws, the half-changed state is dropped before the error goes on. */
export function advanceOrForget<State>(
  store: Store<State>,
  team: TeamName,
  fold: Fold<State>,
  entry: Parameters<typeof advance>[2],
): void {
  try {
    advance(fold, store.projection, entry);
  } catch (error) {
    store.folds.delete(team);
    throw error;
  }
}

/** The loss was accepted, here or by another process: what was seen of the lost entries counts no more. */
function forgetLoss(store: Store<unknown>, team: TeamName, head: Head): void {
  store.seen.set(team, head);
  store.regressions.delete(team);
}

/**
 * Compares the highest head that this process saw with the server: the entry must be there, or a later one must say that
 * its loss was accepted. Else the team is noted as regressed. The fold is at the head.
 */
async function checked<State>(
  store: Store<State>,
  team: TeamName,
  kept: KeptFold<State>,
): Promise<Result<KeptFold<State>, Problem>> {
  const { head } = kept.fold;
  const seen = store.seen.get(team);
  if (!kept.isChecked && seen !== undefined && !sameHead(seen, head)) {
    const rows = await asking(store, () => store.backend.rowsAt(team, [seen.seq]));
    if (!rows.ok) return rows;
    const isLost = rows.value[0]?.hash !== seen.hash;
    const accepted = isLost ? await findAcceptance(store, team, seen, rows.value.length === 0) : ok(true);
    if (!accepted.ok) return accepted;
    if (!accepted.value) {
      store.regressions.set(team, { head, anchor: seen });
      return ok(kept);
    }
    if (isLost) store.seen.set(team, head);
  }
  kept.isChecked = true;
  store.regressions.delete(team);
  noteHead(store, team, head);
  return ok(kept);
}

/**
 * Whether an entry behind `seen` says that its loss was accepted, or that it is in an archive; a fold from a snapshot may
 * have skipped it.
 */
async function findAcceptance(
  store: Store<unknown>,
  team: TeamName,
  seen: Head,
  isGone: boolean,
): Promise<Result<boolean, Problem>> {
  const start = isGone ? await firstEntry(store, team) : ok(undefined);
  if (!start.ok) return start;
  if (isArchived(start.value, seen)) return ok(true);
  for (let from = seen.seq + 1; ; ) {
    const rows = await asking(store, () => store.backend.rows(team, { from, limit: pageRowsMax }));
    if (!rows.ok) return rows;
    for (const row of rows.value) {
      const entry = entryOf(store, team, row);
      if (!entry.ok) return entry;
      if (acceptsLossOf(entry.value, seen)) return ok(true);
    }
    if (rows.value.length < pageRowsMax) return ok(false);
    from = (rows.value.at(-1)?.seq ?? from) + 1;
  }
}

/** The first entry that the server has of the team; undefined: it has none. */
async function firstEntry(store: Store<unknown>, team: TeamName): Promise<Result<Entry | undefined, Problem>> {
  const rows = await asking(store, () => store.backend.rows(team, { from: 0, limit: 1 }));
  if (!rows.ok) return rows;
  const [row] = rows.value;
  return row === undefined ? ok(undefined) : entryOf(store, team, row);
}

/* Snapshots: a fold stored as text, so that opening does not fold from the first entry. Derived data only. */

/** Fewest entries between two snapshots. */
const entriesMin = 1_000;
/** Characters of a snapshot that one entry pays for: an entry has more itself. */
const charactersOfEntry = 200;

/**
 * Whether the fold has moved far enough. All snapshots together cost a constant for each entry, and what is behind the
 * last one is no larger than a few of them, so opening stays quick.
 */
export function isSnapshotDue({ fold, snapshot }: Pick<KeptFold<unknown>, "fold" | "snapshot">): boolean {
  const enough = Math.min(fold.head.seq / 8, snapshot.characters / charactersOfEntry);
  return fold.head.seq - snapshot.seq >= Math.max(entriesMin, enough);
}

/** The fold as text, with a digest over everything else. */
export function encodeFold<State>({ projection }: Store<State>, team: TeamName, fold: Fold<State>): string {
  const parts = [team, projection.version, fold.head, encodeInboxes(fold.inboxes), projection.encode(fold.state)];
  const text = JSON.stringify(parts);
  return `${sha256(text)}${text}`;
}

/** The fold of the text; null: it is damaged, of another version or of another team, and is as if it were not there. */
function decodeFold<State>({ projection }: Store<State>, team: TeamName, kept: string): Fold<State> | null {
  const text = kept.slice(64);
  if (sha256(text) !== kept.slice(0, 64)) return null;
  // By its digest it is what encodeFold wrote.
  const [of, version, head, inboxes, state] = JSON.parse(text) as [string, string, Head, string, string];
  if (of !== team || version !== projection.version) return null;
  return { head, state: projection.decode(state), inboxes: decodeInboxes(inboxes), held: noHeldIds(head.seq) };
}

/** Wakes who follows the team, and notes the head. */
export function noteRecorded<State>(store: Store<State>, team: TeamName, fold: Fold<State>): void {
  trimHeld(fold);
  noteHead(store, team, fold.head);
  bellOf(store, team).ring();
}
