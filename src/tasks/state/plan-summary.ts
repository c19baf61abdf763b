/**
 * The result of a plan, computed from the last report about each of its tasks. Once all are done it is recorded, so
 * that everybody reads the same; what changes it later is recorded again. Source: docs/protocol/tasks.md, section 8.
 */
import { allowsAny } from "../../base/paths/scope.ts";
import { shorten, shortList } from "../../base/text.ts";
import { holding } from "../../evidence/state.ts";
import type { Note } from "../../messages/message.ts";
import { planKey } from "../../messages/task-ids.ts";
import { type ContractEvent, contractOf } from "../decide/contracts.ts";
import type { Contracts } from "./contract-terms.ts";
import { commitsOf, isDone, isReported, isUnverified, isVerified, refutedAmong } from "./report-status.ts";
import type { PlanSummarised, TaskReported, WorkEvent } from "./task-events.ts";
import type { Plan, PlanSummary, Report, Task, Work } from "./task-state.ts";

export type { PlanSummary } from "./task-state.ts";

/** The current summary of a plan, however its id is spelled; null: it has no tasks. */
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

/** The same where tasks leave the list, and those that stay are all done, or there are none. */
export function summaryWithout(
  work: Work,
  planId: string,
  dropped: ReadonlySet<string>,
  seq: number,
): readonly PlanSummarised[] {
  const plan = work.plans.get(planKey(planId));
  if (plan === undefined || dropped.size === 0 || isHeldUp(work, plan.key)) return [];
  const left = tasksOf(work, plan, null).filter(({ key }) => !dropped.has(key));
  return left.every(isDone) ? summarised(plan, left, seq) : [];
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
    deviations: unique([...reports.flatMap(({ report }) => report.deviations), ...unexpected(tasks, reports)]),
  };
}

/** Files that verified work changed outside a forecast, each as a deviation. */
function unexpected(tasks: readonly Task[], reports: readonly Pick<Task, "report" | "verdict">[]): readonly string[] {
  return reports.flatMap(({ report, verdict }) => {
    const forecast = report?.isForecast === true ? report.claimed : null;
    const changed = verdict?.state === "verified" ? verdict.files : report?.files;
    if (forecast === null || changed === null || changed === undefined) return [];
    return changed
      .filter((file) => !allowsAny(forecast, file))
      .map((file) => {
        const other = tasks.find(({ files }) => files.length > 0 && allowsAny(files, file));
        const whose = other === undefined ? "no task of the plan named" : `another task, ${other.task}, names`;
        return `changed ${file}, which ${whose}`;
      });
  });
}

/** Complete when every task is; failed when the last word on one is that it failed; else partial. */
function statusOf(tasks: readonly Task[], done: number): Report["status"] {
  if (tasks.some(({ report }) => report?.status === "failed")) return "failed";
  return done === tasks.length ? "complete" : "partial";
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}

/*
 * A plan's summary as it is shown: what was computed, with what its contract and its tasks add to it.
 * Source: docs/protocol/verdicts.md; docs/protocol/tasks.md, section 8.
 */

/** A plan's summary, with additional facts for people. */
export interface PlanSummaryView extends PlanSummary {
  /** What the contract says the plan is for; null: it has none. */
  readonly objective: string | null;
  /** What was built: titles of the tasks that are done, ids where they have none. */
  readonly built: readonly string[];
  /** What the reports say shows that it works, each once. */
  readonly evidence: readonly string[];
  /** Must-haves of the contract for which no report names evidence. */
  readonly unproven: readonly string[];
  /** Tasks that are reported as complete and that the repository has not confirmed, or cannot. */
  readonly unverified: readonly string[];
  /** What the verdicts of verified tasks note and do not dispute, as `TASK: message`. */
  readonly noted: readonly string[];
  /** Tasks that the repository does not confirm; they hold the plan. */
  readonly disputed: readonly string[];
  /** Tasks that were verified, and whose work is not there any more; they hold it too. */
  readonly gone: readonly string[];
  /** Artifacts, as messages name them, that the repository does not confirm; they hold it as well. */
  readonly disputedArtifacts: readonly string[];
  /** Seq of the entry that recorded it; null: not all tasks are done, or something changed since. */
  readonly seq: number | null;
}

