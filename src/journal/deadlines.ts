/**
 * The index of deadlines: for each team, when the next of its deadlines passes. It is derived from the state and kept next
 * to the entries, so that a hub finds the few teams that are due among many without folding one. It may name a time too
 * early, and then a look costs a fold; it never names one too late.
 * Source: docs/protocol/record.md, section 10.
 */
import type { TeamName } from "../base/ids.ts";

/** When a state has something due by time alone. */
export interface Deadlines<State> {
  /** Names the rule: what another rule put into the index is not used. */
  readonly rule: string;
  /** When the next deadline may pass, in milliseconds of the journal's clock; null: nothing waits for one. */
  next(state: State): number | null;
}

/** What the index of deadlines answers. */
export interface DueTeams {
  /** Teams of which a deadline may have passed, sorted. */
  readonly teams: readonly TeamName[];
  /** When the next deadline of the others may pass, in milliseconds; null: none of them has one. */
  readonly next: number | null;
}

/** The answer of a journal whose projection has no deadlines. */
export const noneDue: DueTeams = { teams: [], next: null };

/** What the index holds of a team. */
export interface DueMark {
  readonly rule: string;
  /** Null: nothing waits for a deadline. */
  readonly at: number | null;
}

/** What the index is to hold of a team with this state; null: the projection has no deadlines. */
export function dueMarkOf<State>(
  { deadlines }: { readonly deadlines?: Deadlines<State> },
  state: State,
): DueMark | null {
  if (deadlines === undefined) return null;
  const next = deadlines.next(state);
  return { rule: deadlines.rule, at: next === null ? null : Math.floor(next) };
}

/** The answer for these teams: `null` for one of which the index has nothing, or by another rule. */
export function dueAmong(marks: Iterable<readonly [TeamName, DueMark | null]>, rule: string, atMs: number): DueTeams {
  const teams: TeamName[] = [];
  let next: number | null = null;
  for (const [team, mark] of marks) {
    if (mark === null || mark.rule !== rule || (mark.at !== null && mark.at <= atMs)) teams.push(team);
    else if (mark.at !== null) next = Math.min(next ?? mark.at, mark.at);
  }
  return { teams: teams.toSorted(), next };
}
