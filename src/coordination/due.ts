/**
 * What becomes due without anybody's word: requests without an answer, shutdown rounds, leases of silent agents; and what
 * follows where agents leave. Time only counts once it is recorded, late and never early.
 * Source: guarantees.md section 1.9.
 */
import { invariant } from "../base/invariant.ts";
import { approvals } from "./approvals.ts";
import { releaseAll } from "./claims.ts";
import type { Decided } from "./decider.ts";
import type { CoordinationEvent, CoordinationState } from "./deciders.ts";
import { decideRoundDue } from "./ending-rules.ts";
import { keepSign, longestSilent, silentHolders } from "./leases.ts";
import { nextDeadline } from "./requests.ts";
import { nextRoundDeadline } from "./shutdown-rounds.ts";
import { work } from "./work.ts";

/** What deadlines are judged by. */
export interface Due {
  readonly atMs: number;
  /** How long a holder must have been silent before its claims end. */
  readonly silentMs: number;
}

/** Whether a deadline has passed and is not recorded yet, by the record alone. */
export function isDue(state: CoordinationState, { atMs, silentMs }: Due): boolean {
  const next = nextDue(state, silentMs);
  return next !== null && next <= atMs;
}

/** When the next deadline passes, in the accepting machine's milliseconds; null: nothing waits for one. */
export function nextDue(state: CoordinationState, silentMs: number): number | null {
  const silentSince = longestSilent(state.work);
  const times = [
    nextDeadline(state.approvals),
    nextRoundDeadline(state.shutdowns),
    silentSince === null ? null : silentSince + silentMs,
  ].filter((time) => time !== null);
  return times.length === 0 ? null : Math.min(...times);
}

/**
 * What has passed and belongs into the entry `seq`: late, never early. No events when nothing has. Of shutdown rounds at
 * most one, because each asks again by a message of its own; so whoever asks looks again until nothing is due.
 * `signOf`: an agent's last sign of life beside the record, asked for those only who may be silent.
 */
export function decideDue(
  state: CoordinationState,
  moment: Due & { readonly seq: number; signOf(agent: string): number | null },
): Decided<CoordinationEvent> {
  const { atMs, silentMs, seq, signOf } = moment;
  const expired = approvals.decide({ command: "expire-requests", atMs }, state.approvals);
  const signs = silentHolders(state.work, atMs, silentMs).map((agent) => [agent, signOf(agent) ?? 0] as const);
  const leases = work.decide({ command: "expire-leases", signs, atMs, silentMs }, state.work);
  invariant(expired.ok && leases.ok, "passing a deadline is never refused");
  const rounds = decideRoundDue(state, { atMs, seq });
  return { events: [...expired.value.events, ...leases.value.events, ...rounds], notes: [] };
}

/** What follows for the work where these agents leave the team, other than by their own word: their claims are free. */
export function decideLeaving(state: CoordinationState, agents: readonly string[]): readonly CoordinationEvent[] {
  return agents.flatMap((agent) => releaseAll(state.work, agent));
}

/** Notes that an entry of the agent's own was recorded: whoever holds a task shows by it that it is there. In place. */
export function keepAct(state: CoordinationState, agent: string, recordedAt: string): void {
  if (state.work.held.has(agent)) keepSign(state.work, agent, Date.parse(recordedAt));
}
