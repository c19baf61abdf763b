/**
 * Levels that say nothing: what waits at one goes up by itself. The highest waits for as long as it takes.
 * Source: semantics.md section 3, Escalations.
 */
import { batonName } from "../message/principal.ts";
import { type Level, levelAbove } from "./chain.ts";
import type { Decided } from "./decider.ts";
import type { EscalationRaised } from "./escalation-events.ts";
import { type Escalations, firstEscalationDue } from "./escalation-state.ts";

/** How long a level may be silent. */
export const levelSilentMs = 300_000;

/** The level that was silent longest beyond its time: each is an entry of its own. */
export interface PassLevel {
  readonly command: "pass-level";
  readonly seq: number;
  readonly atMs: number;
}

/** Raises what waits at the level that was silent longest beyond its time, if one was. */
export function passLevel({ seq, atMs }: PassLevel, state: Escalations): Decided<EscalationRaised> {
  const due = firstEscalationDue(state, atMs);
  const next = due === null ? null : levelAbove(due.chain, due.level);
  if (due === null || next === null) return { events: [], notes: [] };
  const step = { level: next, by: batonName, how: "silence" as const, seq, atMs };
  const { id, round, mustDecide } = due;
  const dueAtMs = dueAt(due.chain, next, atMs);
  return {
    events: [{ event: "escalation-raised", id, step, round, mustDecide, evidence: [], dueAtMs }],
    notes: [],
  };
}

/** When a level is passed by. The highest is not: there is nobody above it. */
export function dueAt(chain: readonly Level[], level: Level, atMs: number): number | null {
  return levelAbove(chain, level) === null ? null : atMs + levelSilentMs;
}
