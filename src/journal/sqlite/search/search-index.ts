/**
 * The index that a search asks first: a separate database next to the journal, which holds for every group of three
 * characters the entries that have it (FTS5, trigrams of the lower-cased text). It is derived: it may be missing,
 * behind or removed at any time, and only proposes entries. It is never written where entries are recorded.
 *
 * Entries are in blocks of a fixed number, each block a table: so a question costs what one block costs, however long
 * the journal is. `position` says per team up to which entry, by number and hash, the index is complete. An index whose
 * hash is not the journal's belongs to another history and is not used.
 */
import { existsSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { nextTurn } from "../../../base/clock.ts";
import { notRegular } from "../../../base/plain-file.ts";
import type { Problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { unsealEntry } from "../../chain.ts";
import type { Projection } from "../../journal.ts";
import { blockOf, blockRows, indexedText, indexForm, searchedText } from "../../searching.ts";
import {
  blockingMsMax,
  openDatabase,
  placeEnd,
  placeOf,
  prepareStatements,
  type Statements,
  whenFree,
} from "../connection.ts";
import { pragmaNumber } from "../migrate.ts";
import { isSqliteError, problemOf } from "../sqlite-errors.ts";
import { entryRow } from "../store.ts";

/** "Bats" in ASCII. */
const applicationId = 0x42617473;

/** Where the index of the journal at `journalPath` lies. */
export function searchIndexPath(journalPath: string): string {
  return `${journalPath}.search`;
}

/** Up to where a team's part is complete. */
export interface Position {
  readonly seq: number;
  readonly hash: string;
}

/** Entries of one block that may hold the text. */
export interface Proposal {
  readonly team: number;
  readonly block: number;
  readonly grams: readonly string[];
  readonly after: number;
  /** Inclusive. */
  readonly upTo: number;
  readonly newestFirst: boolean;
  readonly limit: number;
}

/** Opens the index for asking; null: there is none that can be asked. */
export function openSearchIndex(journalPath: string): SearchIndex | null {
  const path = searchIndexPath(journalPath);
  if (!existsSync(path) || isForeign(path)) return null;
  return openIndex(path, true);
}

/** Opens the index for adding to it; one that is damaged or of another form has to be removed first: null. */
export function openSearchIndexToWrite(journalPath: string): SearchIndex | null {
  const path = searchIndexPath(journalPath);
  return isForeign(path) ? null : openIndex(path, false);
}

/** Whether something else than a file is under one of the names. */
function isForeign(path: string): boolean {
  return ["", "-wal", "-shm"].some((end) => notRegular(`${path}${end}`) !== null);
}

function openIndex(path: string, isAsked: boolean): SearchIndex | null {
  let db: DatabaseSync | null = null;
  try {
    db = new DatabaseSync(path, { timeout: blockingMsMax, readOnly: isAsked });
    if (!isAsked) prepare(db);
    const isOurs =
      pragmaNumber(db, "application_id") === applicationId && pragmaNumber(db, "user_version") === indexForm;
    if (isOurs) return new SearchIndex(db);
    db.close();
    return null;
  } catch (error) {
    if (db?.isOpen === true) db.close();
    if (!isSqliteError(error)) throw error;
    return null;
  }
}

function prepare(db: DatabaseSync): void {
  // What a crash takes from the end is made again.
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  if (Number(db.prepare("SELECT count(*) AS n FROM sqlite_schema").get()?.n) > 0) return;
  db.exec("BEGIN IMMEDIATE");
  db.exec(
    "CREATE TABLE IF NOT EXISTS position (team INTEGER PRIMARY KEY, seq INTEGER NOT NULL, hash TEXT NOT NULL) STRICT",
  );
  db.exec(`PRAGMA application_id = ${applicationId}`);
  db.exec(`PRAGMA user_version = ${indexForm}`);
  db.exec("COMMIT");
}

/** An open index; its calls throw SQLite's errors. */
export class SearchIndex {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Up to where the team's part is complete; null: nothing of it is there. */
  position(team: number): Position | null {
    const row = this.#db.prepare("SELECT seq, hash FROM position WHERE team = ?").get(team);
    return row === undefined ? null : { seq: Number(row.seq), hash: String(row.hash) };
  }

  /** Throws SQLite's error where a block up to the team's position is missing, or the last one is damaged. */
  check(team: number): void {
    const known = this.position(team);
    if (known === null) return;
    const last = blockOf(known.seq);
    for (let block = 0; block <= last; block += 1)
      this.#db.prepare(`SELECT rowid FROM ${tableOf(team, block)} LIMIT 0`);
    const table = tableOf(team, last);
    this.#db.exec(`INSERT INTO ${table} (${table}) VALUES ('integrity-check')`);
  }

  /** Numbers of entries that have all the groups, in the order asked for. */
  propose({ team, block, grams, after, upTo, newestFirst, limit }: Proposal): readonly number[] {
    const table = tableOf(team, block);
    const asked = grams.map((gram) => `"${gram.replaceAll('"', '""')}"`).join(" AND ");
    return this.#db
      .prepare(
        `SELECT rowid FROM ${table} WHERE ${table} MATCH ? AND rowid > ? AND rowid <= ? ORDER BY rowid ${newestFirst ? "DESC" : "ASC"} LIMIT ?`,
      )
      .all(asked, after, upTo, limit)
      .map((row) => Number(row.rowid));
  }

  /** Adds entries that follow the position, and moves it to the last of them. */
  add(team: number, rows: readonly { readonly seq: number; readonly hash: string; readonly text: string }[]): void {
    const last = rows.at(-1);
    if (last === undefined) return;
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      for (const [block, all] of Map.groupBy(rows, ({ seq }) => blockOf(seq))) {
        const table = tableOf(team, block);
        this.#db.exec(
          `CREATE VIRTUAL TABLE IF NOT EXISTS ${table} USING fts5(text, content='', columnsize=0, detail=none, tokenize='trigram case_sensitive 1')`,
        );
        const put = this.#db.prepare(`INSERT INTO ${table} (rowid, text) VALUES (?, ?)`);
        for (const { seq, text } of all) put.run(seq, text);
        // A block that is full gets its final form: the smallest, and the quickest to ask.
        if (all.at(-1)?.seq === (block + 1) * blockRows)
          this.#db.exec(`INSERT INTO ${table} (${table}) VALUES ('optimize')`);
      }
      this.#db.prepare("INSERT OR REPLACE INTO position VALUES (?, ?, ?)").run(team, last.seq, last.hash);
      this.#db.exec("COMMIT");
    } finally {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
    }
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close();
  }
}

