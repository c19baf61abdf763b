/**
 * What several judges find about one report: verifiers next to clones, and the hub's own look. Findings that agree are one
 * verdict. Where they differ, the task counts as the stricter finding says, until they agree or the owner decides.
 * Source: docs/protocol/verdicts.md, section 9.
 */
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { batonName } from "../../messages/principal.ts";
import type { Decided } from "../../perform/decider.ts";
import { summaryAfter } from "../state/plan-summary.ts";
import { isDone, isSameVerdict } from "../state/report-status.ts";
import type {
  FindingRecorded,
  FindingsDropped,
  PlanSummarised,
  TaskJudged,
  VerdictOpened,
  VerdictSettled,
} from "../state/task-events.ts";
import type { Finding, Judging, Verdict } from "../state/task-report.ts";
import { findTask, type Task, type Work } from "../state/task-state.ts";
import { unknownTask } from "./claim-denials.ts";

/** What a judge found about a report. */
export interface RecordFinding extends Omit<Finding, "judge"> {
  readonly command: "record-finding";
  readonly taskId: string;
  readonly planId: string | null;
  /** Seq of the report that was looked at. */
  readonly report: number;
  readonly judge: string;
}

/** The owner decides by which judge's finding the report counts; `judge` null: by no one's, the rule counts again. */
export interface SettleVerdict {
  readonly command: "settle-verdict";
  readonly taskId: string;
  readonly planId: string | null;
  readonly judge: string | null;
  readonly seq: number;
}

/** A judge may judge no more: where it differs from others, what it found does not count from here on. */
export interface DropFindings {
  readonly command: "drop-findings";
  readonly judge: string;
  readonly seq: number;
}

export type FindingEvent = FindingRecorded | VerdictSettled | FindingsDropped | VerdictOpened | TaskJudged;
type Outcome = Result<Decided<FindingEvent | PlanSummarised>, readonly Problem[]>;

/** Never refused for a known task: a finding about what is no longer the last word comes too late, which is noted. */
export function recordFinding(command: RecordFinding, work: Work): Outcome {
  const { command: _, taskId, planId, report, ...finding } = command;
  const task = findTask(work, taskId, planId);
  if (task === null) return err([unknownTask(work, taskId, planId)]);
  const late = lateNote(task, report);
  if (late !== null) return ok({ events: [], notes: [late] });
  const known = findingOf(task, finding.judge);
  if (known !== null && isSameVerdict(known, finding)) {
    const message = `${finding.judge} found ${task.task} ${finding.state} before, at entry ${known.seq}.`;
    return ok({ events: [], notes: [{ code: "already-so", path: "$.body.taskId", message }] });
  }
  const recorded: FindingRecorded = { event: "finding-recorded", key: task.key, task: task.task, report, ...finding };
  const judging = withFinding(task, finding);
  return ok({ events: [recorded, ...consequences(work, task, judging, finding.seq)], notes: [] });
}

/** Refuses `unknown-task`, and `not-found` where the judge has not seen the work. What comes too late is noted. */
export function settleVerdict(command: SettleVerdict, work: Work): Outcome {
  const { taskId, planId, judge, seq } = command;
  const task = findTask(work, taskId, planId);
  if (task === null) return err([unknownTask(work, taskId, planId)]);
  const judging = judgingOf(task);
  const finding = judging.findings.find((each) => each.judge === judge);
  if (judge !== null && (finding === undefined || finding.state === "undecided"))
    return err([noFinding(task, judge, judging)]);
  if (judging.settledBy === judge) {
    const message = judge === null ? "Nothing was decided." : `It was decided so before: ${judge}.`;
    return ok({ events: [], notes: [{ code: "already-so", path: "$.body.taskId", message }] });
  }
  const report = task.report?.seq ?? 0;
  const late = lateNote(task, report);
  if (late !== null) return ok({ events: [], notes: [late] });
  const settled: VerdictSettled = { event: "verdict-settled", key: task.key, task: task.task, report, judge, seq };
  return ok({ events: [settled, ...consequences(work, task, { ...judging, settledBy: judge }, seq)], notes: [] });
}

/** Costs a look at each task. */
export function dropFindings({ judge, seq }: DropFindings, work: Work): readonly (FindingEvent | PlanSummarised)[] {
  const events: (FindingEvent | PlanSummarised)[] = [];
  const keys: string[] = [];
  // A plan may be done by the last of several tasks, so each is decided on what those before it left.
  const left: Work = { ...work, tasks: new Map(work.tasks), plans: new Map(work.plans) };
  for (const task of work.tasks.values()) {
    if (!isDiffering(task) || findingOf(task, judge) === null) continue;
    keys.push(task.key);
    if (lateNote(task, task.report?.seq ?? 0) !== null) continue;
    const judging = withoutJudge(judgingOf(task), judge);
    events.push(...consequences(left, task, judging, seq));
    const together = togetherOf(judging);
    const after: Task = { ...task, judging, verdict: together === null ? null : { ...together, seq } };
    left.tasks.set(task.key, after);
    const plan = task.plan === null ? undefined : left.plans.get(task.plan);
    if (plan === undefined) continue;
    const open = new Map([...plan.open].filter(([key]) => key !== task.key));
    left.plans.set(plan.key, { ...plan, open: isDone(after) ? open : open.set(task.key, true) });
  }
  return keys.length === 0 ? [] : [{ event: "findings-dropped", judge, keys, seq }, ...events];
}

