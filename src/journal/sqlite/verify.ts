/**
 * Verifying: everything that can be computed again is, from the bytes on disk, and compared with what stands there.
 * A connection of its own reads the file, so that pages cached earlier hide nothing. The walk goes page by page and
 * lets the event loop run; only SQLite's own integrity check is one call.
 * Source: guarantees.md section 1, point 6; section 2 (SQLite).
 */
import type { DatabaseSync } from "node:sqlite";
import { nextTurn } from "../../base/clock.ts";
import { sha256 } from "../../base/digest.ts";
import { type TeamName, teamName } from "../../base/ids.ts";
import { type Problem, problem } from "../../base/problem.ts";
import { broken, checkLink, emptyHead, headAfter, readLossNotice, sameHead, unsealEntry } from "../chain.ts";
import type { Entry, Receipt } from "../entry.ts";
import { advance, emptyFold, type Fold } from "../fold.ts";
import { dropHeld } from "../held-ids.ts";
import type { Head, VerifyReport } from "../journal.ts";
import { missingReceipt } from "../memory.ts";
import { type Anchors, anchorPath, readAnchors } from "./anchor.ts";
import { openDatabase, splitPlace } from "./connection.ts";
import { faultOf, isSqliteError } from "./fault.ts";
import { marksChecksum } from "./marks.ts";
import { applicationId, migrations, pragmaNumber, schemaVersion } from "./migrate.ts";
import { encodeFold, type SnapshotRow, snapshotDigest, snapshotRow } from "./snapshot.ts";
import { failStop, type Store } from "./store.ts";
import { checkForeignRows, checkIndexed, closeIndexCheck, type IndexCheck, startIndexCheck } from "./verify-ids.ts";
import { whenFree } from "./wait.ts";

const pageRows = 500;

/** What the walk knows of one team. */
interface Stream<State> {
  readonly team: TeamName;
  readonly number: number;
  readonly snapshot: SnapshotRow | null;
  readonly index: IndexCheck;
  readonly anchor: Head | null;
  readonly presented: ReadonlyMap<number, Receipt>;
  head: Head;
  entries: number;
  isBroken: boolean;
  isAnchorMet: boolean;
  /** The head that this process had read; the file must still hold it. */
  readonly known: Head;
  isKnownMet: boolean;
  isSnapshotMet: boolean;
  readonly receiptsMet: Set<number>;
  readonly fold: Fold<State>;
}

/** Verifies the file of `store`. A fault of the file itself also stops writing. */
export async function verifyFile<State>(
  store: Store<State>,
  options: { readonly presented?: readonly Receipt[]; readonly signal?: AbortSignal },
): Promise<VerifyReport> {
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
    await walk(store, connection, new Map(streams.map((stream) => [stream.number, stream])), problems, options.signal);
    if (options.signal?.aborted !== true) {
      for (const stream of streams) problems.push(...closeStream(stream));
      for (const stream of streams) problems.push(...(await whenFree(() => closeIndex(connection, stream))));
      problems.push(...(await whenFree(() => checkForeignRows(connection, store.path))));
    }
    problems.push(...(await whenFree(() => checkMarks(connection, streams))));
    problems.push(...unknownTeams(streams, anchors.ok ? anchors.value : new Map(), presented));
  } catch (error) {
    if (!isSqliteError(error)) throw error;
    problems.push(faultOf(error, store.path).problem);
  } finally {
    if (db?.isOpen === true) db.close();
  }
  const isOurs = (fault: Problem) => fault.code === "journal-corrupt" || fault.code === "journal-not-database";
  const fatal = problems.find((fault) => isOurs(fault) && !fault.path.startsWith("receipt "));
  if (fatal !== undefined) failStop(store, fatal);
  const teams = streams.map(({ team, entries, head }) => ({ team, entries, head }));
  return { ok: problems.length === 0, teams: teams.sort((a, b) => (a.team < b.team ? -1 : 1)), problems };
}

/** SQLite's own check of its pages and indexes. */
function checkPages(db: DatabaseSync, path: string): readonly Problem[] {
  const rows = db
    .prepare("PRAGMA integrity_check")
    .all()
    .map((row) => String(row.integrity_check));
  return rows.filter((row) => row !== "ok").map((row) => broken(path, `SQLite's integrity check: ${row}`));
}

/** The file's form: whose it is, its version, and the tables word for word. */
function checkForm(db: DatabaseSync, path: string): readonly Problem[] {
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
      team,
      number,
      snapshot: snapshots.get(number) ?? null,
      index: startIndexCheck(db, team, number),
      anchor: anchors.get(team) ?? null,
      presented: new Map(presented.filter((receipt) => receipt.team === team).map((receipt) => [receipt.seq, receipt])),
      head: emptyHead,
      entries: 0,
      isBroken: false,
      isAnchorMet: false,
      known: store.folds.get(team)?.fold.head ?? emptyHead,
      isKnownMet: !store.folds.has(team),
      isSnapshotMet: false,
      receiptsMet: new Set(),
      fold: emptyFold(store.projection),
    });
  }
  for (const number of snapshots.keys()) {
    if (!numbers.has(number)) problems.push(broken(store.path, `A snapshot belongs to no team (${number}).`));
  }
  return { streams, problems };
}

