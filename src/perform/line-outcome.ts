/**
 * What became of what an entry began or decided, and which thread it belongs to: derived from the events of the entry and
 * the state at the head, never from the type of a message. It costs what the entry holds. Pure.
 * Source: docs/protocol/record.md, section 21.
 */
import { requestKey } from "../approvals/state.ts";
import { escalationOf } from "../escalations/state.ts";
import { latestRound } from "../shutdown/decide/shutdown-rounds.ts";
import { statusOfReport } from "../tasks/state/report-status.ts";
import type { TaskJudged, TaskReported } from "../tasks/state/task-events.ts";
import type { Work } from "../tasks/state/task-state.ts";
import type { CoordinationEvent, CoordinationState } from "./coordination-state.ts";

/** Every outcome, the worst first: an entry with several has its worst. */
export const outcomes = [
  "refused",
  "disputed",
  "gone",
  "failed",
  "denied",
  "rejected",
  "expired",
  "open",
  "partial",
  "repaired",
  "superseded",
  "reported",
  "held",
  "verified",
  "approved",
  "accepted",
  "completed",
  "resolved",
] as const;

/**
 * What became of an entry. `open`: a request, an escalation, a handoff, a shutdown or a failed audit that waits.
 * `reported`, `partial`, `failed`: what a report says without a verdict. `held`: the claim that its agent still holds.
 * `repaired`: a report that was disputed or gone, or that verdict, once a later verdict confirmed the task.
 */
export type Outcome = (typeof outcomes)[number];

/** What a line of the record says of its entry in addition to the entry. */
export interface LineOutcome {
  /** Null: nothing becomes of such an entry. */
  readonly outcome: Outcome | null;
  /** Seq of the entry that began the thread: the request, report, escalation, handoff or round. Null: it is in none. */
  readonly thread: number | null;
  /**
   * Of a superseded or repaired entry the one that counts now, of a disputed one the report that followed it. Null: nothing
   * took its place.
   */
  readonly supersededBy: number | null;
}

/** An entry that nothing becomes of. */
export const noOutcome: LineOutcome = { outcome: null, thread: null, supersededBy: null };

/**
 * The outcome of the entry `seq` with these events, as `state` has it. The thread is that of the first event that is in
 * one.
 *
 * @example outcomeOf(state, 7, [{ event: "approval-requested", request }]).outcome // "open", later "approved"
 */
export function outcomeOf(state: CoordinationState, seq: number, events: readonly CoordinationEvent[]): LineOutcome {
  const found = events.flatMap((event) => ofEvent(state, seq, event) ?? []);
  const outcome = outcomes.find((each) => found.some((one) => one.outcome === each)) ?? null;
  return {
    outcome,
    thread: found.find(({ thread }) => thread !== null)?.thread ?? null,
    supersededBy: found.find((each) => each.outcome === outcome)?.supersededBy ?? null,
  };
}

type EventOf<Name> = Extract<CoordinationEvent, { readonly event: Name }>;
type Finding<Name> = (state: CoordinationState, event: EventOf<Name>, seq: number) => LineOutcome | null;

/** What becomes of each event; of one that is not here nothing does. */
const findings: { readonly [Name in CoordinationEvent["event"]]?: Finding<Name> } = {
  "task-reported": ({ work }, event, seq) => reportOutcome(work, seq, event),
  "task-verified": ({ work }, event) => verdictOutcome(work, event),
  "task-disputed": ({ work }, event) => verdictOutcome(work, event),
  "task-gone": ({ work }, event) => verdictOutcome(work, event),
  "task-stale": ({ work }, event) => verdictOutcome(work, event),
  "task-claimed": ({ work }, { key, token }) => one(work.tasks.get(key)?.claim?.token === token ? "held" : null, null),
  "leases-expired": () => one("expired", null),
  "agent-disappeared": () => one("expired", null),
  "artifacts-verified": (_, { message }) => one("verified", message),
  "artifacts-disputed": (_, { message }) => one("disputed", message),
  "approval-requested": (state, { request }) => requestOutcome(state, requestKey(request)),
  "approval-answered": (state, { key }) => requestOutcome(state, key),
  "approval-expired": (state, { key }) => requestOutcome(state, key),
  "approval-closed": (state, { key }) => requestOutcome(state, key),
  "security-stopped": ({ quality: { stops } }, { stop: { stop, seq } }) =>
    one(stops.get(stop)?.lifted === null ? "open" : "resolved", seq),
  "stop-lifted": ({ quality: { stops } }, { stop }) => one("resolved", stops.get(stop)?.seq ?? null),
  "escalation-opened": (state, { escalation: { id } }) => escalationOutcome(state, id),
  "escalation-told": (state, { id }) => escalationOutcome(state, id),
  "escalation-raised": (state, { id }) => escalationOutcome(state, id),
  "level-told": (state, { id }) => escalationOutcome(state, id),
  "escalation-resolved": (state, { id, decision }) => escalationOutcome(state, id, decision.seq),
  "escalation-closed": (state, { id }) => escalationOutcome(state, id),
  "handoff-issued": (state, { handoff: { id } }) => handoffOutcome(state, id),
  "handoff-accepted": (state, { id }) => handoffOutcome(state, id, "accepted"),
  "handoff-rejected": (state, { id }) => handoffOutcome(state, id, "rejected"),
  "handoff-completed": (state, { id }) => handoffOutcome(state, id, "completed"),
  "shutdown-started": (state, { round: { requestId } }) => roundOutcome(state, requestId),
  "shutdown-ended": (state, { requestId }) => roundOutcome(state, requestId),
  "shutdown-answered": (state, { requestId }) => ofRound(state, requestId),
  "shutdown-repeated": (state, { requestId }) => ofRound(state, requestId),
  "shutdown-passed": (state, { requestId }) => ofRound(state, requestId),
  "shutdown-forced": (state, { requestId }) => ofRound(state, requestId),
};

