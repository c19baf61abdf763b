/**
 * The form of the database: which program it belongs to (`application_id`), which form of tables it has
 * (`user_version`), and the steps from one form to the next. A step is never changed once released; a new one is added.
 * An older program refuses a newer file instead of guessing.
 */
import type { DatabaseSync } from "node:sqlite";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { broken } from "../chain.ts";
import { notDatabaseProblem } from "./sqlite-errors.ts";

/*
 * The fifth form: the index of deadlines. `at` is no later than the team's next deadline, null where it has none; a team
 * without a row, or with one by another rule, must be folded to know. Derived, and without a checksum.
 */

/** The statements of this form, in order. */
const deadlines: readonly string[] = ["CREATE TABLE due (team INTEGER PRIMARY KEY, rule TEXT NOT NULL, at INTEGER)"];

/*
 * The fourth form: what is noted about each agent, as text that the engine does not read. Outside the chain and without
 * a checksum, like heartbeats. The one note of no team says that the file is an archive.
 */

/** The statements of this form, in order. */
const notes: readonly string[] = [
  "CREATE TABLE note (team INTEGER NOT NULL, agent TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (team, agent)) WITHOUT ROWID",
];

/*
 * The third form: where the clock of the machine's present start is on the calendar (`zero`: when it began, in
 * milliseconds since 1970), and how far the wall clock was last seen ahead of it. One row, outside the chain and
 * without a checksum: deadlines are counted by it, and no receipt speaks of it.
 */

/** The statements of this form, in order. */
const machineClock: readonly string[] = [
  "CREATE TABLE machine_clock (one INTEGER PRIMARY KEY, start TEXT NOT NULL, zero INTEGER NOT NULL, ahead INTEGER NOT NULL)",
];

/*
 * The second form: when each agent last sent a heartbeat, in milliseconds since 1970 by the recording machine's clock.
 * Outside the chain and without a checksum: it is overwritten all the time, and no receipt speaks of it.
 */

/** The statements of this form, in order. */
const life: readonly string[] = [
  "CREATE TABLE life (team INTEGER NOT NULL, agent TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (team, agent)) WITHOUT ROWID",
];

/*
 * The first form of the tables. `entry.place` is team number * 2^32 + seq, so that one b-tree holds all streams in
 * order. `once` is the index of ids: which entry holds an id for whom, for entries up to the team's `indexed.seq`; the
 * ids of later entries are found by folding. Everything but `bytes` can be rebuilt.
 */

/** The statements of this form, in order. */
const entries: readonly string[] = [
  "CREATE TABLE team (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
  "CREATE TABLE entry (place INTEGER PRIMARY KEY, hash TEXT NOT NULL, bytes BLOB NOT NULL)",
  "CREATE TABLE once (key TEXT PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID",
  "CREATE TABLE indexed (team INTEGER PRIMARY KEY, seq INTEGER NOT NULL, hash TEXT NOT NULL, checksum TEXT NOT NULL)",
  "CREATE TABLE mark (team INTEGER NOT NULL, agent TEXT NOT NULL, offered INTEGER NOT NULL, seen INTEGER NOT NULL, checksum TEXT NOT NULL, PRIMARY KEY (team, agent)) WITHOUT ROWID",
  "CREATE TABLE snapshot (team INTEGER PRIMARY KEY, version TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL, epoch INTEGER NOT NULL, inboxes TEXT NOT NULL, state TEXT NOT NULL, digest TEXT NOT NULL)",
];

/** "Batn" in ASCII: marks the file as ours. */
export const applicationId = 0x4261746e;
/** Each form's statements; form n is reached by the first n. */
export const migrations: readonly (readonly string[])[] = [entries, life, machineClock, notes, deadlines];
/** The form that this program writes. */
export const schemaVersion = migrations.length;

/**
 * The form of the stub that stays where a journal was. A journal whose content was taken elsewhere has this added to its own
 * form until the stub replaces it.
 */
export const movedForm = 1_000_000;

/** One number that a PRAGMA answers. */
export function pragmaNumber(db: DatabaseSync, name: string): number {
  const row = db.prepare(`PRAGMA ${name}`).get();
  return Number(row === undefined ? Number.NaN : Object.values(row)[0]);
}

/** What `read` finds in one state of the file: between two reads another process may make the journal's tables. */
export function inOneRead<Value>(db: DatabaseSync, read: () => Value): Value {
  if (db.isTransaction) return read();
  db.exec("BEGIN");
  try {
    return read();
  } finally {
    if (db.isTransaction) db.exec("COMMIT");
  }
}

/** Whose file this is and in which form; refuses another program's database and a newer form. */
export function readForm(db: DatabaseSync, path: string): Result<{ readonly version: number }, Problem> {
  const { owner, version, tables } = inOneRead(db, () => ({
    owner: pragmaNumber(db, "application_id"),
    version: pragmaNumber(db, "user_version"),
    tables: Number(db.prepare("SELECT count(*) AS n FROM sqlite_schema").get()?.n),
  }));
  if (owner !== applicationId && (owner !== 0 || version !== 0 || tables !== 0)) {
    return err(notDatabaseProblem(path, `a database of another program (application id ${owner}, ${tables} tables)`));
  }
  if (version >= movedForm) return err(movedAwayProblem(path));
  if (version > schemaVersion) return err(newerProblem(path, version));
  if (owner === applicationId && version < 1) return err(notDatabaseProblem(path, `a journal without a version`));
  return ok({ version });
}

/** Somebody names the stub that a journal has left where it was. */
function movedAwayProblem(path: string): Problem {
  return makeProblem("journal-moved", path, "The journal that was here has moved to another folder.", {
    hint: "Leave --journal out in the project; `baton journal place` prints where the journal lies.",
  });
}

/** The file was written by a later Baton. */
export function newerProblem(path: string, version: number): Problem {
  return makeProblem(
    "journal-newer",
    path,
    `This journal has form ${version}; this Baton knows forms up to ${schemaVersion}.`,
    {
      expected: `a form up to ${schemaVersion}`,
      received: String(version),
      hint: "Update Baton to the version that wrote the journal, or name another journal.",
    },
  );
}

/** No team has this number. */
const noTeam = 0;

/** Whether the file, in our newest form, is marked as an archive of an older version, in which nothing is recorded. */
export function isArchive(db: DatabaseSync): boolean {
  return db.prepare("SELECT 1 FROM note WHERE team = ? AND agent = '' AND text = 'archive'").get(noTeam) !== undefined;
}

/** Brings the database to `schemaVersion`, inside the caller's write transaction. */
export function migrate(db: DatabaseSync, path: string): Result<void, Problem> {
  const form = readForm(db, path);
  if (!form.ok) return form;
  if (form.value.version === schemaVersion) return ok(undefined);
  for (const statements of migrations.slice(form.value.version)) for (const statement of statements) db.exec(statement);
  db.exec(`PRAGMA application_id = ${applicationId}`);
  db.exec(`PRAGMA user_version = ${schemaVersion}`);
  return ok(undefined);
}

/** The file's form: whose it is, its version, and the tables word for word. */
export function checkForm(db: DatabaseSync, path: string): readonly Problem[] {
  const found = db
    .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")
    .all()
    .map((row) => String(row.sql));
  const expected = migrations.flat();
  const isSame = found.toSorted().join("\n") === expected.toSorted().join("\n");
  const isOwn =
    pragmaNumber(db, "application_id") === applicationId && pragmaNumber(db, "user_version") === schemaVersion;
  return isSame && isOwn ? [] : [broken(path, "The definition of the tables is not the one that this Baton writes.")];
}
