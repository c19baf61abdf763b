/**
 * The deciders about phases as one family: their state, their events, and which of them each event is folded by.
 * Source: docs/protocol/phases.md.
 */
import type { Decider } from "../decider.ts";
import type { WorkEvent } from "../tasks/work-events.ts";
import type { Work } from "../tasks/work-state.ts";
import type { Departments } from "./departments/department-state.ts";
import { type DepartmentEvent, departments } from "./departments/departments.ts";
import { phases } from "./phase.ts";
import type { PhaseEvent } from "./phase-events.ts";
import type { Phases } from "./phase-state.ts";
import { type LimitEvent, type Limits, limits } from "./reached-limits.ts";
import { type QualityEvent, quality } from "./reviews/quality.ts";
import type { Quality } from "./reviews/quality-state.ts";
import type { ReviewEvent } from "./reviews/review-events.ts";
import { followReport, followVerdict } from "./reviews/review-fixes.ts";
import type { Reviews } from "./reviews/review-state.ts";
import { reviews } from "./reviews/reviews.ts";
import { type FindingEvent, findings, type ShippedFindings } from "./reviews/shipped-findings.ts";

/** What the family knows. */
export interface PhaseFamily {
  phases: Phases;
  reviews: Reviews;
  quality: Quality;
  departments: Departments;
  limits: Limits;
  findings: ShippedFindings;
}

/** What each part of it is folded from. */
interface EventsOf {
  readonly phases: PhaseEvent;
  readonly reviews: ReviewEvent;
  readonly quality: QualityEvent;
  readonly departments: DepartmentEvent;
  readonly limits: LimitEvent;
  readonly findings: FindingEvent;
}

export type PhaseFamilyEvent = EventsOf[keyof EventsOf];

const family: {
  readonly [Part in keyof EventsOf]: Pick<Decider<PhaseFamily[Part], never, EventsOf[Part]>, "initial" | "evolve">;
} = { phases, reviews, quality, departments, limits, findings };

const partOf: { readonly [Name in PhaseFamilyEvent["event"]]: keyof EventsOf } = {
  "phase-entered": "phases",
  "critique-recorded": "phases",
  "research-recorded": "phases",
  "design-recorded": "phases",
  "progress-told": "phases",
  "step-skipped": "phases",
  "phase-ended": "phases",
  "plan-specified": "reviews",
  "tests-recorded": "reviews",
  "code-reviewed": "reviews",
  "fixes-judged": "reviews",
  "work-judged": "quality",
  "code-judged": "quality",
  "security-audited": "quality",
  "security-stopped": "quality",
  "stop-lifted": "quality",
  "phase-reviewed": "departments",
  "design-handed-over": "departments",
  "api-negotiated": "departments",
  "department-reported": "departments",
  "department-excluded": "departments",
  "phase-signed-off": "departments",
  "limit-reached": "limits",
  "limit-told": "limits",
  "shipped-finding-noted": "findings",
  "shipped-finding-told": "findings",
};

/** Before the first event. */
export function initialPhaseFamily(): PhaseFamily {
  return {
    phases: phases.initial(),
    reviews: reviews.initial(),
    quality: quality.initial(),
    departments: departments.initial(),
    limits: limits.initial(),
    findings: findings.initial(),
  };
}

/** Whether an event is about phases. */
export function isPhaseFamilyEvent<Other extends { readonly event: string }>(
  event: Other | PhaseFamilyEvent,
): event is PhaseFamilyEvent {
  return Object.hasOwn(partOf, event.event);
}

/** Folds one event into the part that it is of, in place. */
export function evolvePhaseFamily<State extends PhaseFamily>(state: State, event: PhaseFamilyEvent): State {
  fold(state, partOf[event.event], event);
  return state;
}

function fold<Part extends keyof EventsOf>(state: PhaseFamily, part: Part, event: PhaseFamilyEvent): void {
  // The table says that an event of this name is of this part.
  state[part] = family[part].evolve(state[part], event as EventsOf[Part]);
}

/** Keeps what happened to tasks where reviews wait for it, in place. */
export function followWork(state: PhaseFamily, work: Work, event: WorkEvent): void {
  if (event.event === "task-reported" && event.status === "complete") {
    followReport(state.reviews, { ...event, withoutFiles: work.tasks.get(event.key)?.withoutFiles ?? false });
  }
  if (event.event === "task-reported" && event.withdraws !== undefined) {
    const { withdraws: report, files, plan, key, seq } = event;
    followVerdict(state.reviews, { key, plan, report, isVerified: false, files, seq });
  }
  if (event.event === "task-verified" || event.event === "task-disputed" || event.event === "task-stale") {
    const task = work.tasks.get(event.key);
    const files = event.files ?? task?.report?.files ?? null;
    const isVerified = event.event === "task-verified";
    followVerdict(state.reviews, { ...event, files, plan: task?.plan ?? null, isVerified });
  }
}
