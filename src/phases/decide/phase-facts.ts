/**
 * Everything that the conditions of one part of a phase are computed from, gathered from what each decider knows. Costs
 * the plans and tasks of that phase, never the whole record.
 * Source: docs/protocol/phases.md.
 */
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import type { Escalation, Escalations } from "../../escalations/state.ts";
import { type ArtifactRecord, holding, holdingPhase } from "../../evidence/state.ts";
import type { FactKind } from "../../messages/facts.ts";
import { unknownAuthor } from "../../messages/principal.ts";
import { isWorkDepartment, type Role, type WorkDepartment } from "../../messages/role.ts";
import { phaseKey, planKey } from "../../messages/task-ids.ts";
import { type Decided, nothing } from "../../perform/decider.ts";
import { isSummarised } from "../../tasks/state/plan-summary.ts";
import { isDone, isUnverified, isWithdrawn, refutedAmong } from "../../tasks/state/report-status.ts";
import type { Task, Work } from "../../tasks/state/task-state.ts";
import {
  type Departments,
  type DepartmentsOfPhase,
  departmentsOf,
  neededIn,
  type Part,
  type PhasePart,
  type Phases,
  type PlanPlace,
  partOf,
  type Said,
} from "../state/phase-state.ts";
import {
  type PartQuality,
  type PlanReview,
  type Quality,
  qualityOf,
  type Reviews,
  reviewOf,
  type SecurityStop,
  stopsOf,
} from "../state/review-state.ts";

/** The part of the state that phases are judged by. */
export interface PhaseSources {
  readonly phases: Phases;
  readonly reviews: Reviews;
  readonly quality: Quality;
  readonly departments: Departments;
  readonly escalations: Escalations;
  readonly work: Work;
}

/** What a team can say and who is in it. */
export interface Setting {
  /** Kinds of message that its dialects have a word for. */
  readonly kinds: readonly FactKind[];
  /** Roles of its active agents. */
  readonly roles: readonly Role[];
  /** Kinds of message that an agent of the team may send by its role, also one that has left; absent: nobody asks. */
  readonly tellable?: readonly FactKind[];
  /** Departments with agents at work; empty where there is only one. */
  readonly active: readonly WorkDepartment[];
  /** By name, its registrars and theirs, as `Judge` has them; absent: nobody but the person registered anybody. */
  readonly registrars?: Pick<ReadonlyMap<string, readonly string[]>, "get">;
}

/** One plan of a part. */
export interface PlanFacts extends PlanPlace {
  readonly key: string;
  readonly isSummarised: boolean;
  readonly tasksDone: number;
  readonly tasksTotal: number;
  /** Tasks that are reported as complete and that the repository has not confirmed, or cannot. */
  readonly unverified: readonly string[];
  /** Seq of the last report on one of its tasks; 0: there is none. */
  readonly lastReport: number;
  /** Tasks, and messages about artifacts, that the repository does not confirm. */
  readonly disputed: readonly string[];
  /** Tasks that were verified, and whose work is not there any more. */
  readonly gone: readonly string[];
  /** Tasks whose completion was taken back by the agent that had reported it. */
  readonly withdrawn: readonly string[];
  /** Whether all its reports came from another tool's folder: when they came says nothing about how long the work took. */
  readonly isFromFolder: boolean;
  readonly review: PlanReview;
}

/** One part of a phase with all that is known of it. */
export interface PartFacts {
  readonly part: PhasePart;
  readonly plans: readonly PlanFacts[];
  readonly quality: PartQuality;
  readonly stops: readonly SecurityStop[];
  /** Open escalations that hold it. */
  readonly escalations: readonly Escalation[];
  readonly company: DepartmentsOfPhase;
  readonly needed: readonly WorkDepartment[];
  /** Messages about artifacts of the phase that the repository does not confirm; those about a plan are the plan's. */
  readonly artifacts: readonly string[];
}

/** Gathers what is known of a part. What was said of the whole phase counts for each department that says nothing else. */
export function factsOf(sources: PhaseSources, part: Part, setting: Setting): PartFacts {
  const company = departmentsOf(sources.departments, part.phase);
  return {
    part: withCommitted(sources, withWhole(sources.phases, part)),
    plans: plansOf(sources, part, setting),
    quality: qualityWithWhole(sources.quality, part),
    stops: stopsOf(sources.quality, part),
    escalations: escalationsOf(sources, part),
    company,
    needed: neededIn(company, setting.active),
    artifacts: holdingPhase(sources.work.artifacts, part.phase).map(artifactsName),
  };
}

function artifactsName({ type, seq }: ArtifactRecord): string {
  return `${type} of entry ${seq}`;
}

/** A critic's file that the repository has is committed, whatever was said of it. */
function withCommitted({ work }: PhaseSources, part: PhasePart): PhasePart {
  const { critique } = part;
  if (critique === null || critique.committed) return part;
  const record = work.artifacts.records.get(String(critique.seq));
  return record?.finding?.state === "verified" ? { ...part, critique: { ...critique, committed: true } } : part;
}

