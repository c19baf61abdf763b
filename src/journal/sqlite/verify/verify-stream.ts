/**
 * Verifying one team's entries, as the walk meets them one by one: bytes, hash, place and link, and against them the
 * anchor, the head that was known, the snapshot and the receipts.
 * Source: docs/protocol/record.md, sections 7 and 13.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { sha256 } from "../../../base/canonical.ts";
import { type TeamName, teamName } from "../../../base/ids.ts";
import { makeProblem, type Problem } from "../../../base/problem.ts";
import type { Anchors } from "../../anchor-file.ts";
import { isArchived } from "../../archive-notice.ts";
import { takesId } from "../../attempt.ts";
import { broken, emptyHead, headAfter, readLossNotice, sameHead, unsealEntry } from "../../chain.ts";
import type { Entry, Head, Receipt } from "../../entry.ts";
import { advance, dropHeld, emptyFold, type Fold } from "../../fold.ts";
import { changedBytes, checkEnd, checkEntry, newStreamCheck, type StreamCheck } from "../../stream-check.ts";
import { splitPlace } from "../connection.ts";
import { boundaryChecksum, onceKey } from "../id-index.ts";
import { encodeFold, type SnapshotRow, snapshotDigest, snapshotRow } from "../snapshot.ts";
import type { Store } from "../store.ts";

/** What the walk knows of one team. */
export interface Stream<State> extends StreamCheck {
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
export function startStreams<State>(
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
export function checkRow<State>(
  store: Store<State>,
  stream: Stream<State>,
  row: Record<string, unknown>,
): readonly Problem[] {
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
export function closeIndex<State>(db: DatabaseSync, stream: Stream<State>): readonly Problem[] {
  const snapshotSeq = stream.snapshot?.head.seq ?? 0;
  return closeIndexCheck(db, stream.index, { isBroken: stream.isBroken, snapshotSeq });
}

/** What was expected in the stream and did not come. */
export function closeStream<State>(stream: Stream<State>): readonly Problem[] {
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
export function lost(team: TeamName, head: Head, anchor: Head): Problem {
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
export function checkForeignRows(db: DatabaseSync, path: string): readonly Problem[] {
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
