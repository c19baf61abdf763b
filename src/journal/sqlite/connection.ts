/**
 * One connection to the database: opened with the settings that durability needs, each read back, and the statements,
 * prepared once. Everything here is synchronous and short; the caller waits, by the functions at the end.
 * Source: docs/protocol/record.md, section 13.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { systemClock } from "../../base/clock.ts";
import { invariant } from "../../base/invariant.ts";
import { systemRandom } from "../../base/random.ts";
import { applicationId, inOneRead, pragmaNumber } from "./migrate.ts";
import { isBusy } from "./sqlite-errors.ts";

/** Rows per team: 2^32, which leaves 2^21 team numbers below the largest safe integer. */
const placesPerTeam = 2 ** 32;

/** An entry's row as it is read: the text decodes the stored bytes. */
export interface EntryRow {
  readonly place: number;
  readonly hash: string;
  readonly text: string;
}

/** Every statement of the reading and writing paths. */
export interface Statements {
  readonly begin: StatementSync;
  readonly commit: StatementSync;
  readonly rollback: StatementSync;
  readonly dataVersion: StatementSync;
  readonly userVersion: StatementSync;
  readonly teams: StatementSync;
  readonly teamByName: StatementSync;
  readonly addTeam: StatementSync;
  readonly addEntry: StatementSync;
  readonly entryAt: StatementSync;
  readonly hashAt: StatementSync;
  readonly entriesAfter: StatementSync;
  readonly lastEntry: StatementSync;
  readonly lastPlace: StatementSync;
  readonly holder: StatementSync;
  readonly holders: StatementSync;
  readonly addHolder: StatementSync;
  readonly indexed: StatementSync;
  readonly putIndexed: StatementSync;
  readonly mark: StatementSync;
  readonly putMark: StatementSync;
  readonly signs: StatementSync;
  readonly sign: StatementSync;
  readonly putSign: StatementSync;
  readonly notes: StatementSync;
  readonly note: StatementSync;
  readonly putNote: StatementSync;
  readonly due: StatementSync;
  readonly putDue: StatementSync;
  readonly dropDue: StatementSync;
  readonly dues: StatementSync;
  readonly putAhead: StatementSync;
  readonly snapshot: StatementSync;
  readonly putSnapshot: StatementSync;
}

/**
 * Most memory for pages of the file. Ids are scattered over their index, which takes 6 MiB for 100,000 messages:
 * with the 2 MiB that SQLite takes by itself, its pages are read again and again.
 */
const cacheKibibytes = 16_384;

