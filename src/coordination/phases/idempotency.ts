/** Repeats: who repeats something, and in which entry, changes nothing. */
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { type Decided, nothing } from "../decider.ts";
import type { Said } from "./phase-state.ts";

/** Whether a message repeats an earlier one. */
export function saysTheSame<Told extends Said>(before: Told | null, told: Told): before is Told {
  return before !== null && contentOf(before) === contentOf(told);
}

function contentOf(said: Said): string {
  return JSON.stringify(Object.entries(said).filter(([name]) => name !== "by" && name !== "seq"));
}

/** No events, and the note that says who said it. */
export function saidBefore({ by, seq }: Said): Result<Decided<never>, never> {
  return nothing("already-so", `${by} said so before, at entry ${seq}; nothing changed.`);
}

/** The event, unless the same was said already. */
export function unlessSaidBefore<Told extends Said, Event>(
  before: Told | null,
  told: Told,
  event: Event,
): Result<Decided<Event>, readonly Problem[]> {
  return saysTheSame(before, told) ? saidBefore(before) : ok({ events: [event], notes: [] });
}
