/**
 * Verifying: everything that can be computed again is, from the bytes on disk, and compared with what is there. A
 * separate connection reads the file, so that pages cached earlier hide nothing. The walk goes page by page and lets
 * the event loop run; only SQLite's own integrity check is one call. What is checked: the file itself, each
 * team's entries, the index of ids. Source: docs/protocol/record.md,
 * sections 7 and 13.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { sha256 } from "../../../base/canonical.ts";
import { nextTurn } from "../../../base/clock.ts";
import { type TeamName, teamName } from "../../../base/ids.ts";
import { makeProblem, type Problem } from "../../../base/problem.ts";
import { type Anchors, anchorPath, readAnchors } from "../../anchor-file.ts";
import { isArchived } from "../../archive-notice.ts";
import { takesId } from "../../attempt.ts";
import { broken, emptyHead, headAfter, readLossNotice, sameHead, unsealEntry } from "../../chain.ts";
import type { Entry, Head, Receipt } from "../../entry.ts";
import { advance, dropHeld, emptyFold, type Fold } from "../../fold.ts";
import type { VerifyOptions, VerifyReport } from "../../journal.ts";
import {
  changedBytes,
  checkEnd,
  checkEntry,
  newStreamCheck,
  reportOf,
  type StreamCheck,
  unmetReceipt,
} from "../../stream-check.ts";
import { openDatabase, splitPlace, whenFree } from "../connection.ts";
import { boundaryChecksum, onceKey } from "../id-index.ts";
import { checkForm } from "../migrate.ts";
import { encodeFold, type SnapshotRow, snapshotDigest, snapshotRow } from "../snapshot.ts";
import { isSqliteError, problemOf } from "../sqlite-errors.ts";
import { marksChecksum, type Store, stopOnCorruption } from "../store.ts";

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

/* One team's stream. */

/** What the walk knows of one team. */
interface Stream<State> extends StreamCheck {
  readonly number: number;
  readonly snapshot: SnapshotRow | null;
  readonly index: IndexCheck;
  readonly anchor: Head | null;
  isAnchorMet: boolean;
  /** The head that this process had read; the file must still hold it. */
  readonly known: Head;
  isKnownMet: boolean;
  isSnapshotMet: boolean;
  readonly fold: Fold<State>;
}

/**
 * Starts each team of the file, with what its entries must be checked against; and the errors of the tables around
 * them.
 */
function startStreams<State>(
  store: Store<State>,
  db: DatabaseSync,
  anchors: Anchors,
  presented: readonly Receipt[],
): { readonly streams: readonly Stream<State>[]; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const streams: Stream<State>[] = [];
  const numbers = new Set<number>();
  const snapshots = new Map<number, SnapshotRow>();
  for (const row of db.prepare("SELECT * FROM snapshot").all()) snapshots.set(Number(row.team), snapshotRow(row));
  for (const row of db.prepare("SELECT number, name FROM team").all()) {
    const team = teamName(String(row.name));
    const number = Number(row.number);
    if (team === null) {
      problems.push(broken(store.path, `The table of teams holds a name that is none: ${JSON.stringify(row.name)}.`));
      continue;
    }
    numbers.add(number);
    streams.push({
      ...newStreamCheck(team, presented),
      number,
      snapshot: snapshots.get(number) ?? null,
      index: startIndexCheck(db, team, number),
      anchor: anchors.get(team) ?? null,
      isAnchorMet: false,
      known: store.folds.get(team)?.fold.head ?? emptyHead,
      isKnownMet: !store.folds.has(team),
      isSnapshotMet: false,
      fold: emptyFold(store.projection),
    });
  }
  for (const number of snapshots.keys()) {
    if (!numbers.has(number)) problems.push(broken(store.path, `A snapshot belongs to no team (${number}).`));
  }
  return { streams, problems };
}

