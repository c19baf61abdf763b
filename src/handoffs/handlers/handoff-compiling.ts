/**
 * A handoff compiled from the record: what a plan or a task is for, what binds it, what was decided about it, what is done
 * and what is not, and how it was checked. It asks a team as every door does, so it is the same through a hub.
 * Source: docs/protocol/phases.md, section 12.
 */

import type { ApprovalState } from "../../approvals/decide/approvals.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { FactKind, Json } from "../../messages/facts.ts";
import type { HandoffBody } from "../../messages/handoff-body.ts";
import type { HandoffDraft } from "../../messages/handoff-draft.ts";
import { planKey, planKeyOfReference, taskKey } from "../../messages/task-ids.ts";
import type { Escalation } from "../../perform/deciders.ts";
import type { Team } from "../../perform/team.ts";
import type { PlanReport } from "../../tasks/operations/task-shapes.ts";
import type { ContractView } from "../../tasks/state/contract-terms.ts";
import type { TaskView } from "../../tasks/view/task-view.ts";

/** The subject of a handoff. */
export type HandoffSubject = { readonly plan: string } | { readonly task: string };

/** Everything the record says about it. */
interface Known {
  readonly plan: string | null;
  /** The one task that it is about; null: the whole plan. */
  readonly task: TaskView | null;
  readonly tasks: readonly TaskView[];
  readonly contract: ContractView | null;
  readonly summary: PlanReport | null;
  readonly approvals: readonly ApprovalState[];
  readonly escalations: readonly Escalation[];
  readonly quality: NonNullable<HandoffBody["validation"]>["quality_checks"];
}

/** The draft that the record gives. Refuses `unknown-task`, and `not-found` for a plan that nobody knows. */
export async function compileHandoff(team: Team, subject: HandoffSubject): Promise<Result<HandoffDraft, Problem>> {
  const known = await gather(team, subject);
  return known.ok ? ok(draftOf(known.value, subject)) : known;
}

async function gather(team: Team, subject: HandoffSubject): Promise<Result<Known, Problem>> {
  const all = await team.tasks();
  if (!all.ok) return all;
  const task = "task" in subject ? findTask(all.value, subject.task) : null;
  if ("task" in subject && task === null) return err(unknownTask(subject.task));
  const plan = "plan" in subject ? subject.plan : (task?.plan ?? null);
  const isOfPlan = (each: string | null) => plan !== null && each !== null && planKey(each) === planKey(plan);
  const contracts = await team.contracts();
  if (!contracts.ok) return contracts;
  const contract = contracts.value.find((each) => isOfPlan(each.plan)) ?? null;
  const tasks = task === null ? all.value.filter((each) => isOfPlan(each.plan)) : [task];
  if (contract === null && tasks.length === 0) return err(unknownPlan(plan ?? ""));
  const approvals = await team.approvals({ all: true });
  if (!approvals.ok) return approvals;
  const escalations = await team.escalations({ all: true });
  if (!escalations.ok) return escalations;
  const summary = plan === null || tasks.length === 0 ? null : await team.summary({ plan });
  if (summary !== null && !summary.ok) return summary;
  const quality = await lastChecks(team, { isOfPlan, task });
  if (!quality.ok) return quality;
  const isAbout = (other: string | null) => task === null || other === null || taskKey(other) === taskKey(task.task);
  return ok({
    plan,
    task,
    tasks,
    contract,
    summary: summary?.value ?? null,
    approvals: approvals.value.filter((each) => isOfPlan(each.plan) && isAbout(each.task)),
    escalations: escalations.value.filter((each) => isOfPlan(each.plan) && isAbout(each.task)),
    quality: quality.value,
  });
}

function findTask(tasks: readonly TaskView[], id: string): TaskView | null {
  return tasks.find(({ task, plan }) => task === id || taskKey(task, plan) === taskKey(id)) ?? null;
}

/** Facts that say how work was checked, with the words that mean that it passed and that it did not. */
const checks: { readonly [kind in FactKind]?: "tests_passed" | "code_review_status" } = {
  verdict: "tests_passed",
  "code-verdict": "tests_passed",
  "review-result": "code_review_status",
};

type Quality = { tests_passed?: boolean; code_review_status?: "passed" | "failed" };

/** The last word of each kind about the plan. */
async function lastChecks(
  team: Team,
  { isOfPlan, task }: { isOfPlan(plan: string | null): boolean; readonly task: TaskView | null },
): Promise<Result<Quality, Problem>> {
  const quality: Quality = {};
  for await (const line of team.log({ kinds: ["message"], newestFirst: true })) {
    if (!line.ok) return line;
    const asked = line.value.fact === null ? undefined : checks[line.value.fact];
    if (asked === undefined || quality[asked] !== undefined) continue;
    const shown = await team.show(String(line.value.seq));
    if (!shown.ok) return shown;
    const body: { readonly [field: string]: Json } = shown.value.message?.fact?.body ?? {};
    const about = typeof body.planId === "string" ? body.planId : planKeyOfReference(line.value.task);
    const isOfTask = task === null || line.value.task === null || taskKey(line.value.task) === taskKey(task.task);
    if (!isOfPlan(about) || !isOfTask) continue;
    const isPassed = body.result === "PASS" || body.result === "approve";
    if (asked === "tests_passed") quality.tests_passed = isPassed;
    else quality.code_review_status = isPassed ? "passed" : "failed";
    if (quality.tests_passed !== undefined && quality.code_review_status !== undefined) break;
  }
  return ok(quality);
}

