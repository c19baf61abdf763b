/**
 * Verifying the index of ids: each entry up to the boundary that holds an id has its row, and there are no other rows.
 * Others may index while the walk goes on; rows are only ever added above the boundary that stood when it began.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { TeamName } from "../../../base/ids.ts";
import type { Problem } from "../../../base/problem.ts";
import { takesId } from "../../attempt.ts";
import { broken } from "../../chain.ts";
import type { Entry } from "../../entry.ts";
import { boundaryChecksum, onceKey } from "../id-index.ts";

/** What the walk knows of one team's part of the index. */
export interface IndexCheck {
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
export function startIndexCheck(db: DatabaseSync, team: TeamName, number: number): IndexCheck {
  const row = db.prepare("SELECT seq, hash, checksum FROM indexed WHERE team = ?").get(number);
  const seq = Number(row?.seq ?? 0);
  const hash = String(row?.hash ?? "");
  const isRight = row === undefined || row.checksum === boundaryChecksum(number, seq, hash);
  const holder = db.prepare("SELECT seq FROM once WHERE key = ?");
  return { team, number, seq, hash, isRight, holder, isMet: row === undefined, rows: 0, wrong: [] };
}

/** Looks for the row of an entry whose bytes are right. */
export function checkIndexed(check: IndexCheck, entry: Entry): void {
  if (entry.seq === check.seq && entry.hash === check.hash) check.isMet = true;
  if (!takesId(entry)) return;
  const row = check.holder.get(onceKey(check.number, entry.principal.agent, entry.id));
  const isIndexed = entry.seq <= check.seq;
  if (row === undefined ? isIndexed : row.seq !== entry.seq) check.wrong.push(entry.seq);
  else if (isIndexed) check.rows += 1;
}

/** What the walk found; `isBroken`: an entry could not be read, so rows may rightly be there without it. */
export function closeIndexCheck(
  db: DatabaseSync,
  check: IndexCheck,
  stream: { readonly isBroken: boolean; readonly snapshotSeq: number },
): readonly Problem[] {
  const { team, number, seq, wrong } = check;
  const faults: string[] = [];
  if (!check.isRight || seq < stream.snapshotSeq || (!check.isMet && !stream.isBroken))
    faults.push("The boundary of the index of ids has changed.");
  if (wrong.length > 0)
    faults.push(`The index of ids does not agree with ${wrong.length} entries, the first of them ${wrong[0]}.`);
  // One statement, so that the rows and the boundary are of one moment.
  const counted = db
    .prepare(
      `SELECT count(*) FILTER (WHERE seq <= ?) AS old,
              count(*) FILTER (WHERE seq > coalesce((SELECT seq FROM indexed WHERE team = ?), 0)) AS early
       FROM once WHERE key >= ? AND key < ?`,
    )
    .get(seq, number, `${number} `, `${number}!`);
  const isSurplus = wrong.length === 0 && !stream.isBroken && counted?.old !== check.rows;
  if (isSurplus || counted?.early !== 0) faults.push("The index of ids has rows that belong to no entry.");
  return faults.map((fault) => broken(team, fault));
}

/** Rows of teams that the file does not know. */
export function checkForeignRows(db: DatabaseSync, path: string): readonly Problem[] {
  // Rows of a team stand between its number with a space and with the sign that follows the space.
  const foreign = db
    .prepare(
      `SELECT (SELECT count(*) FROM once)
            - (SELECT coalesce(sum((SELECT count(*) FROM once WHERE key >= number || ' ' AND key < number || '!')), 0) FROM team)
            + (SELECT count(*) FROM indexed WHERE team NOT IN (SELECT number FROM team)) AS n`,
    )
    .get();
  return foreign?.n === 0 ? [] : [broken(path, "The index of ids has rows that belong to no team.")];
}
