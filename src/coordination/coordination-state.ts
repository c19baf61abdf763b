/**
 * Everything that the deciders know, folded from everything that they record: one part a decider, each folded by its
 * own. Nothing here looks through all that is known: an event costs what it changes.
 */
import type { ApprovalEvent, Approvals } from "./approvals/approval-store.ts";
import { approvals } from "./approvals/approvals.ts";
import { type ContractEvent, type Contracts, contracts } from "./contracts/contracts.ts";
import type { Decider } from "./decider.ts";
import { type ResolutionEvent, type Resolutions, resolutions } from "./escalations/escalation-resolving.ts";
import type { EscalationEvent, Escalations } from "./escalations/escalation-state.ts";
import { escalations } from "./escalations/escalations.ts";
import type { HandoffEvent, Handoffs } from "./handoffs/handoff-state.ts";
import { handoffs } from "./handoffs/handoffs.ts";
import { type Breakers, breakers } from "./health/breakers.ts";
import { type Health, health } from "./health/health.ts";
import { type BreakerEvent, type HealthEvent, isBreakerEvent, isHealthEvent } from "./health/health-events.ts";
import {
  type EntryMoment,
  evolvePhaseFamily,
  followPlans,
  followWork,
  initialPhaseFamily,
  isPhaseFamilyEvent,
  type PhaseFamily,
  type PhaseFamilyEvent,
} from "./phases/phase-family.ts";
import type { ShutdownEvent } from "./shutdown/shutdown-events.ts";
import type { Shutdowns } from "./shutdown/shutdown-rounds.ts";
import { shutdowns } from "./shutdown/shutdowns.ts";
import { work } from "./tasks/task-decider.ts";
import { isWorkEvent, type WorkEvent } from "./tasks/task-events.ts";
import type { Work } from "./tasks/task-state.ts";

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
}

/** Everything that deciders record; plain JSON. */
export type CoordinationEvent = EventsOf[keyof EventsOf] | PhaseFamilyEvent;

/** The deciders by their part of the state. */
const deciders: {
  readonly [Part in keyof EventsOf]: Pick<Decider<CoordinationState[Part], never, EventsOf[Part]>, "evolve">;
} = { contracts, approvals, shutdowns, resolutions, escalations, handoffs, work, health, breakers };

/** The state before the first event. */
export function initialCoordination(): CoordinationState {
  return {
    contracts: contracts.initial(),
    approvals: approvals.initial(),
    shutdowns: shutdowns.initial(),
    resolutions: resolutions.initial(),
    escalations: escalations.initial(),
    handoffs: handoffs.initial(),
    work: work.initial(),
    health: health.initial(),
    breakers: breakers.initial(),
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
  };

function fold<Part extends keyof EventsOf>(
  state: CoordinationState,
  part: Part,
  event: EventsOf[Part],
): CoordinationState {
  state[part] = deciders[part].evolve(state[part], event);
  return state;
}
