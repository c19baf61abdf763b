/**
 * The inside of an open journal that its parts share: the connection, what is folded so far, and the state of the
 * journal. Only this process's memory; the truth is in the file, and all of this can be dropped at any time.
 */
import type { DatabaseSync } from "node:sqlite";
import { sha256 } from "../../base/canonical.ts";
import type { Clock } from "../../base/clock.ts";
import type { TeamName } from "../../base/ids.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { noMarks } from "../attempt.ts";
import { broken, type Stamp, unsealEntry } from "../chain.ts";
import type { DueMark } from "../deadlines.ts";
import type { Entry, Head } from "../entry.ts";
import type { Fold } from "../fold.ts";
import type { Bell } from "../follow.ts";
import type { JournalCondition, Marks, Projection } from "../journal.ts";
import type { FoldUse } from "../unused-folds.ts";
import { deadlineFromNow, type EntryRow, type Statements, splitPlace, whenFree } from "./connection.ts";
import { isSqliteError, problemOf, readOnlyProblem } from "./sqlite-errors.ts";

/** A fold kept between calls. */
export interface KeptFold<State> extends FoldUse {
  readonly fold: Fold<State>;
  /** The connection's `data_version` at which the fold was known to be at the head; -1: not known. */
  dataVersion: number;
  /** The seq of the newest snapshot of this fold, 0 when there is none. */
  snapshotSeq: number;
  /** How many ids it holds when the file is next asked whether some are in the table by now. */
  lookAtIds: number;
}

/** A team that is behind its anchor. */
export interface Regression {
  readonly head: Head;
  readonly anchor: Head;
}

/** Everything that the parts of an open journal share. */
export interface Store<State> {
  readonly path: string;
  /** The path as SQLite is given it: a URL where the file is opened as immutable. */
  readonly name: string;
  readonly projection: Projection<State>;
  readonly clock: Clock;
  readonly durability: "fsync" | "os";
  readonly readOnly: boolean;
  /** Why nothing may be written, where that is more than a place that cannot be written. */
  readonly refusal: Problem | null;
  /** How long an operation waits for locks. */
  readonly waitMs: number;
  /** Whether the writer waits for what the same turn of the event loop brings. */
  readonly gathers: boolean;
  readonly db: DatabaseSync;
  readonly statements: Statements;
  readonly bell: Bell;
  readonly folds: Map<TeamName, KeptFold<State>>;
  readonly numbers: Map<TeamName, number>;
  /** The `data_version` while this process holds the write lock, when nobody can change it; else null. */
  lockedVersion: number | null;
  readonly regressions: Map<TeamName, Regression>;
  /** Teams whose folds the open transaction has moved. */
  readonly moved: Set<TeamName>;
  /** What the index of deadlines has of teams, and the data version that was seen with. */
  readonly dues: Map<TeamName, { readonly version: number; readonly mark: DueMark }>;
  /** The last time that was written as text. */
  stamp: { readonly at: number; readonly stamp: Stamp } | null;
  /** How far the wall clock is ahead, as the file has it; null: the file keeps none. */
  aheadMs: number | null;
  /** Set once and for good when the file can no longer be trusted or written. */
  failure: Problem | null;
}

/** The state of the journal, as the contract says it. */
export function conditionOf(store: Store<unknown>): JournalCondition {
  if (store.failure !== null) return { condition: "failed", problem: store.failure };
  for (const [team, regression] of store.regressions) return { condition: "regressed", team, ...regression };
  return { condition: "ready" };
}

/** Why nothing may be written, or null. */
export function writingRefused(store: Store<unknown>): Problem | null {
  if (store.readOnly) return store.refusal ?? readOnlyProblem(store.path);
  const condition = conditionOf(store);
  if (condition.condition === "failed") return condition.problem;
  if (condition.condition !== "regressed") return null;
  const { team, head, anchor } = condition;
  return makeProblem(
    "journal-regressed",
    team,
    `The journal is at entry ${head.seq} of ${team}, but entry ${anchor.seq} had been acknowledged.`,
    {
      expected: `entry ${anchor.seq} with hash ${anchor.hash}`,
      received: `entry ${head.seq} with hash ${head.hash}`,
      hint: "Bring back the complete journal (with its -wal file) or a newer backup; if it is gone, run `baton journal accept-loss --reason TEXT`.",
    },
  );
}

/** Stops writing for good, for the first reason that is given. */
export function failStop(store: Store<unknown>, reason: Problem): Problem {
  store.failure ??= reason;
  return reason;
}

/** Stops writing where a verification found the file itself faulty, here or elsewhere. */
export function stopOnCorruption(store: Store<unknown>, problems: readonly Problem[]): void {
  const isOurs = (problem: Problem) => problem.code === "journal-corrupt" || problem.code === "journal-not-database";
  const fatal = problems.find((problem) => isOurs(problem) && !problem.path.startsWith("receipt "));
  if (fatal !== undefined) failStop(store, fatal);
}

/** The problem behind an error of SQLite; a final one stops writing. Other errors are ours and are thrown again. */
export function noteError(store: Store<unknown>, error: unknown): Problem {
  const problem = problemOf(error, store.path);
  return problem.kind === "final" ? failStop(store, problem.problem) : problem.problem;
}

/** Runs a synchronous read, waiting while SQLite is busy. `act` returns its own problem as an error. */
export async function reading<State, Value>(
  store: Store<State>,
  act: () => Result<Value, Problem>,
): Promise<Result<Value, Problem>> {
  if (store.bell.isClosed()) return err(closedProblem(store));
  try {
    return await whenFree(
      () => (store.bell.isClosed() ? err(closedProblem(store)) : act()),
      deadlineFromNow(store.waitMs),
    );
  } catch (error) {
    if (!isSqliteError(error)) throw error;
    return err(noteError(store, error));
  }
}

