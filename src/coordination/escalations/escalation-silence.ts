/**
 * Levels that say nothing: what waits at one goes up by itself, once the level has had its whole time since it was told, and
 * at once where nobody is left there. The highest waits for as long as it takes.
 * Source: docs/protocol/escalations.md.
 */
import { batonName } from "../../message/principal.ts";
import { type Level, levelAbove } from "../chain.ts";
import type { Decided } from "../decider.ts";
import type { EscalationRaised, LevelTold } from "./escalation-events.ts";
import { type Escalations, escalationOf, firstDeserted, firstEscalationDue } from "./escalation-state.ts";

/** The level at which nobody is left, else the one that was silent longest beyond its time: each is an entry of its own. */
export interface PassLevel {
  readonly command: "pass-level";
  /** How long the next level may be silent. */
  readonly levelSilentMs: number;
  readonly seq: number;
  readonly atMs: number;
}

/**
 * Raises what waits at a level where nobody is left, else at the one that was silent longest beyond its time, if one
 * was. The next level is told by the record of it, so its time runs from there: where nobody looked for long, no level
 * is passed by that could not answer.
 */
export function passLevel({ seq, atMs, levelSilentMs }: PassLevel, state: Escalations): Decided<EscalationRaised> {
  const left = firstDeserted(state);
  const due = left ?? firstEscalationDue(state, atMs);
  const next = due === null ? null : levelAbove(due.chain, due.level);
  if (due === null || due.dueAtMs === null || next === null) return { events: [], notes: [] };
  const step = { level: next, by: batonName, how: left === null ? ("silence" as const) : ("left" as const), seq, atMs };
  const { id, round, mustDecide } = due;
  const dueAtMs = dueAt(due.chain, next, atMs + levelSilentMs);
  return {
    events: [{ event: "escalation-raised", id, step, round, mustDecide, evidence: [], dueAtMs }],
    notes: [],
  };
}

/** Baton tells a level of what waits there. */
export interface TellLevel {
  readonly command: "tell-level";
  readonly id: string;
  /** The entry whose message did not reach the level. */
  readonly since: number;
  readonly levelSilentMs: number;
  readonly atMs: number;
}

/**
 * Gives a level its time from now, where that entry brought the escalation there. One that knew of it already, and is told
 * of more that was said, has had its time.
 */
export function tellLevel({ id, since, levelSilentMs, atMs }: TellLevel, state: Escalations): Decided<LevelTold> {
  const known = escalationOf(state, id);
  const isNew = known?.standing === "open" && known.steps.at(-1)?.seq === since;
  const dueAtMs = isNew ? dueAt(known.chain, known.level, atMs + levelSilentMs) : null;
  if (dueAtMs === null || dueAtMs === known?.dueAtMs) return { events: [], notes: [] };
  return { events: [{ event: "level-told", id, dueAtMs }], notes: [] };
}

/** When a level that may be silent until `untilMs` is passed by. The highest is not: there is nobody above it. */
export function dueAt(chain: readonly Level[], level: Level, untilMs: number): number | null {
  return levelAbove(chain, level) === null ? null : untilMs;
}
