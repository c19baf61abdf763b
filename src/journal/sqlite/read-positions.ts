/**
 * Marks outside the chain: how far an agent was offered and has seen its messages. Each row carries a checksum of
 * itself, since no chain covers it.
 */
import { sha256 } from "../../base/canonical.ts";
import type { TeamName } from "../../base/ids.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { broken } from "../chain.ts";
import type { Marks } from "../journal.ts";
import { noMarks } from "../memory.ts";
import { failStop, type Store, teamNumber } from "./store.ts";

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
export function readSignsOfLife(store: Store<unknown>, team: TeamName): Result<ReadonlyMap<string, number>, Problem> {
  const number = teamNumber(store, team);
  const rows = number === null ? [] : store.statements.signs.all(number);
  return ok(new Map(rows.map((row) => [String(row.agent), Number(row.at)])));
}

/** When the agent last gave a sign; null: never. */
export function readSignOfLife(store: Store<unknown>, team: TeamName, agent: string): number | null {
  const number = teamNumber(store, team);
  const row = number === null ? undefined : store.statements.sign.get(number, agent);
  return row === undefined ? null : Number(row.at);
}

/** Keeps the sign. A team without entries has nobody who could give one, and nothing is kept. */
export function writeSignOfLife(store: Store<unknown>, team: TeamName, agent: string, at: number): void {
  const number = teamNumber(store, team);
  if (number !== null) store.statements.putSign.run(number, agent, at);
}
