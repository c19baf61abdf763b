/**
 * Agents that are refused for the same reason again and again: of each agent, code and place how often, and when last. What
 * is kept is bounded, so an agent that is refused for ever costs no more than one that was refused a few times.
 * Source: docs/protocol/needs.md, section 3.
 */
import type { Problem } from "../../base/problem.ts";

/** So often for the same reason within `loopWindowMs` makes a loop. */
export const loopRefusalsMin = 3;
/** Refusals further apart are no loop: ten minutes. */
export const loopWindowMs = 600_000;

/** Most reasons that are kept of all agents, the latest; and most times of one. */
const reasonsMax = 500;
const timesMax = 50;

/** One reason for which an agent was refused. */
export interface RefusalReason {
  readonly agent: string;
  readonly code: Problem["code"];
  /** The last sentence. Holds agents' text. */
  readonly message: string;
  /** The task that the last refused message was about, as written; null: none. */
  readonly task: string | null;
  /** The refusals, the oldest first: seq and time. */
  readonly times: readonly (readonly [seq: number, atMs: number])[];
}

/** By agent, code and place, the one that was refused longest ago first. */
export type RefusalLoops = Map<string, RefusalReason>;

/** A refusal. */
export interface Refusal extends Pick<RefusalReason, "agent" | "code" | "message" | "task"> {
  /** Where, as its problem says. */
  readonly path: string;
  readonly seq: number;
  readonly atMs: number;
}

/** Keeps a refusal, in place. */
export function keepRefusal(loops: RefusalLoops, { path, seq, atMs, ...reason }: Refusal): void {
  const key = JSON.stringify([reason.agent, reason.code, path]);
  const before = loops.get(key)?.times ?? [];
  loops.delete(key);
  const recent = before.filter(([, at]) => atMs - at < loopWindowMs).slice(1 - timesMax);
  loops.set(key, { ...reason, times: [...recent, [seq, atMs]] });
  for (const oldest of loops.keys()) {
    if (loops.size <= reasonsMax) break;
    loops.delete(oldest);
  }
}

/** The reasons for which an agent was refused often enough at `atMs`. */
export function loopsAt(loops: RefusalLoops, atMs: number): readonly RefusalReason[] {
  return [...loops.values()].flatMap((reason) => {
    const times = reason.times.filter(([, at]) => atMs - at < loopWindowMs);
    return times.length >= loopRefusalsMin ? [{ ...reason, times }] : [];
  });
}
