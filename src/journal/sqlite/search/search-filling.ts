/**
 * Bringing the search index up to the journal's head: in a separate connection, some thousand entries a transaction. An
 * index that is damaged, of another form or of another history is removed and made afresh. Meant for a thread or
 * process that answers nobody meanwhile; nothing else writes the index.
 */
import { rmSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { nextTurn } from "../../../base/clock.ts";
import type { Problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { unsealEntry } from "../../chain.ts";
import type { Projection } from "../../journal.ts";
import { indexedText, searchedText } from "../../searching.ts";
import { openDatabase, placeEnd, placeOf, prepareStatements, type Statements, whenFree } from "../connection.ts";
import { faultOf, isSqliteError } from "../sqlite-errors.ts";
import { entryRow } from "../store.ts";
import { openSearchIndexToWrite, type SearchIndex, searchIndexPath } from "./search-index.ts";

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
    return err(faultOf(error, path).problem);
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