/** The current summary of a plan, however its id is spelled; null: it has no tasks. */
export function summaryViewOf(
  state: { readonly work: Work; readonly contracts: Contracts },
  planId: string,
): PlanSummaryView | null {
  const { work } = state;
  const summary = planSummary(work, planId);
  const plan = work.plans.get(planKey(planId));
  if (summary === null || plan === undefined) return null;
  const tasks = [...plan.tasks.keys()].flatMap((key) => work.tasks.get(key) ?? []);
  const done = tasks.filter(isDone);
  const evidence = evidenceOf(done);
  const terms = contractOf(state.contracts, planId)?.terms;
  return {
    ...summary,
    objective: terms?.objective ?? null,
    built: done.map(({ title, task }) => title ?? task),
    evidence,
    unproven: withoutEvidence(terms?.mustHaves ?? [], evidence),
    unverified: tasks.filter(isUnverified).map(({ task }) => task),
    noted: tasks.filter(isVerified).flatMap(({ task, verdict }) => notedOf(task, verdict?.notes)),
    ...refutedAmong(tasks),
    disputedArtifacts: holding(work.artifacts, plan.key).flatMap(({ artifacts }) => artifacts),
    seq: isSummarised(work, plan) ? (plan.recorded?.seq ?? null) : null,
  };
}

/** A verdict's notes in words, each with its task. */
export function notedOf(task: string, notes: readonly Note[] = []): readonly string[] {
  return notes.map(({ message }) => `${task}: ${message}`);
}

/**
 * The must-haves that evidence does not cover. Any evidence covers all of them, unless it names some: then those that it
 * does not name are left.
 */
export function withoutEvidence(mustHaves: readonly string[], evidence: readonly string[]): readonly string[] {
  const said = evidence.map((each) => each.toLowerCase()).filter((each) => each.trim() !== "");
  if (said.length === 0) return mustHaves;
  const isNamed = (mustHave: string) => said.some((each) => each.includes(mustHave.trim().toLowerCase()));
  const unnamed = mustHaves.filter((mustHave) => !isNamed(mustHave));
  return unnamed.length === mustHaves.length ? [] : unnamed;
}

function evidenceOf(tasks: readonly Task[]): readonly string[] {
  const said = tasks
    .flatMap(({ report }) => report ?? [])
    .toSorted((a, b) => a.seq - b.seq)
    .flatMap(({ evidence }) => (evidence === null || evidence.trim() === "" ? [] : [evidence]));
  return [...new Set(said)];
}

/** Where these events end a plan: a note on the must-haves of its contract that no report shows evidence for. */
export function evidenceNotes(
  { work, contracts }: { readonly work: Work; readonly contracts: Contracts },
  events: readonly (ContractEvent | WorkEvent)[],
): readonly Note[] {
  const ended = planEndedBy(work, events);
  // Most reports end no plan.
  if (ended === null) return [];
  const mustHaves = contractOf(contracts, ended)?.terms.mustHaves ?? [];
  if (mustHaves.length === 0) return [];
  const reported = events.filter((event) => event.event === "task-reported");
  const reports = [...(work.plans.get(ended)?.tasks.keys() ?? [])].flatMap(
    (key) => reported.find((event) => event.key === key) ?? work.tasks.get(key)?.report ?? [],
  );
  const evidence = reports.flatMap((report) => report.evidence ?? []);
  const unproven = withoutEvidence(mustHaves, evidence).map((mustHave) => shorten(mustHave, shownCharactersMax));
  if (unproven.length === 0) return [];
  const isEnded = events.some(({ event }) => event === "plan-summarised");
  const what = isEnded ? "The plan is done" : "Every task of the plan is reported";
  const message = `${what}, and no report shows evidence for: ${shortList(unproven)}`;
  return [{ code: "no-evidence", path: "$.body.evidence", message }];
}

/** Key of the plan that these events end, or would end once its last reports are verified; null: none. */
function planEndedBy({ tasks, plans }: Work, events: readonly (ContractEvent | WorkEvent)[]): string | null {
  let last: TaskReported | null = null;
  for (const event of events) {
    if (event.event === "plan-summarised") return event.key;
    if (event.event === "task-reported" && event.status === "complete" && event.plan !== null) last ??= event;
  }
  const open = last === null ? undefined : plans.get(last.plan ?? "")?.open;
  if (last === null || open === undefined) return null;
  for (const key of open.keys()) {
    const task = tasks.get(key);
    if (key !== last.key && (task === undefined || !isReported(task))) return null;
  }
  return last.plan;
}

/** Most of one must-have that a note repeats. */
const shownCharactersMax = 120;
