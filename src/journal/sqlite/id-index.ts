/**
 * The index of ids: which entry holds an id for whom. Ids are scattered, so an index kept with every commit would cost
 * a page for each entry. Instead every process holds the ids of the newest entries in its fold, and the table takes
 * them over in large sorted steps, together with a snapshot.
 *
 *   entries   1 ........................ indexed.seq ............ head
 *             table `once`, complete     fold.held, complete
 *
 * The boundary only moves up, inside write transactions. A fold's own boundary may lag behind it, never lead it: so a
 * fold at the head and the table together know every id, whichever process indexed last, and agree about it. Source:
 * docs/protocol/record.md, section 4.
 */
import { sha256 } from "../../base/canonical.ts";
import type { TeamName } from "../../base/ids.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { broken } from "../chain.ts";
import type { Entry } from "../entry.ts";
import { dropHeld, type Fold, heldAbove, heldBy, holdersMax, holdersOf } from "../fold.ts";
import { placeOf } from "./connection.ts";
import { entryOf, entryRow, failStop, type KeptFold, type Store } from "./store.ts";

/** A process that only follows asks after this many further ids whether another has indexed them. */
export const idsBetweenLooks = 1_000;

/**
 * The idempotency key of an entry. Neither the number nor an id holds a space, so the three parts never run together,
 * whatever the agent is called; the id is before the agent, so that an id can be found for any agent.
 */
export function onceKey(teamNumber: number, agent: string, id: string): string {
  return `${teamNumber} ${id} ${agent}`;
}

/** What binds a boundary to its place; any change of it changes the checksum. */
export function boundaryChecksum(teamNumber: number, seq: number, hash: string): string {
  return sha256(JSON.stringify([teamNumber, seq, hash])).slice(0, 16);
}

/**
 * Up to which entry the table holds the team's ids, 0 when nothing is indexed. Null: the row has changed or names an
 * entry that is not there; writing has stopped.
 */
export function readBoundary(store: Store<unknown>, teamNumber: number): number | null {
  const row = store.statements.indexed.get(teamNumber);
  if (row === undefined) return 0;
  const seq = Number(row.seq);
  const hash = String(row.hash);
  const isRight = row.checksum === boundaryChecksum(teamNumber, seq, hash);
  if (isRight && store.statements.hashAt.get(placeOf(teamNumber, seq))?.hash === hash) return seq;
  failStop(store, broken(`${store.path} index of team ${teamNumber}`, "The boundary of the index of ids has changed."));
  return null;
}

/** Whether the table no longer holds ids that the fold has dropped because it did. */
export function hasIndexGoneBack(store: Store<unknown>, teamNumber: number, fold: Fold<unknown>): boolean {
  return fold.held.above > 0 && Number(store.statements.indexed.get(teamNumber)?.seq ?? 0) < fold.held.above;
}

/**
 * Takes every id up to the fold's head into the table, inside the caller's write transaction, and answers the boundary
 * that appears once that is committed. Null: the boundary cannot be trusted, and writing has stopped.
 */
export function indexIds(store: Store<unknown>, teamNumber: number, fold: Fold<unknown>): number | null {
  const indexed = readBoundary(store, teamNumber);
  if (indexed === null) return null;
  if (indexed < fold.held.above) {
    failStop(store, broken(`${store.path} index of team ${teamNumber}`, "The index of ids has gone back."));
    return null;
  }
  const { seq, hash } = fold.head;
  if (seq <= indexed) return indexed;
  const rows = heldAbove(fold.held, indexed).map((held) => ({
    key: onceKey(teamNumber, held.agent, held.id),
    seq: held.seq,
  }));
  // In the table's order every page is visited once.
  rows.sort((one, other) => (one.key < other.key ? -1 : 1));
  for (const row of rows) store.statements.addHolder.run(row.key, row.seq);
  store.statements.putIndexed.run(teamNumber, seq, hash, boundaryChecksum(teamNumber, seq, hash));
  return seq;
}

/** Drops the ids that the table holds by now from a fold that has gathered many. */
export function dropIndexed(store: Store<unknown>, teamNumber: number, kept: KeptFold<unknown>): void {
  const { held } = kept.fold;
  if (held.latest.size < kept.lookAtIds) return;
  dropHeld(held, readBoundary(store, teamNumber) ?? 0);
  kept.lookAtIds = held.latest.size + idsBetweenLooks;
}

/** The entry that holds `id` for `agent`, or null. The fold must be at the head. */
export function findHolder(
  store: Store<unknown>,
  teamNumber: number,
  fold: Fold<unknown>,
  holder: { readonly team: TeamName; readonly agent: string; readonly id: string },
): Result<Entry | null, Problem> {
  const { team, agent, id } = holder;
  const held = heldBy(fold.held, agent, id);
  const row = held === null ? store.statements.holder.get(onceKey(teamNumber, agent, id)) : { seq: held };
  if (row === undefined) return ok(null);
  const isRight = (entry: Entry) => entry.id === id && entry.principal.agent === agent;
  return heldEntry(store, teamNumber, team, Number(row.seq), isRight);
}

/**
 * The entries that hold `id` for anyone, the latest first, at most `holdersMax`. Costs the agents that used the id. The fold
 * must be at the head.
 */
export function findHolders(
  store: Store<unknown>,
  teamNumber: number,
  fold: Fold<unknown>,
  holder: { readonly team: TeamName; readonly id: string },
): Result<readonly Entry[], Problem> {
  const { team, id } = holder;
  // The keys of an id of any agent: `!` follows the space.
  const rows = store.statements.holders.all(`${teamNumber} ${id} `, `${teamNumber} ${id}!`, holdersMax);
  const seqs = new Set([...holdersOf(fold.held, id), ...rows.map((row) => Number(row.seq))]);
  const entries: Entry[] = [];
  for (const seq of [...seqs].sort((one, other) => other - one).slice(0, holdersMax)) {
    const entry = heldEntry(store, teamNumber, team, seq, (each) => each.id === id);
    if (!entry.ok) return entry;
    entries.push(entry.value);
  }
  return ok(entries);
}

function heldEntry(
  store: Store<unknown>,
  teamNumber: number,
  team: TeamName,
  seq: number,
  isRight: (entry: Entry) => boolean,
): Result<Entry, Problem> {
  const row = store.statements.entryAt.get(placeOf(teamNumber, seq));
  const entry = row === undefined ? null : entryOf(store, entryRow(row));
  if (entry !== null && (!entry.ok || isRight(entry.value))) return entry;
  return err(failStop(store, broken(`${team}/${seq}`, "The index of ids names another entry.")));
}
