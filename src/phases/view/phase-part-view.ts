/**
 * One department's part of a phase as people and agents see it: its state, its steps, its plans, what holds it up, and how
 * far it is in numbers.
 * Source: docs/protocol/phases.md.
 */
import { timestampOf } from "../../base/clock.ts";
import type { WorkDepartment } from "../../messages/role.ts";
import type { PartFacts, PlanFacts, Setting } from "../decide/phase-facts.ts";
import type { Critique, DepartmentResult, PhaseStep, ReportedProgress } from "../state/phase-state.ts";
import {
  type Audit,
  type CodeVerdict,
  type MustFix,
  type ReviewStatus,
  type SecurityStop,
  type Verdict,
  validVerdict,
} from "../state/review-state.ts";
import { designGate, type StepView, stepsOf } from "./phase-conditions.ts";

/** One plan of a department. */
export interface PhasePlan {
  readonly plan: string;
  readonly tasksDone: number;
  readonly tasksTotal: number;
  readonly isComplete: boolean;
  readonly isSpecified: boolean;
  /** Whether all its tests failed before its code was there; null: nobody said. */
  readonly allRed: boolean | null;
  /** The round of its code review; 0: none yet. */
  readonly reviewCycle: number;
  readonly review: ReviewStatus | null;
  readonly mustFix: readonly MustFix[];
  /** Tasks that are reported as complete and that the repository has not confirmed, or cannot. */
  readonly unverified: readonly string[];
  readonly disputed: readonly string[];
  /** Tasks that were verified, and whose work is not there any more. */
  readonly gone: readonly string[];
}

/** The state of a department's part of a phase. */
export const partStatuses = [
  "waiting",
  "running",
  "stopped",
  "held",
  "ended",
  "shipped",
  "shipped-with-findings",
] as const;

/** One of them. */
export type PartStatus = (typeof partStatuses)[number];

/** One department's part of a phase; `department` null: the whole team's. */
export interface PhasePartView extends PartProgress {
  readonly department: WorkDepartment | null;
  /** `waiting`: for the design. `stopped`: a security audit failed. `held`: the owner holds the phase. */
  readonly status: PartStatus;
  /** Something was found wrong, and the phase was shipped or ended before. */
  readonly hasFindings: boolean;
  /** The first step that is neither done nor skipped; null: none is left. */
  readonly step: PhaseStep | null;
  readonly steps: readonly StepView[];
  /** What holds it up, in words. */
  readonly blockers: readonly string[];
  readonly plans: readonly PhasePlan[];
  readonly critique: Critique | null;
  readonly verdict: Verdict | null;
  readonly codeVerdict: CodeVerdict | null;
  /** Rounds of remediation since the last verdict that passed. */
  readonly remediation: number;
  readonly audit: Audit | null;
  readonly stops: readonly SecurityStop[];
  readonly result: DepartmentResult | null;
  /** What its lead last told; null: nothing. */
  readonly told: ReportedProgress | null;
  /** Where that differs from what is computed. */
  readonly differences: readonly string[];
}

/** The state of the part that `facts` are about. */
export function partView(facts: PartFacts, setting: Setting, nowMs: number): PhasePartView {
  const { part, plans, quality, stops, company } = facts;
  const steps = stepsOf(facts, setting);
  const progress = progressOf(plans, nowMs);
  const step = steps.find(({ state }) => state === "pending" || state === "running")?.step ?? null;
  const blockers = blockersOf(facts);
  const result = part.department === null ? null : (company.results[part.department] ?? null);
  const { told } = part;
  return {
    department: part.department,
    status: statusOf(facts),
    hasFindings: (part.ended !== null || company.signoff?.decision === "SHIP") && isWrong(facts),
    step,
    ...progress,
    steps,
    blockers,
    plans: plans.map(planView),
    critique: part.critique,
    verdict: validVerdict(quality),
    codeVerdict: quality.code,
    remediation: Math.max(quality.failed.work, quality.failed.code),
    audit: quality.audit,
    stops,
    result,
    told,
    differences: told?.differences ?? [],
  };
}

function statusOf(facts: PartFacts): PartStatus {
  const { part, stops, company } = facts;
  const isLeftOut = part.department !== null && company.excluded[part.department] !== undefined;
  if (company.signoff?.decision === "SHIP" && !isLeftOut) return isWrong(facts) ? "shipped-with-findings" : "shipped";
  if (part.ended !== null) return "ended";
  if (stops.length > 0) return "stopped";
  if (company.signoff?.decision === "HOLD") return "held";
  return designGate(facts).some(({ met }) => !met) ? "waiting" : "running";
}

