/**
 * Moving a journal to another folder, whole or not at all. Whatever is interrupted, and wherever: either the old journal is
 * complete and nothing else counts, or the new one is. The steps, each durable before the next:
 *
 *   1. The old journal is opened alone, which fails while another process has it open, and its log is taken into it.
 *   2. SQLite's backup interface copies it under a draft name, also to another file system; the anchor is copied.
 *   3. The old one is marked, so that a process that waits for it, or an older Baton, writes nothing more to it.
 *   4. The draft gets its name: from here on the new journal counts.
 *   5. The stub replaces the old journal, and what lay next to it is removed.
 *
 * After a kill before step 4 everything is done again; after it, only step 5.
 */
import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { notRegular, reasonOf, syncFile, syncFolder } from "../../base/plain-file.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { anchorPath, readAnchors, temporaryOf, writeAnchors } from "../anchor-file.ts";
import { blockingMsMax, deadlineFromNow, whenFree } from "./connection.ts";
import { oldJournalAt } from "./files/file-header.ts";
import { type FileSystemType, resolvePlace, systemFileSystemType } from "./files/place.ts";
import { applicationId, movedForm, newerProblem, pragmaNumber, readForm, schemaVersion } from "./migrate.ts";
import { cannotOpenProblem, isBusy, isSqliteError, problemOf } from "./sqlite-errors.ts";

/** How long another process may take to close the old journal: a command that is just ending, or the one that moves it. */
const othersMsMax = 5_000;

export interface MoveOptions {
  /** Says on which kind of file system a folder is; tests bring their own. */
  readonly fileSystemType?: FileSystemType;
  /** How long other processes may hold the old journal; absent: 5 s. */
  readonly othersMs?: number;
}

/**
 * Moves the journal at `from` to `to`, where none may be yet, or finishes a move that was interrupted. Both absolute; the
 * folder of `to` exists. Refuses with `journal-busy` while another process has it open, and with the problems of opening.
 */
export async function moveJournal(
  from: string,
  to: string,
  { fileSystemType = systemFileSystemType, othersMs = othersMsMax }: MoveOptions = {},
): Promise<Result<void, Problem>> {
  try {
    if (existsSync(to)) return ok(finish(from));
    const foreign = notRegular(from);
    if (foreign !== null) return err(cannotOpenProblem(from, foreign));
    for (const path of [from, to]) {
      const place = resolvePlace(path, fileSystemType);
      if (!place.ok) return place;
    }
    const db = new DatabaseSync(from, { timeout: blockingMsMax });
    try {
      return await moveOpened(db, { from, to, othersMs });
    } finally {
      if (db.isOpen) db.close();
    }
  } catch (error) {
    if (isSqliteError(error)) return err(isBusy(error) ? heldProblem(from, to) : problemOf(error, from).problem);
    return err(cannotOpenProblem(to, reasonOf(error)));
  }
}

interface Move {
  readonly from: string;
  readonly to: string;
  readonly othersMs: number;
}

async function moveOpened(db: DatabaseSync, { from, to, othersMs }: Move): Promise<Result<void, Problem>> {
  await whenFree(() => takeAlone(db), deadlineFromNow(othersMs));
  // Somebody else may have moved it while this process waited; the open file is then one without a name.
  if (existsSync(to)) return ok(finish(from));
  const form = movableForm(db, from);
  if (!form.ok) return form;
  if (form.value === 0) return ok(putStub(from));
  const anchors = readAnchors(anchorPath(from));
  if (!anchors.ok) return anchors;
  await copyTo(db, to, form.value);
  rmSync(anchorPath(to), { force: true });
  const anchored = anchors.value.size === 0 ? ok(undefined) : writeAnchors(anchorPath(to), anchors.value);
  if (!anchored.ok) return anchored;
  syncFolder(dirname(to));
  db.exec(`PRAGMA user_version = ${movedForm + form.value}`);
  renameSync(draftOf(to), to);
  syncFolder(dirname(to));
  finish(from);
  return ok(undefined);
}

