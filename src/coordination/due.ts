/**
 * What becomes due without anybody's word: requests without an answer, shutdown rounds, silent levels of escalations,
 * leases of silent agents; and what follows where agents leave. Time only counts once it is recorded, late and never early.
 * Source: guarantees.md section 1.9.
 */
import { invariant } from "../base/invariant.ts";
import { approvals } from "./approvals.ts";
import { releaseAll } from "./claims.ts";
import type { Decided } from "./decider.ts";
import type { CoordinationEvent, CoordinationState } from "./deciders.ts";
import { decideRoundDue } from "./ending-rules.ts";
import type { PassLevel } from "./escalation-silence.ts";
import { isHeldUp, nextEscalationDeadline } from "./escalation-state.ts";
import { escalations } from "./escalations.ts";
import { keepSign, longestSilent, silentHolders } from "./leases.ts";
import { nextDeadline } from "./requests.ts";
import { nextRoundDeadline } from "./shutdown-rounds.ts";
import { work } from "./work.ts";

/** What deadlines are judged by. */
export interface Due {
  readonly atMs: number;
  /** How long a holder must have been silent before its claims end. */
  readonly silentMs: number;
  /** How long a level may be silent about an escalation. */
  readonly levelSilentMs: number;
}

/** Whether a deadline has passed and is not recorded yet, by the record alone. */
export function isDue(state: CoordinationState, { atMs, silentMs }: Pick<Due, "atMs" | "silentMs">): boolean {
  const next = nextDue(state, silentMs);
  return next !== null && next <= atMs;
}

/** When the next deadline passes, in the accepting machine's milliseconds; null: nothing waits for one. */
export function nextDue(state: CoordinationState, silentMs: number): number | null {
  const silentSince = longestSilent(state.work);
  const times = [
    nextDeadline(state.approvals),
    nextRoundDeadline(state.shutdowns),
    nextEscalationDeadline(state.escalations),
    silentSince === null ? null : silentSince + silentMs,
  ].filter((time) => time !== null);
  return times.length === 0 ? null : Math.min(...times);
}

/**
 * What has passed and belongs into the entry `seq`: late, never early. No events when nothing has. Of shutdown rounds
 * and silent levels at most one, because each is told by a message of its own; so whoever asks looks again until nothing
 * is due.
 * `signOf`: an agent's last sign of life beside the record, asked for those only who may be silent.
 */
export function decideDue(
  state: CoordinationState,
  moment: Due & { readonly seq: number; signOf(agent: string): number | null },
): Decided<CoordinationEvent> {
  const { atMs, silentMs, levelSilentMs, seq, signOf } = moment;
  const expired = approvals.decide({ command: "expire-requests", atMs }, state.approvals);
  // Who is held up waits for a decision and not for itself: what it holds is kept until one comes.
  const lastSign = (agent: string) => (isHeldUp(state.escalations, agent) ? atMs : (signOf(agent) ?? 0));
  const signs = silentHolders(state.work, atMs, silentMs).map((agent) => [agent, lastSign(agent)] as const);
  const leases = work.decide({ command: "expire-leases", signs, atMs, silentMs }, state.work);
  invariant(expired.ok && leases.ok, "passing a deadline is never refused");
  const rounds = decideRoundDue(state, { atMs, seq });
  // One message an entry: a silent level is passed by in the next.
  const told = rounds.length > 0 ? [] : passedLevel(state, { atMs, seq, levelSilentMs });
  return { events: [...expired.value.events, ...leases.value.events, ...rounds, ...told], notes: [] };
}

function passedLevel(state: CoordinationState, moment: Omit<PassLevel, "command">) {
  const passed = escalations.decide({ command: "pass-level", ...moment }, state.escalations);
  invariant(passed.ok, "passing a level by is never refused");
  return passed.value.events;
}

/** What follows for the work where these agents leave the team, other than by their own word: their claims are free. */
export function decideLeaving(state: CoordinationState, agents: readonly string[]): readonly CoordinationEvent[] {
  return agents.flatMap((agent) => releaseAll(state.work, agent));
}

/** Notes that an entry of the agent's own was recorded: whoever holds a task shows by it that it is there. In place. */
export function keepAct(state: CoordinationState, agent: string, recordedAt: string): void {
  if (state.work.held.has(agent)) keepSign(state.work, agent, Date.parse(recordedAt));
}
