/**
 * Opening a journal in SQLite, and the open journal itself. The anchor is read before the database, so that entries
 * appended in between can only put the database ahead.
 * Source: docs/protocol/record.md.
 */
import { accessSync, constants, existsSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import type { Clock } from "../../base/clock.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { anchorPath, readAnchors } from "../anchor-file.ts";
import { newBell } from "../follow.ts";
import type { JournalOptions, Projection } from "../journal.ts";
import { findRegressions } from "./anchor.ts";
import { openDatabase, prepareStatements, waitingMsMax, whenFree } from "./connection.ts";
import { type FileSystemType, resolvePlace, systemFileSystemType } from "./files/place.ts";
import { journalOf, type SqliteJournal } from "./handle.ts";
import { aheadKept, anchorClock, clockOf, isAnchored, type Start, startOfMachine } from "./machine-clock.ts";
import { checkForm, isArchive, migrate, readForm, schemaVersion } from "./migrate.ts";
import { archiveProblem, isSqliteError, problemOf, readOnlyProblem } from "./sqlite-errors.ts";
import { failStop, noteError, type Store } from "./store.ts";

export interface SqliteOptions extends JournalOptions {
  /** Says on which kind of file system a folder is; tests bring their own. */
  readonly fileSystemType?: FileSystemType;
}

/**
 * Opens the journal in the file `path`, making it where there is none. Refuses with `journal-missing`,
 * `journal-linked`, `journal-network-file-system`, `journal-not-database`, `journal-newer`, `journal-cannot-open`,
 * `journal-busy`, `journal-full`, `journal-corrupt`, `journal-failed`. A place that cannot be written opens for
 * reading, and a journal behind its anchor opens as `regressed`: see `condition()`.
 */
export async function openSqliteJournal<State>(
  path: string,
  projection: Projection<State>,
  options: SqliteOptions = {},
): Promise<Result<SqliteJournal<State>, Problem>> {
  const place = resolvePlace(path, options.fileSystemType ?? systemFileSystemType);
  if (!place.ok) return place;
  const file = place.value.path;
  const mayOnlyRead = options.readOnly === true || options.refusal !== undefined;
  if (!place.value.exists && (options.create === false || mayOnlyRead)) return err(missing(file));
  const anchors = readAnchors(anchorPath(file));
  const durability = options.durability ?? "fsync";
  const readOnly = mayOnlyRead || !isWritable(file, place.value.exists);
  if (readOnly && !place.value.exists) return err(readOnlyProblem(file));
  const name = readOnly ? readOnlyName(file) : file;
  const opened = await openFile(file, name, readOnly, durability);
  if (!opened.ok) return opened;
  const { db, clock, aheadMs, isArchive: isKept } = opened.value;
  if (!readOnly && isKept) {
    // Opened again so that reading changes none of its bytes, by whose digest it is known.
    db.close();
    return openSqliteJournal(path, projection, { ...options, refusal: archiveProblem(file) });
  }
  const store: Store<State> = {
    path: file,
    name,
    projection,
    clock: options.clock ?? clock,
    durability,
    readOnly,
    refusal: options.refusal ?? null,
    waitMs: options.waitMs ?? waitingMsMax,
    gathers: options.gathers ?? false,
    db,
    statements: prepareStatements(db),
    bell: newBell(),
    folds: new Map(),
    moved: new Set(),
    dues: new Map(),
    numbers: new Map(),
    lockedVersion: null,
    stamp: null,
    aheadMs: options.clock === undefined ? aheadMs : null,
    regressions: new Map(),
    failure: null,
  };
  try {
    const problem = anchors.ok
      ? await whenFree(() => findRegressions(store, anchors.value))
      : failStop(store, anchors.error);
    if (problem !== null) failStop(store, problem);
    // A trigger that somebody put into the file would act with the first write.
    for (const each of await whenFree(() => checkForm(db, file))) failStop(store, each);
    return ok(await journalOf(store));
  } catch (error) {
    const refused = noteError(store, error);
    db.close();
    return err(refused);
  }
}

/** An opened file, its clock, and how far that knows the wall clock to be ahead; null: it keeps nothing of that. */
interface Opened {
  readonly db: DatabaseSync;
  readonly clock: Clock;
  readonly aheadMs: number | null;
  readonly isArchive: boolean;
}

/** Opens the file and brings its tables to our form; the lock is waited for. */
async function openFile(
  file: string,
  name: string,
  readOnly: boolean,
  durability: "fsync" | "os",
): Promise<Result<Opened, Problem>> {
  let db: DatabaseSync | null = null;
  try {
    db = await whenFree(() => openDatabase(name, { readOnly, durability }));
    const connection = db;
    const form = await whenFree(() => readForm(connection, file));
    const start = startOfMachine();
    const isReady = await whenFree(
      () =>
        form.ok &&
        form.value.version === schemaVersion &&
        // What somebody put into the file would act with a write, so nothing is written then.
        (readOnly || isArchive(connection) || isAnchored(connection, start) || checkForm(connection, file).length > 0),
    );
    const done = !form.ok
      ? form
      : isReady
        ? ok(undefined)
        : readOnly
          ? err(missing(file))
          : await inTransaction(db, () => bringUp(connection, file, start));
    if (done.ok) return ok(await whenFree(() => withClock(connection, readOnly ? null : start)));
    db.close();
    return done;
  } catch (error) {
    if (db?.isOpen === true) db.close();
    if (!isSqliteError(error)) throw error;
    return err(problemOf(error, file).problem);
  }
}

function bringUp(db: DatabaseSync, file: string, start: Start | null): Result<void, Problem> {
  const done = migrate(db, file);
  if (done.ok) anchorClock(db, start);
  return done;
}

function withClock(db: DatabaseSync, start: Start | null): Opened {
  const aheadMs = start === null ? null : aheadKept(db);
  return { db, clock: clockOf(db, startOfMachine()), aheadMs, isArchive: isArchive(db) };
}

/** Changes what is next to the entries, alone; what is refused is taken back. */
async function inTransaction(db: DatabaseSync, change: () => Result<void, Problem>): Promise<Result<void, Problem>> {
  return whenFree(() => {
    db.exec("BEGIN IMMEDIATE");
    try {
      const done = change();
      db.exec(done.ok ? "COMMIT" : "ROLLBACK");
      return done;
    } finally {
      if (db.isTransaction) db.exec("ROLLBACK");
    }
  });
}

/** Whether the file and its folder, where the companions are, may be written. */
function isWritable(file: string, exists: boolean): boolean {
  try {
    accessSync(dirname(file), constants.W_OK);
    if (exists) accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false; // Any reason not to be writable means the same here; SQLite names it when it matters.
  }
}

/**
 * Where the folder cannot be written and no write-ahead log is next to the file, SQLite could not make the shared
 * memory it needs, and nobody can change the file either: it is opened as immutable.
 */
function readOnlyName(file: string): string {
  const isFrozen = !isWritable(file, false) && !existsSync(`${file}-wal`);
  return isFrozen ? `${pathToFileURL(file).href}?immutable=1` : file;
}

function missing(file: string): Problem {
  return makeProblem("journal-missing", file, "There is no journal here.", {
    hint: "Run `baton init` in the project, or name the journal with --journal sqlite:PATH.",
  });
}