/** Opens the journal alone and takes its log into it; throws SQLite's busy error while another process has it open. */
function takeAlone(db: DatabaseSync): void {
  db.exec("PRAGMA locking_mode = EXCLUSIVE");
  db.exec("PRAGMA synchronous = FULL");
  db.exec("PRAGMA journal_mode = DELETE");
  // The lock stays with the connection until it is closed.
  db.exec("BEGIN EXCLUSIVE");
  db.exec("COMMIT");
}

/**
 * The journal's form, without the mark that an interrupted move has left; 0: nothing was recorded in it yet. Refuses what is
 * no journal, and a newer one.
 */
function movableForm(db: DatabaseSync, path: string): Result<number, Problem> {
  const marked = pragmaNumber(db, "user_version");
  const version = marked > movedForm ? marked - movedForm : marked;
  if (version > schemaVersion) return err(newerProblem(path, version));
  if (marked > movedForm) return ok(version);
  const form = readForm(db, path);
  return form.ok ? ok(form.value.version) : form;
}

/** Copies the open journal to the draft of `to`, durably. */
async function copyTo(db: DatabaseSync, to: string, form: number): Promise<void> {
  const draft = draftOf(to);
  for (const left of [draft, `${draft}-journal`, `${draft}-wal`, `${draft}-shm`]) rmSync(left, { force: true });
  await backup(db, draft, { rate: pagesAtOnce });
  const copy = new DatabaseSync(draft);
  try {
    copy.exec("PRAGMA synchronous = FULL");
    if (pragmaNumber(copy, "user_version") !== form) copy.exec(`PRAGMA user_version = ${form}`);
  } finally {
    copy.close();
  }
  syncFile(draft);
}

/** The backup gives other work of the process a turn after so many pages. */
const pagesAtOnce = 4_096;

function draftOf(path: string): string {
  return `${path}.moving`;
}

/** The last step. What lay next to the old journal is removed first: without it, nothing there opens anything. */
function finish(from: string): void {
  if (oldJournalAt(from) !== "marked") return;
  const own = basename(from);
  for (const name of readdirSync(dirname(from))) {
    if (!isCompanion(own, name)) continue;
    rmSync(join(dirname(from), name), { force: true });
  }
  putStub(from);
  syncFolder(dirname(from));
}

/** Session codes, sessions and the note on the team file do not move: they are made again. */
function isCompanion(own: string, name: string): boolean {
  const anchor = basename(anchorPath(own));
  const alone = [anchor, temporaryOf(anchor), `${own}-wal`, `${own}-shm`, `${own}.sessions`, `${own}.team-file`];
  return alone.includes(name) || name.startsWith(`${own}.code-`);
}

function heldProblem(from: string, to: string): Problem {
  return makeProblem("journal-busy", from, "The journal moves to another folder, but another process has it open.", {
    expected: to,
    hint: "End what uses it (`baton stop`, and agent programs that are connected over MCP), then run this again.",
  });
}

/*
 * What stays where a journal was: a separate small database in a form that no Baton writes, so that an older Baton
 * refuses it as newer instead of starting an empty journal, and this one says where the journal went. It holds words
 * for people, never a path that a program would follow: a commit could bring such a file.
 */

/** Puts the stub in the place of the journal at `path`, at once and as a whole. Throws errors of SQLite and the system. */
function putStub(path: string): void {
  const draft = `${path}.moved-${process.pid}`;
  try {
    rmSync(draft, { force: true });
    const db = new DatabaseSync(draft);
    try {
      // Nobody else knows the draft, and what is half written is never used.
      db.exec("PRAGMA journal_mode = MEMORY");
      db.exec("BEGIN");
      db.exec("CREATE TABLE moved (note TEXT)");
      db.prepare("INSERT INTO moved VALUES (?)").run(
        "Baton's journal has moved, usually to the folder baton of the repository's git folder. A newer Baton finds it there.",
      );
      db.exec(`PRAGMA application_id = ${applicationId}`);
      db.exec(`PRAGMA user_version = ${movedForm}`);
      db.exec("COMMIT");
    } finally {
      db.close();
    }
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}