function withWhole(phases: Phases, part: Part): PhasePart {
  const own = partOf(phases, part);
  if (part.department === null) return own;
  const whole = partOf(phases, { ...part, department: null });
  return {
    ...own,
    critique: own.critique ?? whole.critique,
    research: own.research.length > 0 ? own.research : whole.research,
    design: own.design ?? whole.design,
    skips: { ...whole.skips, ...own.skips },
    ended: own.ended ?? whole.ended,
  };
}

function qualityWithWhole(quality: Quality, part: Part): PartQuality {
  const own = qualityOf(quality, part);
  if (part.department === null) return own;
  const whole = qualityOf(quality, { ...part, department: null });
  const hasVerdict = Object.keys(own.verdicts).length > 0;
  return {
    ...(hasVerdict ? own : whole),
    code: own.code ?? whole.code,
    audit: own.audit ?? whole.audit,
  };
}

/** The plans of a part; without departments at work, all of the phase. */
export function plansOf(
  { phases, work, reviews }: Pick<PhaseSources, "phases" | "work" | "reviews">,
  { phase, department }: Pick<Part, "phase" | "department">,
  { active }: Pick<Setting, "active">,
): readonly PlanFacts[] {
  return [...(phases.plansIn.get(phase)?.keys() ?? [])].flatMap((key) => {
    const place = phases.plans.get(key);
    if (place === undefined) return [];
    if (place.department !== department && (department !== null || active.length > 1)) return [];
    return [planFacts(work, reviews, key, place)];
  });
}

/** In one pass: every look at a phase or a team's status asks this of every plan. */
function planFacts(work: Work, reviews: Reviews, key: string, place: PlanPlace): PlanFacts {
  const plan = work.plans.get(key);
  const tasks: Task[] = [];
  let [tasksDone, lastReport, ofFolder] = [0, 0, 0];
  const [unverified, withdrawn]: [string[], string[]] = [[], []];
  for (const id of plan?.tasks.keys() ?? []) {
    const task = work.tasks.get(id);
    if (task === undefined) continue;
    tasks.push(task);
    if (isDone(task)) tasksDone += 1;
    if (task.report?.reporter === unknownAuthor) ofFolder += 1;
    if (isUnverified(task)) unverified.push(task.task);
    if (isWithdrawn(task)) withdrawn.push(task.task);
    if (task.report !== null && task.report.seq > lastReport) lastReport = task.report.seq;
  }
  const { disputed, gone } = refutedAmong(tasks);
  return {
    ...place,
    key,
    isSummarised: isSummarised(work, plan),
    tasksDone,
    unverified,
    tasksTotal: tasks.length,
    lastReport,
    gone,
    withdrawn,
    disputed: [...disputed, ...holding(work.artifacts, key).map(artifactsName)],
    isFromFolder: ofFolder > 0 && ofFolder === tasks.length,
    review: reviewOf(reviews, key),
  };
}

/** Open escalations that hold a part: about its plans, about its phase, and those that say neither. */
function escalationsOf({ escalations, phases }: PhaseSources, part: Part): readonly Escalation[] {
  return [...escalations.open.keys()].flatMap((key) => {
    const escalation = escalations.all.get(key);
    if (escalation === undefined) return [];
    const place = escalation.plan === null ? undefined : phases.plans.get(planKey(escalation.plan));
    const phase = place?.phase ?? phaseKey(escalation.phase);
    if (phase !== null && phase !== part.phase) return [];
    const department = place === undefined ? departmentIn(escalation) : place.department;
    return department === null || part.department === null || department === part.department ? [escalation] : [];
  });
}

/** The department whose matter an escalation without a plan is; null: it is everybody's. */
function departmentIn({ department }: Escalation): WorkDepartment | null {
  return department !== undefined && isWorkDepartment(department) ? department : null;
}

/* Repeats: who repeats something, and in which entry, changes nothing. */

/** Whether a message repeats an earlier one. */
export function saysTheSame<Told extends Said>(before: Told | null, told: Told): before is Told {
  return before !== null && contentOf(before) === contentOf(told);
}

function contentOf(said: Said): string {
  return JSON.stringify(Object.entries(said).filter(([name]) => name !== "by" && name !== "seq"));
}

/** No events, and the note that says who said it. */
export function saidBefore({ by, seq }: Said): Result<Decided<never>, never> {
  return nothing("already-so", `${by} said so before, at entry ${seq}; nothing changed.`);
}

/** The event, unless the same was said already. */
export function unlessSaidBefore<Told extends Said, Event>(
  before: Told | null,
  told: Told,
  event: Event,
): Result<Decided<Event>, readonly Problem[]> {
  return saysTheSame(before, told) ? saidBefore(before) : ok({ events: [event], notes: [] });
}