const doneStates: readonly TaskView["state"][] = ["reported", "verified", "complete"];

function draftOf(known: Known, subject: HandoffSubject): HandoffDraft {
  const { task, tasks, contract, summary, quality } = known;
  const done = tasks.filter(({ state }) => doneStates.includes(state));
  const pending = tasks.filter(({ state }) => !doneStates.includes(state));
  const terms = contract?.terms ?? null;
  const reported = task === null ? (summary?.filesModified ?? []) : [];
  const filesDone = [...new Set([...reported, ...done.flatMap(({ files }) => files).filter(isPlainPath)])];
  const filesLeft = pending.flatMap(({ files }) => files).filter(isPlainPath);
  return {
    metadata: {
      ...("task" in subject && task !== null ? { task_id: task.task } : {}),
      ...(known.plan === null ? {} : { workflow_id: terms?.planId ?? known.plan }),
    },
    context: { key_decisions: decisionsOf(known) },
    instructions: {
      primary: mainInstruction(known, pending),
      secondary: task === null ? pending.map(nameOf) : [],
      constraints: constraintsOf(known),
      success_criteria: [
        ...(terms?.mustHaves ?? []),
        ...(terms?.verificationChecks ?? []).map((check) => `\`${check}\` passes`),
      ],
    },
    dependencies: {
      required_files: filesDone,
      generated_files: filesLeft.filter((file) => !filesDone.includes(file)),
    },
    validation: {
      source_status: {
        completed_tasks: done.map((each) => each.task),
        pending_tasks: pending.map((each) => each.task),
        overall_status: summary?.status === "failed" ? "failed" : pending.length === 0 ? "completed" : "in-progress",
      },
      ...(quality === undefined ? {} : { quality_checks: quality }),
    },
    history: { lessons_learned: summary?.deviations ?? [] },
  };
}

/** A folder or a glob is no file that could be summed up. */
function isPlainPath(path: string): boolean {
  return !path.endsWith("/") && !/[*?[\]{}]/.test(path);
}

function mainInstruction({ plan, task, contract }: Known, pending: readonly TaskView[]): string {
  if (task !== null)
    return pending.length === 0 ? `Go on from ${nameOf(task)}, which is done` : `Go on with ${nameOf(task)}`;
  const aim = contract === null ? "" : `: ${contract.terms.objective}`;
  return pending.length === 0
    ? `Go on from plan ${plan ?? ""}, which is done${aim}`
    : `Finish plan ${plan ?? ""}${aim}`;
}

function nameOf({ task, title }: TaskView): string {
  return title === null ? task : `${task}: ${title}`;
}

function constraintsOf({ contract, approvals }: Known): readonly string[] {
  const { allowedPaths = [], forbiddenPaths = [], tokenBudget = null } = contract?.terms ?? {};
  return [
    ...(contract === null ? [] : [`Touch only: ${allowedPaths.join(", ")}`]),
    ...(forbiddenPaths.length === 0 ? [] : [`Leave alone: ${forbiddenPaths.join(", ")}`]),
    ...(tokenBudget === null ? [] : [`Stay below ${tokenBudget} tokens; ${contract?.tokensUsed ?? 0} are used`]),
    ...approvals.flatMap(({ answer }) => answer?.conditions ?? []),
  ];
}

function decisionsOf({ approvals, escalations }: Known): NonNullable<HandoffBody["context"]["key_decisions"]> {
  const said = (words: string, otherwise: string) => (words.trim() === "" ? otherwise : words);
  return [
    ...approvals.flatMap(({ subject, answer, status }) =>
      answer === null
        ? []
        : [
            {
              decision: `${subject}: ${status}`,
              rationale: said(answer.reason, "none was given"),
              impact: said(answer.conditions.join("; "), `decided by ${answer.decidedBy}, at entry ${answer.seq}`),
            },
          ],
    ),
    ...escalations.flatMap(({ id, issue, decision }) =>
      decision === null
        ? []
        : [
            {
              decision: decision.decision,
              rationale: said(decision.rationale, `${id}: ${issue}`),
              impact: said(
                decision.actionItems.join("; "),
                `decided by ${decision.decidedBy}, at entry ${decision.seq}`,
              ),
            },
          ],
    ),
  ];
}

function unknownTask(id: string): Problem {
  return makeProblem("unknown-task", id, `There is no task "${id}".`, { hint: "`baton task list` shows the tasks." });
}

function unknownPlan(plan: string): Problem {
  return makeProblem("not-found", plan, `Neither a contract nor a task is of the plan "${plan}".`, {
    hint: "`baton contract show` lists the plans that have a contract, `baton task list` the tasks.",
  });
}
