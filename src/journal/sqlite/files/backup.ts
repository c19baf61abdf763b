/**
 * Copies and sizes. A copy is made by SQLite itself: reading the files of an open database would drop its locks, and
 * a plain copy may miss the write-ahead log.
 */
import { closeSync, fsyncSync, lstatSync, openSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { type TeamName, teamName } from "../../../base/ids.ts";
import { makeProblem, type Problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { anchorPath, writeAnchors } from "../../anchor-file.ts";
import type { Head } from "../../entry.ts";
import type { JournalStats } from "../../journal.ts";
import { headInFile } from "../anchor.ts";
import { placeEnd, placeOf } from "../connection.ts";
import { pragmaNumber } from "../migrate.ts";
import { searchIndexPath } from "../search/search-index.ts";
import { reading, type Store } from "../store.ts";

/** The journal's sizes and counts. */
export function statsOf(store: Store<unknown>, indexed: (team: TeamName) => number): Result<JournalStats, Problem> {
  const heads = headsOf(store);
  if (!heads.ok) return heads;
  const count = store.db.prepare("SELECT count(*) AS n FROM entry WHERE place > ? AND place < ?");
  const teams = heads.value.map(({ team, number, head }) => {
    return { team, entries: Number(count.get(placeOf(number, 0), placeEnd(number))?.n), head };
  });
  return ok({
    place: store.path,
    bytes: sizeOf(store.path),
    teams,
    engine: {
      logBytes: sizeOf(`${store.path}-wal`),
      pages: pragmaNumber(store.db, "page_count"),
      freePages: pragmaNumber(store.db, "freelist_count"),
      pageBytes: pragmaNumber(store.db, "page_size"),
      schemaVersion: pragmaNumber(store.db, "user_version"),
      sqliteVersion: String(store.db.prepare("SELECT sqlite_version() AS version").get()?.version),
    },
    search: {
      bytes: sizeOf(searchIndexPath(store.path)) + sizeOf(`${searchIndexPath(store.path)}-wal`),
      teams: teams.map(({ team }) => ({ team, indexed: indexed(team) })),
    },
  });
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function headsOf(store: Store<unknown>): Result<readonly { team: TeamName; number: number; head: Head }[], Problem> {
  const heads: { team: TeamName; number: number; head: Head }[] = [];
  for (const row of store.statements.teams.all()) {
    const team = teamName(String(row.name));
    if (team === null) continue; // Damage of a name; verify reports it.
    const head = headInFile(store, team);
    if (!head.ok) return head;
    heads.push({ team, number: Number(row.number), head: head.value });
  }
  return ok(heads);
}

/** Writes a complete copy of the journal to `path`, and its anchor next to it. Refuses to overwrite. */
export async function backupTo(store: Store<unknown>, path: string): Promise<Result<void, Problem>> {
  const target = resolve(path);
  const taken = takenProblem(target);
  if (taken !== null) return err(taken);
  // The heads are taken first: entries that come in between make the copy longer than its anchor, never shorter.
  const heads = await reading(store, () => headsOf(store));
  if (!heads.ok) return heads;
  const copied = await reading(store, () => {
    store.db.prepare("VACUUM INTO ?").run(target);
    return ok(undefined);
  });
  if (!copied.ok) return copied;
  // No connection of this process has the copy open, so opening it drops no lock.
  const descriptor = openSync(target, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
  return writeAnchors(anchorPath(target), new Map(heads.value.map(({ team, head }) => [team, head])));
}

/** Why nothing may be copied to `path`: a file is there, or an anchor. */
export function takenProblem(path: string): Problem | null {
  const taken = [path, anchorPath(path)].find((each) => lstatSync(each, { throwIfNoEntry: false }) !== undefined);
  if (taken === undefined) return null;
  const hint = "Name a new file.";
  return makeProblem("already-exists", taken, "There is a file here already; a backup never overwrites one.", { hint });
}
