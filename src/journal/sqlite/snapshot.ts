/**
 * Snapshots: a fold stored as text, so that opening does not fold from the first entry. Derived data only: a snapshot
 * counts when its digest holds, the projection has its version, and the entry it is on is in the file; otherwise it is
 * as if it were not there. One is due after max(1000, 1/8 of the stream) new entries, so that all snapshots together
 * cost a constant per entry; while entries keep coming it may wait for 3,000 more.
 */
import { sha256 } from "../../base/canonical.ts";
import { broken } from "../chain.ts";
import type { Head } from "../entry.ts";
import { decodeInboxes, encodeInboxes, type Fold, noHeldIds } from "../fold.ts";
import { placeOf } from "./connection.ts";
import { failStop, type KeptFold, type Store } from "./store.ts";

/** Fewest entries between two snapshots. */
const entriesMin = 1_000;

/** A snapshot's row. */
export interface SnapshotRow {
  readonly version: string;
  readonly head: Head;
  readonly inboxes: string;
  readonly state: string;
  readonly digest: string;
}

/** How many further entries a snapshot that is due may wait for a quiet moment. */
const entriesWaited = 3_000;

/** Whether the fold has moved far enough for a new snapshot: `due` in the next quiet moment, or `overdue`. */
export function snapshotNeed(kept: KeptFold<unknown>): "none" | "due" | "overdue" {
  const { seq } = kept.fold.head;
  const beyond = seq - kept.snapshotSeq - Math.max(entriesMin, seq / 8);
  if (beyond < 0) return "none";
  return beyond < entriesWaited ? "due" : "overdue";
}

/** What binds a snapshot to its place; any change of it changes the digest. */
export function snapshotDigest(teamNumber: number, row: Omit<SnapshotRow, "digest">): string {
  const { head } = row;
  return sha256(
    JSON.stringify([teamNumber, row.version, head.seq, head.hash, head.epoch, sha256(row.inboxes), sha256(row.state)]),
  );
}

/** The fold as strings. Equal folds give equal strings when the projection's `encode` does. */
export function encodeFold<State>(
  store: Pick<Store<State>, "projection">,
  fold: Fold<State>,
): Omit<SnapshotRow, "digest"> {
  return {
    version: store.projection.version,
    head: fold.head,
    inboxes: encodeInboxes(fold.inboxes),
    state: store.projection.encode(fold.state),
  };
}

/** Reads a row of the snapshot statement. */
export function snapshotRow(row: Record<string, unknown>): SnapshotRow {
  return {
    version: String(row.version),
    head: { seq: Number(row.seq), hash: String(row.hash), epoch: Number(row.epoch) },
    inboxes: String(row.inboxes),
    state: String(row.state),
    digest: String(row.digest),
  };
}

/** The team's fold as its snapshot has it, or null when there is none that counts. */
export function loadSnapshot<State>(store: Store<State>, teamNumber: number): Fold<State> | null {
  const found = store.statements.snapshot.get(teamNumber);
  if (found === undefined) return null;
  const row = snapshotRow(found);
  if (row.digest !== snapshotDigest(teamNumber, row)) {
    // Folding would do without it, but damage here means damage elsewhere: stop before it is written over.
    failStop(store, broken(`${store.path} snapshot of team ${teamNumber}`, "The snapshot does not have its digest."));
    return null;
  }
  if (row.version !== store.projection.version) return null;
  const entry = store.statements.entryAt.get(placeOf(teamNumber, row.head.seq));
  if (entry?.hash !== row.head.hash) return null;
  const inboxes = decodeInboxes(row.inboxes);
  return { head: row.head, state: store.projection.decode(row.state), inboxes, held: noHeldIds(row.head.seq) };
}

/** Stores the fold in place of the team's earlier snapshot, inside the caller's write transaction. */
export function storeSnapshot<State>(store: Store<State>, teamNumber: number, kept: KeptFold<State>): void {
  const row = encodeFold(store, kept.fold);
  const { head } = row;
  store.statements.putSnapshot.run(
    teamNumber,
    row.version,
    head.seq,
    head.hash,
    head.epoch,
    row.inboxes,
    row.state,
    snapshotDigest(teamNumber, row),
  );
}
