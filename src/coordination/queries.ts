/** What the deciders know, as those ask who route, show or tell it. Nothing here changes anything. */
import { type Fact, says } from "../message/facts.ts";
import { type ApprovalState, findRequest, openRequests, requestAt, requestOf } from "./approvals/approval-store.ts";
import { type ContractView, contractView } from "./contracts/contracts.ts";
import type { CoordinationState } from "./coordination-state.ts";
import { type RecordedResolution, resolutionLike } from "./escalations/escalation-resolving.ts";
import type { Escalation } from "./escalations/escalation-state.ts";
import { latestRound, roundMeant, type ShutdownRound, type Stop } from "./shutdown/shutdown-rounds.ts";
import { planKey } from "./tasks/task-ids.ts";

/** The agent that waits for this answer, or null: the fact is no answer, or answers no known request. */
export function askerOf(state: CoordinationState, fact: Fact, answerer: string): string | null {
  if (says(fact, "shutdown-response")) {
    return roundMeant(state.shutdowns, { answerer, requestId: fact.body.requestId })?.requester ?? null;
  }
  if (!says(fact, "approval-response")) return null;
  const found = findRequest(state.approvals, { requestId: fact.body.requestId, answerer });
  return found.ok ? found.value.requester : null;
}

/** The recorded resolution that this fact repeats word for word, or null: it is none, or says something new. */
export function repeatedResolution(state: CoordinationState, fact: Fact): RecordedResolution | null {
  return says(fact, "resolution") ? resolutionLike(state.resolutions, fact.body) : null;
}

/** The number of the phase that a plan belongs to, as the record has it; null: no contract or plan says it. */
export function recordedPhaseOf({ phases }: CoordinationState, planId: string): number | null {
  const phase = phases.plans.get(planKey(planId))?.phase ?? null;
  return phase !== null && /^\d{1,9}$/.test(phase) ? Number(phase) : null;
}

/** The latest approval request with that id, or null: none was made. */
export function approvalOf(state: CoordinationState, requestId: string): ApprovalState | null {
  return requestOf(state.approvals, requestId);
}

/** The request with that key, which an event has named. */
export function approvalAt(state: CoordinationState, key: string): ApprovalState {
  return requestAt(state.approvals, key);
}

/** Requests that wait for an answer, oldest first. */
export function openApprovals(state: CoordinationState): readonly ApprovalState[] {
  return openRequests(state.approvals);
}

/** All requests, oldest first. */
export function allApprovals(state: CoordinationState): readonly ApprovalState[] {
  return [...state.approvals.requests.values()];
}

/** All contracts, in the order in which their plans came. */
export function allContracts(state: CoordinationState): readonly ContractView[] {
  return [...state.contracts.plans.values()].map((each) => contractView(state.contracts, each));
}

/** All shutdown rounds, oldest first. */
export function allRounds(state: CoordinationState): readonly ShutdownRound[] {
  return [...state.shutdowns.rounds.values()];
}

/** Shutdown rounds that go on, else the last one that was started. */
export function latestRounds({ shutdowns }: CoordinationState): readonly ShutdownRound[] {
  const rounds = [...shutdowns.rounds.values()];
  const open = rounds.filter(({ standing }) => standing === "open");
  return open.length > 0 ? open : rounds.slice(-1);
}

/** The round of that request, or null: none was started. */
export function roundOf(state: CoordinationState, requestId: string): ShutdownRound | null {
  return latestRound(state.shutdowns, requestId);
}

/** Every escalation, oldest first. */
export function allEscalations(state: CoordinationState): readonly Escalation[] {
  return [...state.escalations.all.values()];
}

/** Escalations that wait for a decision, oldest first. */
export function openEscalations(state: CoordinationState): readonly Escalation[] {
  return [...state.escalations.open.keys()].flatMap((key) => state.escalations.all.get(key) ?? []);
}

/** How and in which session the agent last stopped in a shutdown round, or null: it never did. */
export function stopOf(state: CoordinationState, agent: string): Stop | null {
  return state.shutdowns.stops.get(agent) ?? null;
}