/** Opens `path` (a file name, or a `file:` URL text) and applies the settings; throws SQLite's errors, also busy. */
export function openDatabase(
  path: string,
  options: { readonly readOnly: boolean; readonly durability: "fsync" | "os" },
): DatabaseSync {
  const db = new DatabaseSync(path, { readOnly: options.readOnly, timeout: blockingMsMax });
  try {
    if (!options.readOnly) useWriteAheadLog(db);
    // The first query reads the file's header, which may reset `synchronous`; so set it after, and read it back after
    // another.
    db.prepare("SELECT count(*) FROM sqlite_schema").get();
    const synchronous = options.durability === "fsync" ? 2 : 1;
    db.exec(`PRAGMA synchronous = ${synchronous}`);
    db.exec("PRAGMA mmap_size = 0");
    db.exec(`PRAGMA cache_size = -${cacheKibibytes}`);
    db.prepare("SELECT count(*) FROM sqlite_schema").get();
    invariant(pragmaNumber(db, "synchronous") === synchronous, "SQLite keeps the setting of synchronous");
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Switching takes an exclusive lock and fails as busy when several start at once, so it is skipped where already done. */
function useWriteAheadLog(db: DatabaseSync): void {
  const mode = () => String(db.prepare("PRAGMA journal_mode").get()?.journal_mode);
  if (mode() === "wal") return;
  // Another program's database is left as it is; its owner is looked at before the switch changes the file.
  const isForeign = inOneRead(
    db,
    () => pragmaNumber(db, "application_id") !== applicationId && pragmaNumber(db, "schema_version") !== 0,
  );
  if (isForeign) return;
  db.exec("PRAGMA journal_mode = WAL");
  invariant(mode() === "wal", "SQLite keeps the write-ahead log");
}

/** Prepares every statement; the tables must exist. */
export function prepareStatements(db: DatabaseSync): Statements {
  const row = "place, hash, CAST(bytes AS TEXT) AS text";
  return {
    begin: db.prepare("BEGIN IMMEDIATE"),
    commit: db.prepare("COMMIT"),
    rollback: db.prepare("ROLLBACK"),
    dataVersion: db.prepare("PRAGMA data_version"),
    userVersion: db.prepare("PRAGMA user_version"),
    teams: db.prepare("SELECT number, name FROM team ORDER BY name"),
    teamByName: db.prepare("SELECT number FROM team WHERE name = ?"),
    addTeam: db.prepare("INSERT INTO team (name) VALUES (?) RETURNING number"),
    // SQLite encodes the text on its way in, which saves a copy of it.
    addEntry: db.prepare("INSERT INTO entry (place, hash, bytes) VALUES (?, ?, CAST(? AS BLOB))"),
    entryAt: db.prepare(`SELECT ${row} FROM entry WHERE place = ?`),
    hashAt: db.prepare("SELECT hash FROM entry WHERE place = ?"),
    entriesAfter: db.prepare(`SELECT ${row} FROM entry WHERE place > ? AND place < ? ORDER BY place LIMIT ?`),
    lastEntry: db.prepare(`SELECT ${row} FROM entry WHERE place > ? AND place < ? ORDER BY place DESC LIMIT 1`),
    lastPlace: db.prepare("SELECT max(place) AS place FROM entry WHERE place > ? AND place < ?"),
    holder: db.prepare("SELECT seq FROM once WHERE key = ?"),
    holders: db.prepare("SELECT seq FROM once WHERE key >= ? AND key < ? ORDER BY seq DESC LIMIT ?"),
    addHolder: db.prepare("INSERT INTO once (key, seq) VALUES (?, ?)"),
    indexed: db.prepare("SELECT seq, hash, checksum FROM indexed WHERE team = ?"),
    putIndexed: db.prepare("INSERT OR REPLACE INTO indexed (team, seq, hash, checksum) VALUES (?, ?, ?, ?)"),
    mark: db.prepare("SELECT offered, seen, checksum FROM mark WHERE team = ? AND agent = ?"),
    putMark: db.prepare("INSERT OR REPLACE INTO mark (team, agent, offered, seen, checksum) VALUES (?, ?, ?, ?, ?)"),
    signs: db.prepare("SELECT agent, at FROM life WHERE team = ?"),
    sign: db.prepare("SELECT at FROM life WHERE team = ? AND agent = ?"),
    putSign: db.prepare("INSERT OR REPLACE INTO life (team, agent, at) VALUES (?, ?, ?)"),
    notes: db.prepare("SELECT agent, text FROM note WHERE team = ?"),
    note: db.prepare("SELECT text FROM note WHERE team = ? AND agent = ?"),
    putNote: db.prepare("INSERT OR REPLACE INTO note (team, agent, text) VALUES (?, ?, ?)"),
    due: db.prepare("SELECT rule, at FROM due WHERE team = ?"),
    putDue: db.prepare("INSERT OR REPLACE INTO due (team, rule, at) VALUES (?, ?, ?)"),
    dropDue: db.prepare("DELETE FROM due WHERE team = ?"),
    dues: db.prepare("SELECT name, rule, at FROM team LEFT JOIN due ON due.team = team.number"),
    putAhead: db.prepare("UPDATE machine_clock SET ahead = ?"),
    snapshot: db.prepare("SELECT version, seq, hash, epoch, inboxes, state, digest FROM snapshot WHERE team = ?"),
    putSnapshot: db.prepare(
      "INSERT OR REPLACE INTO snapshot (team, version, seq, hash, epoch, inboxes, state, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    ),
  };
}

/** The row key of an entry. */
export function placeOf(teamNumber: number, seq: number): number {
  invariant(seq >= 0 && seq < placesPerTeam, "a team has fewer than 2^32 entries");
  return teamNumber * placesPerTeam + seq;
}

/** The first row key that no longer belongs to the team. */
export function placeEnd(teamNumber: number): number {
  return (teamNumber + 1) * placesPerTeam;
}

/** The team number and seq of a row key. */
export function splitPlace(place: number): { readonly teamNumber: number; readonly seq: number } {
  return { teamNumber: Math.floor(place / placesPerTeam), seq: place % placesPerTeam };
}

/** How long one call of SQLite may wait for a lock, and with it the event loop. */
export const blockingMsMax = 4;
/** How long an operation waits for locks in all before it is refused as busy. */
export const waitingMsMax = 45_000;

/** When an operation that starts now gives up waiting, by the clock of `isOverdue`. */
export function deadlineFromNow(waitMs: number = waitingMsMax): number {
  return systemClock.monotonic() + waitMs;
}

/** Whether `deadline` has passed. */
export function isOverdue(deadline: number): boolean {
  return systemClock.monotonic() >= deadline;
}

/** Waits a jittered while that grows with `tries` up to about 10 ms. */
export async function waitBeforeTry(tries: number): Promise<void> {
  const ceilingMs = Math.min(12, 1 + tries);
  await systemClock.wait(1 + systemRandom.unit() * ceilingMs);
}

/** The value of `act`, tried again while SQLite says busy, until `deadline`; then the busy error is thrown. */
export async function whenFree<Value>(act: () => Value, deadline: number = deadlineFromNow()): Promise<Value> {
  for (let tries = 0; ; tries += 1) {
    try {
      return act();
    } catch (error) {
      if (!isBusy(error) || isOverdue(deadline)) throw error;
    }
    await waitBeforeTry(tries);
  }
}
