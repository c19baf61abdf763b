/**
 * What a person decides about a report where the repository does not say it, or says it too late: that it counts, that it
 * does not, or that the work is to be done again. Rules: docs/protocol/verdicts.md, section 6.
 */
import { argument } from "../../base/argument.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Decided } from "../../perform/decider.ts";
import { isRefuted, isReported, isReturned, isReverted } from "../state/report-status.ts";
import type { PlanSummarised, TaskJudged, TaskReopened } from "../state/task-events.ts";
import { findTask, type Task, type Work } from "../state/task-state.ts";
import { unknownTask } from "./claims.ts";
import { recordVerdict } from "./completions.ts";

/** How a report can be settled. `superseded`: its work is gone, and is meant to be. */
export const settlements = ["verified", "disputed", "superseded"] as const;
export type Settlement = (typeof settlements)[number];

/** A report is to count, or not, because somebody says so. */
export interface SettleTask {
  readonly taskId: string;
  readonly planId: string | null;
  readonly as: Settlement;
  readonly reason: string | null;
  readonly by: string;
  readonly seq: number;
}

/** The work of a task is to be done again. */
export interface ReopenTask {
  readonly taskId: string;
  readonly planId: string | null;
  readonly reason: string | null;
  readonly by: string;
  readonly seq: number;
}

type Outcome<Event> = Result<Decided<Event>, readonly Problem[]>;

/**
 * Refuses `unknown-task`, and `wrong-value` where nothing is to be settled so: the task is not reported as complete, its
 * work is not gone (`superseded`), or the repository has confirmed it (`disputed`; then it is reopened).
 */
export function settleTask(command: SettleTask, work: Work): Outcome<TaskJudged | PlanSummarised> {
  const { taskId, planId, as, by, reason, seq } = command;
  const task = findTask(work, taskId, planId);
  if (task === null) return err([unknownTask(work, taskId, planId)]);
  const problem = unsettled(task, as);
  if (problem !== null) return err([problem]);
  const { report, verdict } = task;
  const { commit = null, files = null } = verdict ?? {};
  const why = reason === null ? "" : `: ${reason}`;
  const message = `${by} settled the report as ${as}${why}`;
  const isHeld = as !== "disputed";
  const place = { at: "settled", branch: null, since: null, isChanged: false } as const;
  return recordVerdict(
    {
      taskId,
      planId,
      report: report?.seq ?? 0,
      state: isHeld ? "verified" : "disputed",
      commit,
      ...(verdict?.commits === undefined ? {} : { commits: verdict.commits }),
      files,
      problems: isHeld ? [] : [makeProblem("not-verified", task.task, `${message}.`)],
      ...(isHeld ? { notes: [{ code: "settled", path: task.task, message: `${message}.` }], place } : {}),
      settledBy: by,
      seq,
    },
    work,
  );
}

/**
 * Frees the task. Refuses `unknown-task`, and `wrong-value` for a task that is not reported as complete or that somebody has
 * taken up again.
 */
export function reopenTask(command: ReopenTask, work: Work): Outcome<TaskReopened> {
  const { taskId, planId, by, reason, seq } = command;
  const task = findTask(work, taskId, planId);
  if (task === null) return err([unknownTask(work, taskId, planId)]);
  const isOpen = isReported(task) || ((isRefuted(task) || isReturned(task) || isReverted(task)) && task.claim === null);
  if (!isOpen || task.ended !== undefined) return err([nothingReported(task)]);
  return ok({ events: [{ event: "task-reopened", key: task.key, task: task.task, by, reason, seq }], notes: [] });
}

function unsettled(task: Task, as: Settlement): Problem | null {
  const { report, verdict, claim } = task;
  const found = verdict?.state;
  if (report?.status !== "complete" || claim !== null || task.ended !== undefined) return nothingReported(task);
  const wrong = (message: string, hint: string) =>
    makeProblem("wrong-value", argument("as"), message, { received: as, hint });
  if (as === "superseded" && found !== "gone")
    return wrong(`The work of ${task.task} is not gone.`, "Only work that was verified and is gone is superseded.");
  if (as === "disputed" && (found === "verified" || found === "gone"))
    return wrong(
      `${task.task} was verified at entry ${verdict?.seq ?? 0}.`,
      "`baton task reopen TASK` has it done again, and contradicts nobody.",
    );
  return null;
}

function nothingReported({ task, claim }: Task): Problem {
  const [message, hint] =
    claim === null
      ? [`${task} is not reported as complete, so there is nothing to settle.`, "`baton task list` shows its state."]
      : [
          `${claim.holder} has ${task} in hand.`,
          "`baton task release TASK` takes it from its holder and makes it free.",
        ];
  return makeProblem("wrong-value", "$.body.taskId", message, { received: task, hint });
}
