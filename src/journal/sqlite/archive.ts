/**
 * An archive: a journal in a file that holds the entries of one team up to one of them. It has its name only once it is
 * whole, verified and on the disk, and is known by the SHA-256 of its bytes.
 * Source: docs/protocol/record.md, section 17.
 */
import { createHash } from "node:crypto";
import { createReadStream, existsSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { TeamName } from "../../base/ids.ts";
import { reasonOf, syncFile, syncFolder } from "../../base/plain-file.ts";
import { type Problem, problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { anchorPath } from "../anchor-file.ts";
import { sameHead } from "../chain.ts";
import type { Entry, Head, Page } from "../entry.ts";
import type { Journal } from "../journal.ts";
import { copyAgents, unfolded } from "../migration.ts";
import type { SqliteJournal } from "./handle.ts";
import { markArchive } from "./migrate.ts";
import { openSqliteJournal } from "./open.ts";
import { faultOf, isSqliteError } from "./sqlite-errors.ts";

/** A file that was written, or that was there. */
export interface ArchiveFile {
  /** SHA-256 of its bytes. */
  readonly digest: string;
  /** Whether this call has written it. */
  readonly isNew: boolean;
}

/**
 * Writes the team's entries up to `head` into `file`, an absolute path, or takes the file that is there where it is the same
 * copy. Refuses with `already-exists` where something else is there, and with the problems of both journals.
 */
export async function writeArchive<State>(
  source: Journal<State>,
  team: TeamName,
  head: Head,
  file: string,
): Promise<Result<ArchiveFile, Problem>> {
  try {
    const isNew = !existsSync(file);
    const done = isNew ? await copyAll(source, team, head, file) : await checkArchive(file, team, head);
    if (!done.ok) return done;
    syncFile(file);
    syncFolder(dirname(file));
    return ok({ digest: await digestOfFile(file), isNew });
  } catch (cause) {
    if (!(cause instanceof Error && "syscall" in cause)) throw cause;
    return err(problem("journal-cannot-open", file, `The archive cannot be written: ${reasonOf(cause)}.`));
  } finally {
    for (const draft of draftsOf(file)) removeJournal(draft);
  }
}

/**
 * The SHA-256 of the file; null: there is none. Must not be asked while this process has it open as a journal. Throws the
 * system's errors.
 */
export async function digestOf(file: string): Promise<string | null> {
  return existsSync(file) ? await digestOfFile(file) : null;
}

async function digestOfFile(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const part of createReadStream(file)) hash.update(part as Uint8Array);
  return hash.digest("hex");
}

/**
 * Calls `act` with the entries of the archive, verified. They are read a few at a time, each time that they are asked for,
 * and end early where the file cannot be read. Refuses as `checkArchive`, and with what is wrong with the file then.
 */
export async function readArchive<Value>(
  file: string,
  team: TeamName,
  head: Head,
  act: (entries: Iterable<Entry>) => Promise<Result<Value, Problem>>,
): Promise<Result<Value, Problem>> {
  return await withArchive(file, team, head, async (archive) => {
    const faults: Problem[] = [];
    const entries = {
      *[Symbol.iterator]() {
        for (const entry of archive.entries(team)) {
          if (entry.ok) yield entry.value;
          else faults.push(entry.error);
        }
      },
    };
    try {
      const done = await act(entries);
      return done.ok || faults[0] === undefined ? done : err(faults[0]);
    } catch (error) {
      // What is written of it is taken back by the journal, and the reason is known here.
      if (faults[0] === undefined) throw error;
      return err(faults[0]);
    }
  });
}

/** The draft in which entries are put, and the compact copy of it that becomes the archive. */
function draftsOf(file: string): readonly [string, string] {
  return [`${file}.part`, `${file}.new`];
}

/** Writes a new archive. Its name is the last thing that it gets. */
async function copyAll<State>(
  source: Journal<State>,
  team: TeamName,
  head: Head,
  file: string,
): Promise<Result<void, Problem>> {
  const [draft, compact] = draftsOf(file);
  for (const left of [draft, compact]) removeJournal(left);
  const opened = await openSqliteJournal(draft, unfolded);
  if (!opened.ok) return opened;
  const filled = await fill(source, opened.value, team, head);
  const copied = filled.ok ? await opened.value.copyTo(compact) : filled;
  await opened.value.close();
  const marked = copied.ok ? mark(compact) : copied;
  const checked = marked.ok ? await checkArchive(compact, team, head) : marked;
  if (!checked.ok) return checked;
  renameSync(anchorPath(compact), anchorPath(file));
  renameSync(compact, file);
  return ok(undefined);
}

/** Marks the finished copy, which nobody else has open. */
function mark(compact: string): Result<void, Problem> {
  let db: DatabaseSync | null = null;
  try {
    db = new DatabaseSync(compact);
    // The next command that opens it would set this, and so change the file.
    db.exec("PRAGMA journal_mode = WAL");
    markArchive(db);
    return ok(undefined);
  } catch (error) {
    if (!isSqliteError(error)) throw error;
    return err(faultOf(error, compact).problem);
  } finally {
    if (db?.isOpen === true) db.close();
  }
}

async function fill<State>(
  source: Journal<State>,
  copy: Journal<null>,
  team: TeamName,
  head: Head,
): Promise<Result<void, Problem>> {
  const agents = new Set<string>();
  for (let after: number | null = 0; after !== null && after < head.seq; ) {
    const page: Result<Page, Problem> = await source.read(team, { after });
    if (!page.ok) return page;
    const entries = page.value.entries.filter(({ seq }) => seq <= head.seq);
    const restored = await copy.restore(team, entries);
    if (!restored.ok) return restored;
    for (const { receivers, principal } of entries)
      for (const agent of [...receivers, principal.agent]) agents.add(agent);
    after = page.value.next;
  }
  return await copyAgents(source, copy, team, agents);
}

/**
 * Whether the file is a sound journal that has the team up to `head` and nothing else. Refuses with `already-exists` where
 * it is another journal, and with what is wrong with it.
 */
function checkArchive(file: string, team: TeamName, head: Head): Promise<Result<void, Problem>> {
  return withArchive(file, team, head, async () => ok(undefined));
}

/** Calls `act` with the archive in the file, once it is checked. */
async function withArchive<Value>(
  file: string,
  team: TeamName,
  head: Head,
  act: (archive: SqliteJournal<null>) => Promise<Result<Value, Problem>>,
): Promise<Result<Value, Problem>> {
  const opened = await openSqliteJournal(file, unfolded, { create: false, readOnly: true });
  if (!opened.ok) return opened;
  await using archive = opened.value;
  const report = await archive.verify();
  const [fault] = report.problems;
  if (fault !== undefined) return err(fault);
  const [only, ...others] = report.teams;
  if (only?.team === team && others.length === 0 && sameHead(only.head, head)) return await act(archive);
  const found = report.teams.map((each) => `${each.team} up to entry ${each.head.seq}`).join(", ");
  return err(
    problem("already-exists", file, "The file is not the archive of these entries.", {
      expected: `${team} up to entry ${head.seq} with hash ${head.hash}`,
      received: found === "" ? "no team" : found,
      hint: "Name another file.",
    }),
  );
}

/** Removes a journal that no process has open, such as an archive that no entry names. */
export function removeJournal(file: string): void {
  for (const path of [file, `${file}-wal`, `${file}-shm`, anchorPath(file)]) rmSync(path, { force: true });
}
