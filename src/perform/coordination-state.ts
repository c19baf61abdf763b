/**
 * Everything that the deciders know, folded from everything that they record: one part a decider, each folded by its
 * own. Nothing here looks through all that is known: an event costs what it changes.
 */
import { approvals } from "../approvals/decide/approvals.ts";
import {
  type ApprovalEvent,
  type ApprovalState,
  type Approvals,
  openRequests,
  requestAt,
  requestOf,
} from "../approvals/state.ts";
import {
  escalations,
  type RecordedResolution,
  type ResolutionEvent,
  type Resolutions,
  resolutionLike,
  resolutions,
} from "../escalations/decide/escalations.ts";
import { type Escalation, type EscalationEvent, type Escalations, openOf } from "../escalations/state.ts";
import { handoffs } from "../handoffs/decide/handoffs.ts";
import type { HandoffEvent, Handoffs } from "../handoffs/state.ts";
import { type Breakers, breakers } from "../health/decide/breakers.ts";
import { type Health, health } from "../health/decide/health.ts";
import { type BreakerEvent, type HealthEvent, isBreakerEvent, isHealthEvent } from "../health/state.ts";
import { type Fact, says } from "../messages/facts.ts";
import { planKey } from "../messages/task-ids.ts";
import {
  type EntryMoment,
  evolvePhaseFamily,
  followPlans,
  followWork,
  initialPhaseFamily,
  isPhaseFamilyEvent,
  type PhaseFamily,
  type PhaseFamilyEvent,
} from "../phases/decide/phase-family.ts";
import { type RemoteEvent, type Remotes, remotes } from "../remotes/decide.ts";
import {
  latestRound,
  roundMeant,
  type ShutdownRound,
  type Shutdowns,
  type Stop,
} from "../shutdown/decide/shutdown-rounds.ts";
import { shutdowns } from "../shutdown/decide/shutdowns.ts";
import type { ShutdownEvent } from "../shutdown/state.ts";
import { type ContractEvent, contracts, contractView } from "../tasks/decide/contracts.ts";
import type { Contracts, ContractView } from "../tasks/state/contract-terms.ts";
import { evolveWork, isWorkEvent, type WorkEvent } from "../tasks/state/task-events.ts";
import { initialWork, type Work } from "../tasks/state/task-state.ts";
import type { Decider } from "./decider.ts";

/** Everything that the deciders know. */
export interface CoordinationState extends PhaseFamily {
  contracts: Contracts;
  approvals: Approvals;
  shutdowns: Shutdowns;
  resolutions: Resolutions;
  escalations: Escalations;
  handoffs: Handoffs;
  work: Work;
  health: Health;
  breakers: Breakers;
  remotes: Remotes;
}

/** What each part of the state is folded from. */
interface EventsOf {
  readonly contracts: ContractEvent;
  readonly approvals: ApprovalEvent;
  readonly shutdowns: ShutdownEvent;
  readonly resolutions: ResolutionEvent;
  readonly escalations: EscalationEvent;
  readonly handoffs: HandoffEvent;
  readonly work: WorkEvent;
  readonly health: HealthEvent;
  readonly breakers: BreakerEvent;
  readonly remotes: RemoteEvent;
}

/** Everything that deciders record; plain JSON. */
export type CoordinationEvent = EventsOf[keyof EventsOf] | PhaseFamilyEvent;

/** The deciders by their part of the state. */
const deciders: {
  readonly [Part in keyof EventsOf]: Pick<Decider<CoordinationState[Part], never, EventsOf[Part]>, "evolve">;
} = {
  contracts,
  approvals,
  shutdowns,
  resolutions,
  escalations,
  handoffs,
  work: { evolve: evolveWork },
  health,
  breakers,
  remotes,
};

/** The state before the first event. */
export function initialCoordination(): CoordinationState {
  return {
    contracts: contracts.initial(),
    approvals: approvals.initial(),
    shutdowns: shutdowns.initial(),
    resolutions: resolutions.initial(),
    escalations: escalations.initial(),
    handoffs: handoffs.initial(),
    work: initialWork(),
    health: health.initial(),
    breakers: breakers.initial(),
    remotes: remotes.initial(),
    ...initialPhaseFamily(),
  };
}