/** The journal was closed by its user. */
export function closedProblem(store: Store<unknown>): Problem {
  return makeProblem("journal-failed", store.path, "This journal is closed.", { hint: "Open it again." });
}

/** The team's number; null while it has no entry. */
export function teamNumber(store: Store<unknown>, team: TeamName): number | null {
  const known = store.numbers.get(team);
  if (known !== undefined) return known;
  const row = store.statements.teamByName.get(team);
  if (row === undefined) return null;
  const number = Number(row.number);
  store.numbers.set(team, number);
  return number;
}

/** The value that changes when another connection has committed. */
export function dataVersion(store: Store<unknown>): number {
  if (store.lockedVersion !== null) return store.lockedVersion;
  return Number(store.statements.dataVersion.get()?.data_version);
}

/** A row of the entry statements. */
export function entryRow(row: Record<string, unknown>): EntryRow {
  return { place: Number(row.place), hash: String(row.hash), text: String(row.text) };
}

/** The entry of a row; a row whose text does not match its hash, or that has another entry's place, stops writing. */
export function entryOf(store: Store<unknown>, row: EntryRow): Result<Entry, Problem> {
  const entry = unsealEntry(row.text, row.hash);
  if (entry?.seq === splitPlace(row.place).seq) return ok(entry);
  const problem =
    entry === null
      ? "This entry's bytes have changed: they no longer have the entry's hash."
      : "This entry is at another entry's place.";
  return err(failStop(store, broken(`${store.path} row ${row.place}`, problem)));
}

/**
 * Refuses an entry that does not follow the one before it: a damaged tree can lead in a circle, and a reader that reads
 * on would never come to an end.
 */
export function checkAscent(store: Store<unknown>, before: number, entry: Entry): Problem | null {
  if (entry.seq > before) return null;
  const where = `${store.path} ${entry.team}/${entry.seq}`;
  return failStop(store, broken(where, `This entry comes again behind entry ${before}: the file leads in a circle.`));
}

/** Drops everything held in memory, after a transaction that did not end well. */
export function forget(store: Store<unknown>): void {
  store.folds.clear();
  store.numbers.clear();
  store.moved.clear();
}

/** The checksum of a row of marks. */
export function marksChecksum(teamNumber: number, agent: string, marks: Marks): string {
  return sha256(JSON.stringify([teamNumber, agent, marks.offered, marks.seen])).slice(0, 16);
}

/** The agent's marks; none were set: zeros. A row that does not have its checksum stops writing. */
export function readMarks(store: Store<unknown>, team: TeamName, agent: string): Result<Marks, Problem> {
  const number = teamNumber(store, team);
  const row = number === null ? undefined : store.statements.mark.get(number, agent);
  if (number === null || row === undefined) return ok(noMarks);
  const marks = { offered: Number(row.offered), seen: Number(row.seen) };
  if (row.checksum === marksChecksum(number, agent, marks)) return ok(marks);
  return err(
    failStop(store, broken(`${team} marks of ${agent}`, "The marks of this agent have changed by themselves.")),
  );
}

/** Stores the agent's marks. A team without entries has nothing to mark, and nothing is stored. */
export function writeMarks(store: Store<unknown>, team: TeamName, agent: string, marks: Marks): Result<void, Problem> {
  const number = teamNumber(store, team);
  if (number === null) return ok(undefined);
  store.statements.putMark.run(number, agent, marks.offered, marks.seen, marksChecksum(number, agent, marks));
  return ok(undefined);
}

/* Heartbeats outside the chain: the last one of each agent, nothing of those before. */

/** When each agent last gave a sign, in milliseconds since 1970. */
export function readHeartbeats(store: Store<unknown>, team: TeamName): Result<ReadonlyMap<string, number>, Problem> {
  const number = teamNumber(store, team);
  const rows = number === null ? [] : store.statements.signs.all(number);
  return ok(new Map(rows.map((row) => [String(row.agent), Number(row.at)])));
}

/** When the agent last gave a sign; null: never. */
export function readHeartbeat(store: Store<unknown>, team: TeamName, agent: string): number | null {
  const number = teamNumber(store, team);
  const row = number === null ? undefined : store.statements.sign.get(number, agent);
  return row === undefined ? null : Number(row.at);
}

/** Keeps the sign. A team without entries has nobody who could give one, and nothing is kept. */
export function writeHeartbeat(store: Store<unknown>, team: TeamName, agent: string, at: number): void {
  const number = teamNumber(store, team);
  if (number !== null) store.statements.putSign.run(number, agent, at);
}

/** What is noted about each agent. */
export function readNotes(store: Store<unknown>, team: TeamName): Result<ReadonlyMap<string, string>, Problem> {
  const number = teamNumber(store, team);
  const rows = number === null ? [] : store.statements.notes.all(number);
  return ok(new Map(rows.map((row) => [String(row.agent), String(row.text)])));
}

/** Replaces the note by what `change` makes of it; null: it stays. A team without entries keeps none. */
export function changeNote(
  store: Store<unknown>,
  team: TeamName,
  agent: string,
  change: (before: string | null) => string | null,
): void {
  const number = teamNumber(store, team);
  if (number === null) return;
  const row = store.statements.note.get(number, agent);
  const text = change(row === undefined ? null : String(row.text));
  if (text !== null) store.statements.putNote.run(number, agent, text);
}
