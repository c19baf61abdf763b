/** Signs of life beside the chain: the last one of each agent, nothing of those before. */
import type { TeamName } from "../../base/ids.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { type Store, teamNumber } from "./store.ts";

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
