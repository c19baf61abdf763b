/**
 * What becomes due without anybody's word: requests without an answer, shutdown rounds, silent and deserted levels of
 * escalations, leases of silent agents, agents that disappeared, breakers; and what follows where agents leave. Time
 * only counts once it is recorded, late and never early.
 * Source: docs/protocol/record.md, section 10.
 */
import { approvals } from "../approvals/decide/approvals.ts";
import { nextDeadline } from "../approvals/state.ts";
import { invariant } from "../base/invariant.ts";
import type { PassLevel, TellLevel } from "../escalations/decide/escalation-raising.ts";
import { escalations } from "../escalations/decide/escalations.ts";
import { nextEscalationDeadline } from "../escalations/state.ts";
import { nextBreakerDeadline } from "../health/decide/breakers.ts";
import { decideBreakersDue, decideSilence, longestUnseen, type SilenceMoment } from "../health/decide/disappearance.ts";
import { isLimitUntold, limits } from "../phases/decide/limit-rules.ts";
import { findings, isFindingUntold } from "../phases/view/shipped-findings.ts";
import { decideRoundDue } from "../shutdown/decide/ending-rules.ts";
import { nextRoundDeadline } from "../shutdown/decide/shutdown-rounds.ts";
import { releaseAll } from "../tasks/decide/claims.ts";
import { longestSilent } from "../tasks/decide/leases.ts";
import type { CoordinationEvent, CoordinationState } from "./coordination-state.ts";
import type { Decided } from "./decider.ts";

export { keepDeserted } from "../escalations/state.ts";
export { keepAct, keepRoster } from "../health/decide/disappearance.ts";

/** What deadlines are judged by: how long a holder, a program, and a level of an escalation may be silent. */
export type Due = Pick<SilenceMoment, "atMs" | "silentMs" | "unseenMs" | "listeningSinceMs"> &
  Pick<PassLevel, "levelSilentMs">;

/** Whether a deadline has passed and is not recorded yet, by the record alone. */
export function isDue(state: CoordinationState, due: Omit<Due, "levelSilentMs">): boolean {
  const next = nextDue(state, due);
  return next !== null && next <= due.atMs;
}

/** When the next deadline passes, in the accepting machine's milliseconds; null: nothing waits for one. */
export function nextDue(
  state: CoordinationState,
  { silentMs, unseenMs, listeningSinceMs = 0 }: Omit<Due, "atMs" | "levelSilentMs">,
): number | null {
  if (isLimitUntold(state.limits) || isFindingUntold(state.findings) || state.escalations.deserted.size > 0) return 0;
  const [silentSince, unseenSince] = [longestSilent(state.work), longestUnseen(state)];
  const silent = silentSince === null ? null : silentSince + silentMs;
  const unseen = unseenSince === null ? null : Math.max(unseenSince, listeningSinceMs) + unseenMs;
  // Asked twice for every message, so nothing is put together for it.
  let next = earlier(silent, unseen);
  next = earlier(next, nextDeadline(state.approvals));
  next = earlier(next, nextRoundDeadline(state.shutdowns));
  next = earlier(next, nextEscalationDeadline(state.escalations));
  return earlier(next, nextBreakerDeadline(state.breakers));
}

function earlier(one: number | null, other: number | null): number | null {
  return one === null || (other !== null && other < one) ? other : one;
}

/**
 * What has passed and belongs into the entry `seq`: late, never early. No events when nothing has. Each entry reports
 * one thing by a separate message: agents that disappeared, else a shutdown round, else a level that must be notified
 * of something, else a silent level; so the caller repeats the call until nothing is due. `signOf` is only asked about
 * agents that may be silent.
 */
export function decideDue(state: CoordinationState, moment: Due & SilenceMoment): Decided<CoordinationEvent> {
  const { atMs, levelSilentMs, seq } = moment;
  const expired = approvals.decide({ command: "expire-requests", atMs, onlyFirst: true }, state.approvals);
  invariant(expired.ok, "passing a deadline is never refused");
  // It is reported in a separate message, so it is alone in its entry.
  if (expired.value.events.length > 0) return expired.value;
  const silence = decideSilence(state, moment);
  const quiet = silence;
  // Whose lease is over holds nothing any more: what a round says of it is decided on that, in the next entry.
  const isMoved = silence.some(({ event }) => event === "agent-disappeared" || event === "leases-expired");
  if (isMoved) return { events: quiet, notes: [] };
  const rounds = decideRoundDue(state, { atMs, seq });
  // A level is notified of what waits there before any is skipped.
  const handedUp = rounds.length > 0 ? rounds : tellLimit(state, { atMs, levelSilentMs });
  const found = handedUp.length > 0 ? handedUp : tellFinding(state);
  const told = found.length > 0 ? found : passedLevel(state, { atMs, seq, levelSilentMs });
  return { events: [...quiet, ...decideBreakersDue(state, moment), ...told], notes: [] };
}

/** That the person is notified of what is found wrong with a phase since it was shipped. */
function tellFinding(state: CoordinationState): readonly CoordinationEvent[] {
  const told = findings.decide({ command: "tell-finding" }, state.findings);
  invariant(told.ok, "telling of a finding is never refused");
  return told.value.events;
}

function passedLevel(state: CoordinationState, moment: Omit<PassLevel, "command">) {
  const passed = escalations.decide({ command: "pass-level", ...moment }, state.escalations);
  invariant(passed.ok, "passing a level by is never refused");
  return passed.value.events;
}

/** What follows for the work where an agent begins a new session: the claims of the old one are free. */
export function decideReplaced(state: CoordinationState, agent: string): readonly CoordinationEvent[] {
  return releaseAll(state.work, agent, "replaced");
}

/** That a level is notified of an escalation that waits there, which no message brought to it, and what time it has. */
function tellLimit(
  state: CoordinationState,
  moment: Pick<TellLevel, "atMs" | "levelSilentMs">,
): readonly CoordinationEvent[] {
  const told = limits.decide({ command: "tell-limit" }, state.limits);
  invariant(told.ok, "telling of a limit is never refused");
  const levels = told.value.events.flatMap((event) => {
    const limit = event.event === "limit-told" ? state.limits.reached.get(event.key) : undefined;
    if (limit === undefined) return [];
    const { escalation: id, seq: since } = limit;
    const given = escalations.decide({ command: "tell-level", id, since, ...moment }, state.escalations);
    invariant(given.ok, "telling a level is never refused");
    return given.value.events;
  });
  return [...told.value.events, ...levels];
}
