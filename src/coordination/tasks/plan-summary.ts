/**
 * What became of a plan, computed from the last word on each of its tasks. Once all are done it is recorded, so that
 * everybody reads the same; what changes it later is recorded anew.
 * Source: docs/protocol/tasks.md, section 8.
 */
import { holding } from "../artifacts/artifact-state.ts";
import type { PlanSummarised } from "./work-events.ts";
import { planKey } from "./work-ids.ts";
import { commitsOf, isDone, type Plan, type PlanSummary, type Report, type Task, type Work } from "./work-state.ts";

export type { PlanSummary } from "./work-state.ts";

/** The summary of a plan as it stands, however its id is spelled; null: it has no tasks. */
export function planSummary(work: Work, planId: string): PlanSummary | null {
  const plan = work.plans.get(planKey(planId));
  if (plan === undefined || plan.tasks.size === 0) return null;
  return summaryOf(plan, tasksOf(work, plan, null));
}

/** The event that records a plan's summary, where `after`, a task as it will be, ends the plan; else nothing. */
export function summaryAfter(work: Work, after: Task, seq: number): readonly PlanSummarised[] {
  const plan = after.plan === null ? undefined : work.plans.get(after.plan);
  if (plan === undefined || !isDone(after)) return [];
  for (const open of plan.open.keys()) if (open !== after.key) return [];
  if (isHeldUp(work, plan.key)) return [];
  return summarised(plan, tasksOf(work, plan, after), seq);
}

/** The same where tasks leave the list, and those that stay are all done. */
export function summaryWithout(
  work: Work,
  planId: string,
  dropped: ReadonlySet<string>,
  seq: number,
): readonly PlanSummarised[] {
  const plan = work.plans.get(planKey(planId));
  if (plan === undefined || dropped.size === 0 || isHeldUp(work, plan.key)) return [];
  const left = tasksOf(work, plan, null).filter(({ key }) => !dropped.has(key));
  return left.length > 0 && left.every(isDone) ? summarised(plan, left, seq) : [];
}

/** The same for a plan that nothing but disputed artifacts held up, which are out of the way. */
export function summaryOnceFree(work: Work, key: string, seq: number): readonly PlanSummarised[] {
  const plan = work.plans.get(key);
  if (plan === undefined || plan.tasks.size === 0 || plan.open.size > 0) return [];
  return summarised(plan, tasksOf(work, plan, null), seq);
}

/** Whether a plan whose tasks are all done is summed up, and nothing has come up since. */
export function isSummarised(work: Work, plan: Plan | undefined): boolean {
  return plan !== undefined && plan.recorded !== null && plan.open.size === 0 && !isHeldUp(work, plan.key);
}

function isHeldUp({ artifacts }: Work, key: string): boolean {
  return holding(artifacts, key).length > 0;
}

function summarised(plan: Plan, tasks: readonly Task[], seq: number): readonly PlanSummarised[] {
  const summary = summaryOf(plan, tasks);
  if (JSON.stringify(plan.recorded?.summary) === JSON.stringify(summary)) return [];
  return [{ event: "plan-summarised", key: plan.key, summary, seq }];
}

function tasksOf(work: Work, plan: Plan, after: Task | null): readonly Task[] {
  return [...plan.tasks.keys()].flatMap((key) => (key === after?.key ? after : (work.tasks.get(key) ?? [])));
}

function summaryOf(plan: Plan, tasks: readonly Task[]): PlanSummary {
  const done = tasks.filter(isDone);
  const reports = done
    .flatMap(({ report, verdict }) => (report === null ? [] : [{ report, verdict }]))
    .toSorted((a, b) => a.report.seq - b.report.seq);
  return {
    plan: plan.plan,
    status: statusOf(tasks, done.length),
    tasksCompleted: done.length,
    tasksTotal: tasks.length,
    commitHashes: unique(reports.flatMap(({ report }) => commitsOf(report))),
    filesModified: unique(reports.flatMap(({ report, verdict }) => report.files ?? verdict?.files ?? [])),
    deviations: unique(reports.flatMap(({ report }) => report.deviations)),
  };
}

/** Complete when every task is; failed when the last word on one is that it failed; else partial. */
function statusOf(tasks: readonly Task[], done: number): Report["status"] {
  if (tasks.some(({ report }) => report?.status === "failed")) return "failed";
  return done === tasks.length ? "complete" : "partial";
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}
