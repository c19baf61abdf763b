/**
 * What SQLite and the file system say when something is wrong, as problems that name what to do next.
 * Busy, full, read-only and cannot-open are never read as corruption. After an I/O error, corruption or an error we do
 * not know, the journal stops writing (fail-stop); after the others a later commit may succeed.
 * Source: docs/protocol/record.md, section 9.
 */
import { makeProblem, type Problem } from "../../base/problem.ts";

/** What follows from an error: wait and try again, fail this operation only, or stop writing for good. */
export interface SqliteFailure {
  readonly kind: "busy" | "passing" | "final";
  readonly problem: Problem;
}

const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;
/** The shared-memory file could not grow: the disk is full, nothing of the database was touched. */
const IOERR_SHMSIZE = 10 | (19 << 8);

interface SqliteError extends Error {
  readonly code: "ERR_SQLITE_ERROR";
  readonly errcode: number;
  readonly errstr: string;
}

/** Whether `error` came from SQLite. */
export function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && "code" in error && error.code === "ERR_SQLITE_ERROR" && "errcode" in error;
}

/** Whether another connection holds what `error` wanted. */
export function isBusy(error: unknown): boolean {
  if (!isSqliteError(error)) return false;
  const primary = error.errcode & 0xff;
  return primary === BUSY || primary === LOCKED;
}

/** The error behind an error of SQLite at `path`. An error that is not SQLite's is ours and is thrown again. */
export function problemOf(error: unknown, path: string): SqliteFailure {
  if (!isSqliteError(error)) throw error;
  const primary = error.errcode & 0xff;
  const received = `${error.errstr} (SQLite ${error.errcode})`;
  if (primary === BUSY || primary === LOCKED) return { kind: "busy", problem: busyProblem(path) };
  if (primary === FULL || error.errcode === IOERR_SHMSIZE)
    return { kind: "passing", problem: fullProblem(path, received) };
  if (primary === READONLY) return { kind: "passing", problem: readOnlyProblem(path, received) };
  if (primary === CANTOPEN) return { kind: "passing", problem: cannotOpenProblem(path, received) };
  if (primary === NOTADB) return { kind: "final", problem: notDatabaseProblem(path, received) };
  if (primary === CORRUPT) return { kind: "final", problem: corruptProblem(path, received) };
  return { kind: "final", problem: failedProblem(path, received) };
}

/** The lock was held by others for the whole time that we wait. */
export function busyProblem(path: string): Problem {
  return makeProblem(
    "journal-busy",
    path,
    "Other processes held the journal's write lock for the whole waiting time.",
    {
      hint: "Try again with the same id; if it stays busy, look for a process that holds the journal open and stopped.",
    },
  );
}

function fullProblem(path: string, received: string): Problem {
  return makeProblem("journal-full", path, "The disk is full, or fails to give space: nothing of this was recorded.", {
    received,
    hint: "Free space on the journal's file system (or look for errors of the disk), then send again with the same id.",
  });
}

/** The place cannot be written. */
export function readOnlyProblem(path: string, received?: string): Problem {
  return makeProblem("journal-read-only", path, "The journal can be read but not written.", {
    received,
    hint: "In an agent's sandbox use Baton's MCP tools instead of this command (send_message, read_inbox, task, team_status); elsewhere give this user write permission on the file and its folder.",
  });
}

/** The file or one of its companions cannot be opened. */
export function cannotOpenProblem(path: string, received?: string): Problem {
  return makeProblem("journal-cannot-open", path, "The journal's files cannot be opened.", {
    received,
    hint: "Check that the folder exists, that this user may read and write in it, and that files can still be opened.",
  });
}

/** The file is something else. */
export function notDatabaseProblem(path: string, received: string): Problem {
  return makeProblem("journal-not-database", path, "This file is not a Baton journal.", {
    received,
    hint: "Name another file with --journal sqlite:PATH; a new journal is made where there is none.",
  });
}

/** The database is damaged. */
export function corruptProblem(path: string, received: string): Problem {
  return makeProblem("journal-corrupt", path, "The journal's file is damaged; nothing more is written to it.", {
    received,
    hint: "Keep the files as they are, run `baton journal verify`, and restore a backup.",
  });
}

/** Nothing is recorded in an archive, which an older version wrote. */
export function archiveProblem(path: string): Problem {
  return makeProblem("journal-copied", path, "This file is an archive. It can be read; nothing is recorded.", {
    hint: `The team can continue in a copy: \`baton journal copy --journal sqlite:${path} --to sqlite:FILE\`.`,
  });
}

/** An input or output error: what the last commit became is unknown. */
export function failedProblem(path: string, received: string): Problem {
  return makeProblem("journal-failed", path, "Writing the journal failed; nothing more is written by this process.", {
    received,
    hint: "Check the disk and the system log, start again, run `baton journal verify`, and send again with the same id.",
  });
}

/** Another file, or none, is where the journal was opened: nobody would find what is written to the old one. */
export function movedProblem(path: string): Problem {
  return makeProblem("journal-failed", path, "The journal's file was removed or replaced while it was in use.", {
    hint: "Stop what uses the journal, bring the file back (with its -wal file) or restore a backup, and start again.",
  });
}
