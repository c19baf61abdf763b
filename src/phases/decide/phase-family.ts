/**
 * The deciders about phases as one family: their state, their events, and which of them each event is folded by.
 * Source: docs/protocol/phases.md.
 */
import { isWorkDepartment, type WorkDepartment } from "../../messages/role.ts";
import { phaseNameOf, phaseOfPlanId } from "../../messages/task-ids.ts";
import { type Decider, enter } from "../../perform/decider.ts";
import type { ContractEvent } from "../../tasks/decide/contracts.ts";
import type { WorkEvent } from "../../tasks/state/task-events.ts";
import type { Work } from "../../tasks/state/task-state.ts";
import { type Departments, enterPhase, type Phases, planPhase } from "../state/phase-state.ts";
import type { Quality, ReviewEvent, Reviews } from "../state/review-state.ts";
import { type FindingEvent, findings, type ShippedFindings } from "../view/shipped-findings.ts";
import { type DepartmentEvent, departments } from "./departments.ts";
import { type LimitEvent, type Limits, limits } from "./limit-rules.ts";
import { type PhaseEvent, phases } from "./phase.ts";
import { type QualityEvent, quality } from "./quality.ts";
import { followReport, followVerdict, reviews } from "./reviews.ts";

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
  // What cannot be judged confirms nothing any more.
  if (event.event === "verdict-opened") {
    const { report: said, plan = null } = work.tasks.get(event.key) ?? {};
    followVerdict(state.reviews, { ...event, plan, files: said?.files ?? null, isVerified: false });
  }
  // Work that is gone takes no approval back.
  if (event.event === "task-verified" || event.event === "task-disputed" || event.event === "task-stale") {
    const task = work.tasks.get(event.key);
    const files = event.files ?? task?.report?.files ?? null;
    const isVerified = event.event === "task-verified";
    followVerdict(state.reviews, { ...event, files, plan: task?.plan ?? null, isVerified });
  }
}

/*
 * Whose each plan is and when it was worked on, followed from what happens to contracts and tasks: the first entry of a
 * department's agent about a plan makes it that department's. Costs what the event is about.
 * Source: docs/protocol/phases.md, section 3.
 */

/** The entry that an event is in. */
export interface EntryMoment {
  /** The department of the acting agent, if any. */
  readonly department: string | undefined;
  readonly atMs: number;
}

/** Keeps what an event tells about plans, in place; `work` is folded with it already. */
export function followPlans(
  state: Phases,
  work: Work,
  event: ContractEvent | WorkEvent,
  { department, atMs }: EntryMoment,
): void {
  const told = toldPlan(work, event);
  if (told === null) return;
  const known = state.plans.get(told.key);
  const phase = known?.phase ?? phaseOfPlanId(told.key, told.phaseId);
  const owner = known?.department ?? workDepartment(department);
  state.plans.set(told.key, {
    plan: known?.plan ?? told.plan,
    phase,
    department: owner,
    workers: withWorker(known?.workers ?? [], event),
    startedAtMs: known?.startedAtMs ?? (told.way === "work" ? atMs : null),
    finishedAtMs: told.way === "end" ? atMs : (known?.finishedAtMs ?? null),
  });
  if (phase === null) return;
  enter(state.plansIn, phase, told.key);
  const part = { phase, name: phaseNameOf(told.plan) ?? phase, department: owner };
  // Who works on a plan works in its phase, who plans may plan ahead; its end may be recorded much later.
  if (told.way === "plan") planPhase(state, part);
  if (told.way === "work") enterPhase(state, part);
  if (event.event === "task-reported") for (const each of [owner ?? "", ""]) state.reported.set(each, phase);
}

/** A name keeps what it did: who reported on a plan stays among its workers, even if others report after it. */
function withWorker(workers: readonly string[], event: ContractEvent | WorkEvent): readonly string[] {
  return event.event !== "task-reported" || workers.includes(event.reporter) ? workers : [...workers, event.reporter];
}

function workDepartment(department: string | undefined): WorkDepartment | null {
  return department !== undefined && isWorkDepartment(department) ? department : null;
}

/** A plan that an event is about: it is planned, worked on, or at its end. */
interface ToldPlan {
  readonly key: string;
  readonly plan: string;
  readonly phaseId: string | null;
  readonly way: "plan" | "work" | "end";
}

function toldPlan(work: Work, event: ContractEvent | WorkEvent): ToldPlan | null {
  if (event.event === "contract-issued")
    return { key: event.plan, plan: event.terms.planId, phaseId: event.terms.phaseId, way: "plan" };
  if (event.event === "task-added") return ofPlan(work, event.plan, "plan");
  if (event.event === "task-claimed") return ofPlan(work, work.tasks.get(event.key)?.plan ?? null, "work");
  if (event.event === "task-reported") return ofPlan(work, event.plan, "work");
  return event.event === "plan-summarised" ? ofPlan(work, event.key, "end") : null;
}

function ofPlan(work: Work, key: string | null, way: ToldPlan["way"]): ToldPlan | null {
  return key === null ? null : { key, plan: work.plans.get(key)?.plan ?? key, phaseId: null, way };
}
