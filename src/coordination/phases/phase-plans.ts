/**
 * Whose each plan is and when it was worked on, followed from what happens to contracts and tasks: the first entry of a
 * department's agent about a plan makes it that department's. Costs what the event is about.
 * Source: docs/protocol/phases.md, section 3.
 */
import { isWorkDepartment, type WorkDepartment } from "../../message/role.ts";
import type { ContractEvent } from "../contracts/contracts.ts";
import type { WorkEvent } from "../tasks/work-events.ts";
import { enter, type Work } from "../tasks/work-state.ts";
import { phaseNameOf, phaseOfPlan } from "./phase-ids.ts";
import { enterPhase, type Phases } from "./phase-state.ts";

/** The entry that an event stands in. */
export interface EntryMoment {
  /** The department of whoever acted, if any. */
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
  const phase = known?.phase ?? phaseOfPlan(told.key, told.phaseId);
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
  // Whoever plans or works on a plan works in its phase; its end may be recorded much later.
  if (told.way !== "end") enterPhase(state, { phase, name: phaseNameOf(told.plan) ?? phase, department: owner });
}

/** A name keeps what it did: who reported on a plan stays among its workers, whoever reports after it. */
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