/** Reads every entry once, in order of place. */
async function walk<State>(
  store: Store<State>,
  db: DatabaseSync,
  streams: ReadonlyMap<number, Stream<State>>,
  problems: Problem[],
  signal: AbortSignal | undefined,
): Promise<void> {
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
    if (rows.length < pageRows) return;
  }
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
    return [broken(where, "This entry's bytes have changed: they no longer have the entry's hash.")];
  }
  const entry = unsealEntry(Buffer.from(bytes).toString("utf8"), hash);
  if (entry === null) return [broken(where, "This entry's bytes are not text.")];
  const faults: Problem[] = [];
  if (entry.seq !== seq) faults.push(broken(where, `This entry says that it is entry ${entry.seq}.`));
  // After a first break in a stream every later link would only repeat it.
  const fault = stream.isBroken ? null : checkLink(stream.team, stream.head, entry);
  if (fault !== null) faults.push(fault);
  stream.isBroken ||= faults.length > 0;
  checkIndexed(stream.index, entry);
  meet(stream, entry);
  stream.head = headAfter(entry);
  if (stream.isBroken) return faults;
  advance(stream.fold, store.projection, entry);
  dropHeld(stream.fold.held, entry.seq); // The ids are looked up one by one instead.
  return stream.snapshot?.head.seq === entry.seq ? checkSnapshot(store, stream, stream.snapshot) : faults;
}

function meet<State>(stream: Stream<State>, entry: Entry): void {
  if (stream.anchor !== null) {
    const notice = entry.kind === "epoch" ? readLossNotice(entry.content) : null;
    stream.isAnchorMet ||=
      sameHead(stream.anchor, entry) || (notice !== null && sameHead(notice.anchor, stream.anchor));
  }
  stream.isKnownMet ||= sameHead(stream.known, entry);
  if (stream.presented.get(entry.seq)?.hash === entry.hash) stream.receiptsMet.add(entry.seq);
}

/** A snapshot must have its digest and, where it is of our version, be what folding gives. */
function checkSnapshot<State>(store: Store<State>, stream: Stream<State>, snapshot: SnapshotRow): readonly Problem[] {
  stream.isSnapshotMet = true;
  const where = `${stream.team} snapshot at ${snapshot.head.seq}`;
  if (snapshotDigest(stream.number, snapshot) !== snapshot.digest)
    return [broken(where, "The snapshot does not have its digest.")];
  if (!sameHead(snapshot.head, stream.head)) return [broken(where, "The snapshot stands on another entry.")];
  if (snapshot.version !== store.projection.version) return [];
  const again = encodeFold(store, stream.fold);
  const isSame = again.state === snapshot.state && again.inboxes === snapshot.inboxes;
  return isSame ? [] : [broken(where, "Folding the entries again gives another state than the snapshot holds.")];
}

function closeIndex<State>(db: DatabaseSync, stream: Stream<State>): readonly Problem[] {
  const snapshotSeq = stream.snapshot?.head.seq ?? 0;
  return closeIndexCheck(db, stream.index, { isBroken: stream.isBroken, snapshotSeq });
}

/** What was expected in the stream and did not come. */
function closeStream<State>(stream: Stream<State>): readonly Problem[] {
  const faults: Problem[] = [];
  if (stream.entries === 0)
    faults.push(broken(stream.team, "This team has no entry, though teams come with their first."));
  if (stream.anchor !== null && !stream.isAnchorMet) faults.push(lost(stream.team, stream.head, stream.anchor));
  else if (!stream.isKnownMet && stream.known.seq > 0) faults.push(lost(stream.team, stream.head, stream.known));
  if (stream.snapshot !== null && !stream.isSnapshotMet && !stream.isBroken) {
    faults.push(broken(stream.team, `A snapshot stands on entry ${stream.snapshot.head.seq}, which is not there.`));
  }
  for (const [seq, receipt] of stream.presented) {
    if (!stream.receiptsMet.has(seq))
      faults.push({ ...missingReceipt(receipt), path: `receipt ${stream.team}/${seq}` });
  }
  return faults;
}

/** Anchors and receipts of teams that the file does not know at all. */
function unknownTeams(
  streams: readonly Stream<unknown>[],
  anchors: Anchors,
  presented: readonly Receipt[],
): readonly Problem[] {
  const known = new Set<string>(streams.map(({ team }) => team));
  const faults = [...anchors]
    .filter(([team]) => !known.has(team))
    .map(([team, anchor]) => lost(team, emptyHead, anchor));
  const receipts = presented.filter(({ team }) => !known.has(team));
  return [
    ...faults,
    ...receipts.map((receipt) => ({ ...missingReceipt(receipt), path: `receipt ${receipt.team}/${receipt.seq}` })),
  ];
}

function lost(team: TeamName, head: Head, anchor: Head): Problem {
  return problem(
    "journal-regressed",
    team,
    `The journal stands at entry ${head.seq}, but its anchor names entry ${anchor.seq}.`,
    {
      expected: anchor.hash,
      received: head.hash,
      hint: "Bring back the complete journal (with its -wal file) or a newer backup; if it is gone, run `baton journal accept-loss`.",
    },
  );
}

/** Every row of marks must have its checksum. */
function checkMarks(db: DatabaseSync, streams: readonly Stream<unknown>[]): readonly Problem[] {
  const teams = new Map(streams.map(({ number, team }) => [number, team]));
  const faults: Problem[] = [];
  for (const row of db.prepare("SELECT team, agent, offered, seen, checksum FROM mark").all()) {
    const number = Number(row.team);
    const agent = String(row.agent);
    const marks = { offered: Number(row.offered), seen: Number(row.seen) };
    if (teams.has(number) && row.checksum === marksChecksum(number, agent, marks)) continue;
    faults.push(
      broken(`${teams.get(number) ?? number} marks of ${agent}`, "The marks of this agent have changed by themselves."),
    );
  }
  return faults;
}