/** Checks one entry's bytes, hash, place, ids and link, and moves the stream. */
function checkRow<State>(store: Store<State>, stream: Stream<State>, row: Record<string, unknown>): readonly Problem[] {
  const { seq } = splitPlace(Number(row.place));
  const where = `${stream.team}/${seq}`;
  const bytes = row.bytes;
  const hash = row.hash;
  stream.entries += 1;
  if (!(bytes instanceof Uint8Array) || typeof hash !== "string" || sha256(bytes) !== hash) {
    stream.isBroken = true;
    return [changedBytes(where)];
  }
  const entry = unsealEntry(Buffer.from(bytes).toString("utf8"), hash);
  if (entry === null) return [broken(where, "This entry's bytes are not text.")];
  const problems = checkEntry(stream, seq, entry);
  checkIndexed(stream.index, entry);
  meet(stream, entry);
  stream.head = headAfter(entry);
  if (stream.isBroken) return problems;
  advance(stream.fold, store.projection, entry);
  dropHeld(stream.fold.held, entry.seq); // The ids are looked up one by one instead.
  return stream.snapshot?.head.seq === entry.seq ? checkSnapshot(store, stream, stream.snapshot) : problems;
}

function meet<State>(stream: Stream<State>, entry: Entry): void {
  // What the first entry says is in an archive was given up.
  const isGivenUp = (head: Head) => stream.entries === 1 && isArchived(entry, head);
  if (stream.anchor !== null) {
    const notice = entry.kind === "epoch" ? readLossNotice(entry.content) : null;
    stream.isAnchorMet ||=
      sameHead(stream.anchor, entry) ||
      (notice !== null && sameHead(notice.anchor, stream.anchor)) ||
      isGivenUp(stream.anchor);
  }
  stream.isKnownMet ||= sameHead(stream.known, entry) || isGivenUp(stream.known);
}

/** A snapshot must have its digest and, where it is of our version, be what folding gives. */
function checkSnapshot<State>(store: Store<State>, stream: Stream<State>, snapshot: SnapshotRow): readonly Problem[] {
  stream.isSnapshotMet = true;
  const where = `${stream.team} snapshot at ${snapshot.head.seq}`;
  if (snapshotDigest(stream.number, snapshot) !== snapshot.digest)
    return [broken(where, "The snapshot does not have its digest.")];
  if (!sameHead(snapshot.head, stream.head)) return [broken(where, "The snapshot belongs to another entry.")];
  if (snapshot.version !== store.projection.version) return [];
  const again = encodeFold(store, stream.fold);
  const isSame = again.state === snapshot.state && again.inboxes === snapshot.inboxes;
  return isSame ? [] : [broken(where, "Folding the entries again gives another state than the snapshot holds.")];
}

/** What the walk found of the team's part of the index of ids. */
function closeIndex<State>(db: DatabaseSync, stream: Stream<State>): readonly Problem[] {
  const snapshotSeq = stream.snapshot?.head.seq ?? 0;
  return closeIndexCheck(db, stream.index, { isBroken: stream.isBroken, snapshotSeq });
}

/** What was expected in the stream and did not come. */
function closeStream<State>(stream: Stream<State>): readonly Problem[] {
  const problems: Problem[] = [];
  if (stream.entries === 0)
    problems.push(broken(stream.team, "This team has no entry, though teams come with their first."));
  if (stream.anchor !== null && !stream.isAnchorMet) problems.push(lost(stream.team, stream.head, stream.anchor));
  else if (!stream.isKnownMet && stream.known.seq > 0) problems.push(lost(stream.team, stream.head, stream.known));
  if (stream.snapshot !== null && !stream.isSnapshotMet && !stream.isBroken) {
    problems.push(broken(stream.team, `A snapshot belongs to entry ${stream.snapshot.head.seq}, which is not there.`));
  }
  return [...problems, ...checkEnd(stream)];
}

/** The problem of a journal that ends before the entry that its anchor names. */
function lost(team: TeamName, head: Head, anchor: Head): Problem {
  return makeProblem(
    "journal-regressed",
    team,
    `The journal is at entry ${head.seq}, but its anchor names entry ${anchor.seq}.`,
    {
      expected: anchor.hash,
      received: head.hash,
      hint: "Bring back the complete journal (with its -wal file) or a newer backup; if it is gone, run `baton journal accept-loss --reason TEXT`.",
    },
  );
}

