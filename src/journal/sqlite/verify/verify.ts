/**
 * Verifying: everything that can be computed again is, from the bytes on disk, and compared with what is there. A
 * separate connection reads the file, so that pages cached earlier hide nothing. The walk goes page by page and lets
 * the event loop run; only SQLite's own integrity check is one call. What is checked: the file itself, each
 * team's entries (`verify-stream.ts`), the index of ids (`verify-stream.ts`). Source: docs/protocol/record.md,
 * sections 7 and 13.
 */
import type { DatabaseSync } from "node:sqlite";
import { nextTurn } from "../../../base/clock.ts";
import type { Problem } from "../../../base/problem.ts";
import { type Anchors, anchorPath, readAnchors } from "../../anchor-file.ts";
import { broken, emptyHead } from "../../chain.ts";
import type { Receipt } from "../../entry.ts";
import type { VerifyOptions, VerifyReport } from "../../journal.ts";
import { reportOf, unmetReceipt } from "../../stream-check.ts";
import { openDatabase, splitPlace, whenFree } from "../connection.ts";
import { checkForm } from "../migrate.ts";
import { isSqliteError, problemOf } from "../sqlite-errors.ts";
import { marksChecksum, type Store, stopOnCorruption } from "../store.ts";
import {
  checkForeignRows,
  checkRow,
  closeIndex,
  closeStream,
  lost,
  type Stream,
  startStreams,
} from "./verify-stream.ts";

const pageRows = 500;

/** Verifies the file of `store`. An error of the file itself also stops writing. */
export async function verifyFile<State>(store: Store<State>, options: VerifyOptions): Promise<VerifyReport> {
  const problems: Problem[] = [];
  const anchors = readAnchors(anchorPath(store.path));
  if (!anchors.ok) problems.push(anchors.error);
  let db: DatabaseSync | null = null;
  let streams: readonly Stream<State>[] = [];
  try {
    const connection = await whenFree(() => openDatabase(store.name, { readOnly: true, durability: store.durability }));
    db = connection;
    problems.push(...(await whenFree(() => checkPages(connection, store.path))));
    problems.push(...(await whenFree(() => checkForm(connection, store.path))));
    const presented = options.presented ?? [];
    const start = await whenFree(() =>
      startStreams(store, connection, anchors.ok ? anchors.value : new Map(), presented),
    );
    problems.push(...start.problems);
    streams = start.streams;
    await walk(store, connection, new Map(streams.map((stream) => [stream.number, stream])), problems, options);
    if (options.signal?.aborted !== true) {
      for (const stream of streams) problems.push(...closeStream(stream));
      for (const stream of streams) problems.push(...(await whenFree(() => closeIndex(connection, stream))));
      problems.push(...(await whenFree(() => checkForeignRows(connection, store.path))));
    }
    problems.push(...(await whenFree(() => checkMarks(connection, streams))));
    problems.push(...unknownTeams(streams, anchors.ok ? anchors.value : new Map(), presented));
  } catch (error) {
    if (!isSqliteError(error)) throw error;
    problems.push(problemOf(error, store.path).problem);
  } finally {
    if (db?.isOpen === true) db.close();
  }
  stopOnCorruption(store, problems);
  return reportOf(streams, problems);
}

/** Reads every entry once, in order of place. */
async function walk<State>(
  store: Store<State>,
  db: DatabaseSync,
  streams: ReadonlyMap<number, Stream<State>>,
  problems: Problem[],
  { signal, looked }: VerifyOptions,
): Promise<void> {
  let count = 0;
  const page = db.prepare("SELECT place, hash, bytes FROM entry WHERE place > ? ORDER BY place LIMIT ?");
  for (let after = Number.MIN_SAFE_INTEGER; signal?.aborted !== true; await nextTurn()) {
    const from = after;
    const rows = await whenFree(() => page.all(from, pageRows));
    for (const row of rows) {
      after = Number(row.place);
      const stream = streams.get(splitPlace(after).teamNumber);
      if (stream === undefined) problems.push(broken(`${store.path} row ${after}`, "This entry belongs to no team."));
      else problems.push(...checkRow(store, stream, row));
    }
    count += rows.length;
    looked?.(count);
    if (rows.length < pageRows) return;
  }
}

/** Anchors and receipts of teams that the file does not know at all. */
function unknownTeams(
  streams: readonly Stream<unknown>[],
  anchors: Anchors,
  presented: readonly Receipt[],
): readonly Problem[] {
  const known = new Set<string>(streams.map(({ team }) => team));
  const problems = [...anchors]
    .filter(([team]) => !known.has(team))
    .map(([team, anchor]) => lost(team, emptyHead, anchor));
  const receipts = presented.filter(({ team }) => !known.has(team));
  return [...problems, ...receipts.map(unmetReceipt)];
}

/*
 * Verifying the file itself: its pages, whose it is, its tables, and the rows of marks.
 * Source: docs/protocol/record.md, section 13.
 */

/** SQLite's own check of its pages and indexes. */
function checkPages(db: DatabaseSync, path: string): readonly Problem[] {
  const rows = db
    .prepare("PRAGMA integrity_check")
    .all()
    .map((row) => String(row.integrity_check));
  return rows.filter((row) => row !== "ok").map((row) => broken(path, `SQLite's integrity check: ${row}`));
}

/** Every row of marks must have its checksum. */
function checkMarks(
  db: DatabaseSync,
  streams: readonly Pick<Stream<unknown>, "number" | "team">[],
): readonly Problem[] {
  const teams = new Map(streams.map(({ number, team }) => [number, team]));
  const problems: Problem[] = [];
  for (const row of db.prepare("SELECT team, agent, offered, seen, checksum FROM mark").all()) {
    const number = Number(row.team);
    const agent = String(row.agent);
    const marks = { offered: Number(row.offered), seen: Number(row.seen) };
    if (teams.has(number) && row.checksum === marksChecksum(number, agent, marks)) continue;
    problems.push(
      broken(`${teams.get(number) ?? number} marks of ${agent}`, "The marks of this agent have changed by themselves."),
    );
  }
  return problems;
}
