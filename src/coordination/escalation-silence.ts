/**
 * Levels that say nothing: what waits at one goes up by itself. The highest waits for as long as it takes.
 * Source: semantics.md section 3, Escalations.
 */
import { batonName } from "../message/principal.ts";
import { type Level, levelAbove } from "./chain.ts";
import type { Decided } from "./decider.ts";
import type { EscalationRaised } from "./escalation-events.ts";
import { type Escalations, firstEscalationDue } from "./escalation-state.ts";

/** The level that was silent longest beyond its time: each is an entry of its own. */
export interface PassLevel {
  readonly command: "pass-level";
  /** How long the next level may be silent. */
  readonly levelSilentMs: number;
  readonly seq: number;
  readonly atMs: number;
}

/**
 * Raises what waits at the level that was silent longest beyond its time, if one was. The next level's time runs from
 * the deadline that passed, not from its record: where nobody looked for long, it stands where it would stand otherwise.
 */
export function passLevel({ seq, atMs, levelSilentMs }: PassLevel, state: Escalations): Decided<EscalationRaised> {
  const due = firstEscalationDue(state, atMs);
  const next = due === null ? null : levelAbove(due.chain, due.level);
  if (due === null || due.dueAtMs === null || next === null) return { events: [], notes: [] };
  const step = { level: next, by: batonName, how: "silence" as const, seq, atMs };
  const { id, round, mustDecide } = due;
  const dueAtMs = dueAt(due.chain, next, due.dueAtMs + levelSilentMs);
  return {
    events: [{ event: "escalation-raised", id, step, round, mustDecide, evidence: [], dueAtMs }],
    notes: [],
  };
}

/** When a level that may be silent until `untilMs` is passed by. The highest is not: there is nobody above it. */
export function dueAt(chain: readonly Level[], level: Level, untilMs: number): number | null {
  return levelAbove(chain, level) === null ? null : untilMs;
}