/** Whether something becomes of the event: other events need not be kept for `outcomeOf`. */
export function becomes({ event }: CoordinationEvent): boolean {
  return Object.hasOwn(findings, event);
}

/** Whether the event is a verdict against a report on the task `key`. */
export function isVerdictAgainst(event: CoordinationEvent, key: string): event is TaskJudged {
  return (
    (event.event === "task-disputed" || event.event === "task-gone" || event.event === "task-stale") &&
    event.key === key
  );
}

function ofEvent(state: CoordinationState, seq: number, event: CoordinationEvent): LineOutcome | null {
  // The function under an event's name takes that event, which the compiler cannot follow.
  const finding = findings[event.event] as Finding<CoordinationEvent["event"]> | undefined;
  return finding?.(state, event, seq) ?? null;
}

function one(outcome: Outcome | null, thread: number | null, supersededBy: number | null = null): LineOutcome {
  return { outcome, thread, supersededBy };
}

/**
 * A report is what it says until the repository was asked, and superseded by the next one on its task. One that was disputed
 * stays so until the task is verified.
 */
function reportOutcome(work: Work, seq: number, reported: TaskReported): LineOutcome {
  const { key } = reported;
  const status = statusOfReport(work, seq, reported);
  const last = work.tasks.get(key)?.report?.seq ?? null;
  const by = work.disputes.get(key)?.get(seq)?.repair?.report ?? last;
  return one(status === "complete" ? "reported" : status, seq, last === seq ? null : by);
}

function verdictOutcome(work: Work, { key, report, seq, event }: TaskJudged): LineOutcome {
  const task = work.tasks.get(key);
  if (task?.verdict?.seq === seq) return one(task.verdict.state, report);
  const dispute = event === "task-verified" ? undefined : work.disputes.get(key)?.get(report);
  const by = dispute?.repair?.seq ?? task?.verdict?.seq ?? task?.report?.seq ?? null;
  return one(dispute === undefined ? "superseded" : dispute.repair === null ? dispute.state : "repaired", report, by);
}

function requestOutcome({ approvals }: CoordinationState, key: string): LineOutcome | null {
  const request = approvals.requests.get(key);
  return request === undefined ? null : one(request.status, request.seq);
}

/** `decided`: the entry is a decision, which a later one may have replaced because it did not help. */
function escalationOutcome({ escalations }: CoordinationState, id: string, decided?: number): LineOutcome | null {
  const known = escalationOf(escalations, id);
  if (known === null) return null;
  const { steps, decision, status } = known;
  const thread = steps[0]?.seq ?? null;
  if (decided !== undefined && decision?.seq !== decided)
    return one("superseded", thread, decision?.seq ?? steps.at(-1)?.seq ?? null);
  return one(status === "open" ? "open" : "resolved", thread);
}

/** `answer`: the entry is an answer, which stays what it was. */
function handoffOutcome({ handoffs }: CoordinationState, id: string, answer?: Outcome): LineOutcome | null {
  const known = handoffs.all.get(id);
  if (known === undefined) return null;
  return one(answer ?? (known.status === "issued" ? "open" : known.status), known.seq);
}

const roundOutcomes = { open: "open", complete: "completed", incomplete: "failed" } as const;

function roundOutcome({ shutdowns }: CoordinationState, requestId: string): LineOutcome | null {
  const round = latestRound(shutdowns, requestId);
  return round === null ? null : one(roundOutcomes[round.status], round.seqs[0] ?? null);
}

/** An answer to a round, or another asking: in its thread, and nothing becomes of it. */
function ofRound({ shutdowns }: CoordinationState, requestId: string): LineOutcome | null {
  const round = latestRound(shutdowns, requestId);
  return round === null ? null : one(null, round.seqs[0] ?? null);
}