/** The finding of a judge on the last report; null: it has none. Without verifiers, the verdict is Baton's own finding. */
export function findingOf(task: Pick<Task, "verdict" | "judging">, judge: string): Finding | null {
  return judgingOf(task).findings.find((each) => each.judge === judge) ?? null;
}

/** What the judges found; without verifiers the verdict is what Baton itself found. */
export function judgingOf({ verdict, judging }: Pick<Task, "verdict" | "judging">): Judging {
  if (judging !== undefined) return judging;
  return { findings: verdict === null ? [] : [{ judge: batonName, ...verdict }], settledBy: null };
}

/** Whether judges of the last report differ. Verified work agrees only about the same commits. */
export function isDiffering({ judging }: Pick<Task, "judging">): boolean {
  const [first, ...others] = judging?.findings ?? [];
  return first !== undefined && others.some((each) => !agrees(first, each));
}

/** `verifier:a verified, verifier:b disputed`: what each judge found. */
export function wordsOfFindings(findings: readonly Pick<Finding, "judge" | "state">[]): string {
  return findings.map(({ judge, state }) => `${judge} ${state}`).join(", ");
}

/** The judging with a finding in the place of the judge's earlier one. */
export function withFinding(task: Pick<Task, "verdict" | "judging">, finding: Finding): Judging {
  const { findings, settledBy } = judgingOf(task);
  const isKnown = findings.some(({ judge }) => judge === finding.judge);
  const replaced = findings.map((each) => (each.judge === finding.judge ? finding : each));
  return { findings: isKnown ? replaced : [...findings, finding], settledBy };
}

/** The judging without what a judge found. */
export function withoutJudge({ findings, settledBy }: Judging, judge: string): Judging {
  return {
    findings: findings.filter((each) => each.judge !== judge),
    settledBy: settledBy === judge ? null : settledBy,
  };
}

/**
 * The verdict of all judges together; null: there is none yet. What the owner decided comes first, then what speaks against
 * the report, then what is undecided; verified is what every judge verified, at the same commits.
 */
export function togetherOf({ findings, settledBy }: Judging): Verdict | null {
  const chosen =
    findings.find(({ judge, state }) => judge === settledBy && state !== "undecided") ??
    findings.find(({ state }) => state === "disputed") ??
    findings.find(({ state }) => state === "stale") ??
    (findings.every((each) => findings[0] !== undefined && agrees(findings[0], each)) ? findings[0] : undefined);
  if (chosen === undefined) return null;
  const { judge: _, state, ...found } = chosen;
  return state === "undecided" ? null : { state, ...found };
}

/** What follows for the task when its judges say this: nothing where the verdict stays as it is. */
function consequences(
  work: Work,
  task: Task,
  judging: Judging,
  seq: number,
): readonly (TaskJudged | VerdictOpened | PlanSummarised)[] {
  const { key, verdict } = task;
  const report = task.report?.seq ?? 0;
  const together = togetherOf(judging);
  if (together === null)
    return verdict === null ? [] : [{ event: "verdict-opened", key, task: task.task, report, seq }];
  if (verdict !== null && isSameVerdict(verdict, together)) return [];
  const { state, ...found } = { ...together, seq };
  const judged: TaskJudged = { event: `task-${state}`, key, task: task.task, report, ...found };
  return [judged, ...summaryAfter(work, { ...task, verdict: { state, ...found } }, seq)];
}

/** Why a finding about this report changes nothing any more; null: it is the last word on its task. */
export function lateNote(task: Task, report: number) {
  const late = (message: string) => ({ code: "verdict-outdated", path: "$.body.report", message });
  if (task.report?.seq !== report || task.report.status !== "complete")
    return late(`Report ${report} is no longer the last word on ${task.task}; the verdict comes too late.`);
  return task.claim === null
    ? null
    : late(`${task.claim.holder} has claimed ${task.task} since; the verdict comes too late.`);
}

function agrees(one: Finding, other: Finding): boolean {
  if (one.state !== other.state) return false;
  return one.state !== "verified" || commitsIn(one) === commitsIn(other);
}

function commitsIn({ commit, commits }: Pick<Finding, "commit" | "commits">): string {
  return (commits ?? [commit ?? ""]).join();
}

function noFinding(task: Task, judge: string, { findings }: Judging): Problem {
  const decided = findings.filter(({ state }) => state !== "undecided").map((each) => each.judge);
  return {
    code: "not-found",
    path: "$.body.judge",
    message: `${judge} has found nothing about ${task.task} by which it could count.`,
    ...(decided.length === 0 ? {} : { expected: decided.join(" | ") }),
    received: judge,
    hint: "`baton task list --json` shows what each judge found.",
  };
}