/** Whether work was found wrong, or an audit failed: where the phase is over, the person must see it. */
function isWrong({ plans, stops, artifacts }: PartFacts): boolean {
  const isFound = plans.some(({ disputed, gone, withdrawn }) => disputed.length + gone.length + withdrawn.length > 0);
  return stops.length > 0 || artifacts.length > 0 || isFound;
}

/** What holds a part up: failed audits, open escalations, disputed work, a design that is not there. */
export function blockersOf(facts: PartFacts): readonly string[] {
  const { stops, escalations, plans, artifacts } = facts;
  return [
    ...stops.map(
      ({ seq, by, critical }) => `the security audit of entry ${seq} failed (by ${by}, ${critical} critical)`,
    ),
    ...escalations.map(({ id, level, issue }) => `${id} waits at ${level}: ${issue}`),
    ...[...new Set([...artifacts, ...plans.flatMap(({ disputed }) => disputed)])].map((each) => `${each} is disputed`),
    ...plans.flatMap(({ gone }) => gone.map((task) => `${task} is gone`)),
    ...plans.flatMap(({ withdrawn }) => withdrawn.map((task) => `the report of ${task} was taken back`)),
    ...designGate(facts).flatMap(({ met, says }) => (met ? [] : [`waits: ${says}`])),
  ];
}

function planView(facts: PlanFacts): PhasePlan {
  const { plan, tasksDone, tasksTotal, isSummarised, unverified, disputed, gone, review } = facts;
  return {
    plan,
    tasksDone,
    tasksTotal,
    isComplete: isSummarised,
    isSpecified: review.specification !== null,
    allRed: review.tests?.allRed ?? null,
    reviewCycle: review.review?.cycle ?? 0,
    review: review.review?.status ?? null,
    mustFix: review.review?.mustFix ?? [],
    unverified,
    disputed,
    gone,
  };
}

/** Numbers of a part. */
export interface PartProgress {
  readonly plansComplete: number;
  readonly plansTotal: number;
  /** Whole percent, rounded down. */
  readonly percentComplete: number;
  /** Tasks that are reported as complete and that the repository has not confirmed, or cannot. */
  readonly unverified: number;
  /** When its plans may be done, RFC 3339; null: no plan is finished yet, or all are. */
  readonly eta: string | null;
}

/** The numbers of these plans at a time. */
export function progressOf(plans: readonly PlanFacts[], nowMs: number): PartProgress {
  const plansComplete = plans.filter(({ isSummarised }) => isSummarised).length;
  const plansTotal = plans.length;
  const etaMs = etaOf(plans, nowMs);
  return {
    plansComplete,
    plansTotal,
    percentComplete: plansTotal === 0 ? 0 : Math.floor((100 * plansComplete) / plansTotal),
    unverified: plans.reduce((sum, { unverified }) => sum + unverified.length, 0),
    eta: etaMs === null ? null : timestampOf(etaMs),
  };
}

/**
 * Plans under way end a median after they began, late ones now; those that wait follow them, as many at a time as are under
 * way.
 */
function etaOf(plans: readonly PlanFacts[], nowMs: number): number | null {
  const median = medianOf(plans.flatMap((plan) => timeOf(plan) ?? []));
  const left = plans.filter(({ isSummarised }) => !isSummarised);
  if (median === null || left.length === 0) return null;
  const running = left.flatMap(({ startedAtMs }) => startedAtMs ?? []);
  const ends = Math.max(nowMs, ...running.map((startedAtMs) => startedAtMs + median));
  const rounds = Math.ceil((left.length - running.length) / Math.max(1, running.length));
  return ends + rounds * median;
}

/** How long a finished plan took; null: that is not known. */
function timeOf({ isSummarised, isFromFolder, startedAtMs, finishedAtMs }: PlanFacts): number | null {
  if (!isSummarised || isFromFolder || startedAtMs === null || finishedAtMs === null) return null;
  return Math.max(0, finishedAtMs - startedAtMs);
}

function medianOf(times: readonly number[]): number | null {
  const sorted = times.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low, high] = [sorted[sorted.length % 2 === 1 ? middle : middle - 1], sorted[middle]];
  return low === undefined || high === undefined ? null : Math.round((low + high) / 2);
}

/** Where what a lead told differs from what is computed, a line each. */
export function progressDifferences(
  told: ReportedProgress,
  { plansComplete, plansTotal, percentComplete }: PartProgress,
  computed: { readonly step: string; readonly blockers: number },
): readonly string[] {
  const differs = (name: string, said: number | string, is: number | string) =>
    said === is ? [] : [`${name} ${said} is reported, ${is} is computed`];
  return [
    ...differs("step", told.step, computed.step),
    ...differs("plans complete", told.plansComplete, plansComplete),
    ...differs("plans in all", told.plansTotal, plansTotal),
    ...differs("percent", told.percentComplete, percentComplete),
    ...differs("blockers", told.blockers.length, computed.blockers),
  ];
}