/*
 * Verifying the index of ids: each entry up to the boundary that holds an id has its row, and there are no other rows.
 * Others may index while the walk goes on; rows are only ever added above the boundary at its start.
 */

/** What the walk knows of one team's part of the index. */
interface IndexCheck {
  readonly team: TeamName;
  readonly number: number;
  /** The boundary as the walk began; its row may be wrong, and then `isRight` is false. */
  readonly seq: number;
  readonly hash: string;
  readonly isRight: boolean;
  readonly holder: StatementSync;
  isMet: boolean;
  /** How many entries up to the boundary have their row. */
  rows: number;
  /** Entries whose row is missing or names another entry. */
  readonly wrong: number[];
}

/** Starts checking the team's part. Must come after the team's snapshot was read, which never leads the boundary. */
function startIndexCheck(db: DatabaseSync, team: TeamName, number: number): IndexCheck {
  const row = db.prepare("SELECT seq, hash, checksum FROM indexed WHERE team = ?").get(number);
  const seq = Number(row?.seq ?? 0);
  const hash = String(row?.hash ?? "");
  const isRight = row === undefined || row.checksum === boundaryChecksum(number, seq, hash);
  const holder = db.prepare("SELECT seq FROM once WHERE key = ?");
  return { team, number, seq, hash, isRight, holder, isMet: row === undefined, rows: 0, wrong: [] };
}

/** Looks for the row of an entry whose bytes are right. */
function checkIndexed(check: IndexCheck, entry: Entry): void {
  if (entry.seq === check.seq && entry.hash === check.hash) check.isMet = true;
  if (!takesId(entry)) return;
  const row = check.holder.get(onceKey(check.number, entry.principal.agent, entry.id));
  const isIndexed = entry.seq <= check.seq;
  if (row === undefined ? isIndexed : row.seq !== entry.seq) check.wrong.push(entry.seq);
  else if (isIndexed) check.rows += 1;
}

/** What the walk found; `isBroken`: an entry could not be read, so rows may rightly be there without it. */
function closeIndexCheck(
  db: DatabaseSync,
  check: IndexCheck,
  stream: { readonly isBroken: boolean; readonly snapshotSeq: number },
): readonly Problem[] {
  const { team, number, seq, wrong } = check;
  const problems: string[] = [];
  if (!check.isRight || seq < stream.snapshotSeq || (!check.isMet && !stream.isBroken))
    problems.push("The boundary of the index of ids has changed.");
  if (wrong.length > 0)
    problems.push(`The index of ids does not agree with ${wrong.length} entries, the first of them ${wrong[0]}.`);
  // One statement, so that the rows and the boundary are of one moment.
  const counted = db
    .prepare(
      `SELECT count(*) FILTER (WHERE seq <= ?) AS old,
              count(*) FILTER (WHERE seq > coalesce((SELECT seq FROM indexed WHERE team = ?), 0)) AS early
       FROM once WHERE key >= ? AND key < ?`,
    )
    .get(seq, number, `${number} `, `${number}!`);
  const isSurplus = wrong.length === 0 && !stream.isBroken && counted?.old !== check.rows;
  if (isSurplus || counted?.early !== 0) problems.push("The index of ids has rows that belong to no entry.");
  return problems.map((problem) => broken(team, problem));
}

/** Rows of teams that the file does not know. */
function checkForeignRows(db: DatabaseSync, path: string): readonly Problem[] {
  // Rows of a team are between its number with a space and with the sign that follows the space.
  const foreign = db
    .prepare(
      `SELECT (SELECT count(*) FROM once)
            - (SELECT coalesce(sum((SELECT count(*) FROM once WHERE key >= number || ' ' AND key < number || '!')), 0) FROM team)
            + (SELECT count(*) FROM indexed WHERE team NOT IN (SELECT number FROM team)) AS n`,
    )
    .get();
  return foreign?.n === 0 ? [] : [broken(path, "The index of ids has rows that belong to no team.")];
}