/** Stores who owns the plans of an event, in place; `entry`: the entry of the event. */
export function keepPlans(state: CoordinationState, event: CoordinationEvent, entry: EntryMoment): void {
  if (isPhaseFamilyEvent(event)) return;
  if (event.event === "contract-issued" || isWorkEvent(event)) followPlans(state.phases, state.work, event, entry);
}

/** Folds one event into the state it is given, in place. */
export function evolveCoordination(state: CoordinationState, event: CoordinationEvent): CoordinationState {
  if (isWorkEvent(event)) followWork(state, state.work, event);
  if (isPhaseFamilyEvent(event)) return evolvePhaseFamily(state, event);
  return fold(state, deciderOf(event), event);
}

/** The part of the state that an event changes; `phases`: one of those that are about phases. */
export type StatePart = keyof EventsOf | "phases";

/** Which part of the state an event changes. */
export function partOf(event: CoordinationEvent): StatePart {
  return isPhaseFamilyEvent(event) ? "phases" : deciderOf(event);
}

type OwnEvent = Exclude<CoordinationEvent, PhaseFamilyEvent>;

function deciderOf(event: OwnEvent): keyof EventsOf {
  if (isWorkEvent(event)) return "work";
  if (isHealthEvent(event)) return "health";
  return isBreakerEvent(event) ? "breakers" : parts[event.event];
}

const parts: { readonly [Name in Exclude<OwnEvent, WorkEvent | HealthEvent | BreakerEvent>["event"]]: keyof EventsOf } =
  {
    "contract-issued": "contracts",
    "widening-permitted": "contracts",
    "check-answered": "contracts",
    "tokens-reported": "contracts",
    "tokens-counted": "contracts",
    "approval-requested": "approvals",
    "approval-answered": "approvals",
    "approval-expired": "approvals",
    "approval-closed": "approvals",
    "shutdown-started": "shutdowns",
    "shutdown-joined": "shutdowns",
    "shutdown-answered": "shutdowns",
    "shutdown-repeated": "shutdowns",
    "shutdown-forced": "shutdowns",
    "shutdown-passed": "shutdowns",
    "shutdown-ended": "shutdowns",
    "shutdown-inspected": "shutdowns",
    "escalation-opened": "escalations",
    "escalation-told": "escalations",
    "level-told": "escalations",
    "escalation-raised": "escalations",
    "escalation-resolved": "escalations",
    "escalation-closed": "escalations",
    "handoff-issued": "handoffs",
    "handoff-accepted": "handoffs",
    "handoff-rejected": "handoffs",
    "handoff-completed": "handoffs",
    "resolution-recorded": "resolutions",
    "remote-added": "remotes",
    "remote-removed": "remotes",
    "remote-asked": "remotes",
    "remote-written": "remotes",
    "remote-withdrawn": "remotes",
    "remote-reported": "remotes",
    "remote-reached": "remotes",
  };

function fold<Part extends keyof EventsOf>(
  state: CoordinationState,
  part: Part,
  event: EventsOf[Part],
): CoordinationState {
  state[part] = deciders[part].evolve(state[part], event);
  return state;
}

/*
 * What the deciders know, as those ask who route, show or tell it. Nothing here changes anything.
 */

/** The agent that waits for this answer, or null: the fact is no answer, or answers no known request. */
export function askerOf(state: CoordinationState, fact: Fact, answerer: string): string | null {
  if (says(fact, "shutdown-response")) {
    return roundMeant(state.shutdowns, { answerer, requestId: fact.body.requestId })?.requester ?? null;
  }
  if (!says(fact, "approval-response")) return null;
  return requestOf(state.approvals, fact.body.requestId)?.requester ?? null;
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
  const open = rounds.filter(({ status }) => status === "open");
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
  return openOf(state.escalations);
}

/** How and in which session the agent last stopped in a shutdown round, or null: it never did. */
export function stopOf(state: CoordinationState, agent: string): Stop | null {
  return state.shutdowns.stops.get(agent) ?? null;
}
