/**
 * The index of deadlines in the file. A commit lowers a team's time where its next deadline is nearer than the index says
 * and leaves it where it is farther, so that most commits write nothing here; the look that finds nothing due raises it.
 */
import type { TeamName } from "../../base/ids.ts";
import { ok, type Result } from "../../base/result.ts";
import { type DueMark, type DueTeams, dueAmong, dueMarkOf, noneDue } from "../deadlines.ts";
import { dataVersion, type Store, teamNumber } from "./store.ts";

/** Brings the index up to the folds that the open transaction has moved. */
export function keepDues(store: Store<unknown>): void {
  for (const team of store.moved) noteDue(store, team, "no later");
  store.moved.clear();
}

/** Puts the deadline of the team's fold into the index: exactly, or only where the index has none or a later one. */
export function noteDue(store: Store<unknown>, team: TeamName, how: "exactly" | "no later"): void {
  const { statements, projection, folds } = store;
  const number = teamNumber(store, team);
  const kept = folds.get(team);
  if (number === null || kept === undefined) return;
  const known = knownMark(store, team, number);
  const mark = dueMarkOf(projection, kept.fold.state);
  if (mark === null) {
    // Who has no deadlines cannot tell those of others.
    if (known !== null) statements.dropDue.run(number);
    store.dues.delete(team);
    return;
  }
  const isKnown = known !== null && known.rule === mark.rule;
  const isEarlier = isKnown && known.at !== null && (mark.at === null || known.at < mark.at);
  if (isKnown && (known.at === mark.at || (isEarlier && how === "no later"))) return;
  statements.putDue.run(number, mark.rule, mark.at);
  store.dues.set(team, { version: dataVersion(store), mark });
}

/** What the index has of the team: as it was last seen, unless another connection has written since. */
function knownMark(store: Store<unknown>, team: TeamName, number: number): DueMark | null {
  const version = dataVersion(store);
  const seen = store.dues.get(team);
  if (seen?.version === version) return seen.mark;
  const mark = markOf(store.statements.due.get(number));
  if (mark !== null) store.dues.set(team, { version, mark });
  return mark;
}

/** The teams of which a deadline may have passed. */
export function readDue(store: Store<unknown>, atMs: number): Result<DueTeams, never> {
  const { rule } = store.projection.deadlines ?? {};
  if (rule === undefined) return ok(noneDue);
  const marks = store.statements.dues.all().map((row) => [String(row.name) as TeamName, markOf(row)] as const);
  return ok(dueAmong(marks, rule, atMs));
}

function markOf(row: Readonly<Record<string, unknown>> | undefined): DueMark | null {
  if (row === undefined || typeof row.rule !== "string") return null;
  return { rule: row.rule, at: row.at === null ? null : Number(row.at) };
}