function tableOf(team: number, block: number): string {
  return `t${team}_${block}`;
}

/*
 * Bringing the search index up to the journal's head: in a separate connection, some thousand entries a transaction. An
 * index that is damaged, of another form or of another history is removed and made afresh. Meant for a thread or
 * process that answers nobody meanwhile; nothing else writes the index.
 */

/** Entries of one transaction. */
const rowsAtOnce = 2_000;

/**
 * Adds what the index lacks of the journal at `path`; answers how many entries were added. A team's part ends before an
 * entry that cannot be read. Problems: those of opening and reading the journal's file.
 */
export async function catchUpSearchIndex<State>(
  path: string,
  projection: Projection<State>,
  signal: AbortSignal,
): Promise<Result<number, Problem>> {
  let db: DatabaseSync | null = null;
  try {
    db = await whenFree(() => openDatabase(path, { readOnly: true, durability: "os" }));
    const journal = { path, projection, statements: prepareStatements(db) };
    for (let tries = 0; tries < triesMax; tries += 1) {
      const added = await fillAll(journal, signal);
      if (added !== null) return ok(added);
      removeIndex(path);
    }
    return ok(0);
  } catch (error) {
    if (!isSqliteError(error)) throw error;
    return err(problemOf(error, path).problem);
  } finally {
    db?.close();
  }
}

/** An index that cannot be used is made afresh once; what fails then has another cause. */
const triesMax = 2;

interface Source {
  readonly path: string;
  readonly projection: Pick<Projection<never>, "searched">;
  readonly statements: Statements;
}

/** Fills every team's part; null: the index cannot be used. */
async function fillAll(journal: Source, signal: AbortSignal): Promise<number | null> {
  const index = openSearchIndexToWrite(journal.path);
  if (index === null) return null;
  try {
    let added = 0;
    for (const { number } of journal.statements.teams.all()) {
      const team = Number(number);
      index.check(team);
      const known = index.position(team);
      const isOurs = known === null || journal.statements.hashAt.get(placeOf(team, known.seq))?.hash === known.hash;
      if (!isOurs) return null;
      for (let isOver = false; !isOver && !signal.aborted; await nextTurn()) {
        const { rows, isLast } = nextRows(journal, team, index.position(team)?.seq ?? 0);
        index.add(team, rows);
        added += rows.length;
        isOver = isLast;
      }
    }
    return added;
  } catch (error) {
    if (!isSqliteError(error)) throw error;
    return null;
  } finally {
    index.close();
  }
}

type Rows = Parameters<SearchIndex["add"]>[1];

/** The next entries as the index takes them. */
function nextRows(journal: Source, team: number, after: number): { readonly rows: Rows; readonly isLast: boolean } {
  const found = journal.statements.entriesAfter.all(placeOf(team, after), placeEnd(team), rowsAtOnce);
  const rows: Rows[number][] = [];
  for (const { text, hash } of found.map(entryRow)) {
    const entry = unsealEntry(text, hash);
    if (entry === null) return { rows, isLast: true };
    rows.push({ seq: entry.seq, hash, text: indexedText(searchedText(journal.projection, entry)) });
  }
  return { rows, isLast: found.length < rowsAtOnce };
}

/** Removes the index with its log; a reader that has it open goes on with what it has, and opens the new one later. */
function removeIndex(path: string): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(`${searchIndexPath(path)}${end}`, { force: true });
}
