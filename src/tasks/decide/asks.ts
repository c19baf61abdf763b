/**
 * Tasks that an agent asks the team for: what is written about them, and how a task ends for good without being done.
 * Rules: docs/protocol/tasks.md, section 12.
 */
import { argument } from "../../base/argument.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Decided } from "../../perform/decider.ts";
import type { FilesFreed } from "../state/claim-events.ts";
import { summaryWithout } from "../state/plan-summary.ts";
import { isDone, isGone, isReported } from "../state/report-status.ts";
import type { PlanSummarised, TaskDiscussed, TaskEnded } from "../state/task-events.ts";
import { type Ending, findTask, type Task, type Work } from "../state/task-state.ts";
import { unknownTask } from "./claims.ts";
import { freeEditsOf } from "./edit-claims.ts";
import { overProblem } from "./tasks.ts";

/** Open asks that one agent may have at a time. */
export const openAsksMax = 100;

/** Somebody writes about a task that was asked for. */
export interface DiscussTask {
  readonly taskId: string;
  readonly planId: string | null;
  readonly by: string;
  /** The asker is to answer. */
  readonly isQuestion: boolean;
  readonly seq: number;
}

/** A task is to end for good. `mayDecide`: whether `by` decides about the team's tasks. */
export interface EndTask {
  readonly taskId: string;
  readonly planId: string | null;
  readonly outcome: Ending["outcome"];
  readonly reason: string | null;
  readonly by: string;
  readonly mayDecide: boolean;
  readonly seq: number;
}

type Outcome<Event> = Result<Decided<Event>, readonly Problem[]>;

/** Why an agent may ask for nothing more now; null: it may. */
export function tooManyAsks(work: Work, asker: string): Problem | null {
  const open = work.openAsks.get(asker)?.size ?? 0;
  if (open < openAsksMax) return null;
  return makeProblem("too-many-requests", asker, `${asker} has asked for ${open} tasks that are still open.`, {
    expected: `at most ${openAsksMax} open tasks`,
    hint: "Wait until some are done, or withdraw them.",
  });
}

/**
 * Records that an entry is about a task. The asker's answer settles the open question. Refuses `unknown-task`, `task-done`
 * where the task is over, and `wrong-value` where nobody asked for the task, or the asker asks itself.
 */
export function discussTask(command: DiscussTask, work: Work): Outcome<TaskDiscussed> {
  const { by, isQuestion, seq } = command;
  const task = findTask(work, command.taskId, command.planId);
  if (task === null) return err([unknownTask(work, command.taskId, command.planId)]);
  if (task.ask === undefined) return err([notAsked(task)]);
  const over = overProblem(task);
  if (over !== null) return err([over]);
  if (isQuestion && by === task.ask.asker) {
    const hint = "Write to the lead without it; the holder of the task reads that, too.";
    return err([makeProblem("wrong-value", argument("question"), `${by} asked for ${task.task} itself.`, { hint })]);
  }
  const asks = isQuestion ? { isQuestion: true as const } : {};
  return ok({ events: [{ event: "task-discussed", key: task.key, task: task.task, by, ...asks, seq }], notes: [] });
}

/**
 * Ends a task for good; its claim and its files are free, and its plan is done without it. Its asker withdraws it; who
 * decides about the team's tasks refuses or gives up any task that no contract names. Refuses `unknown-task`, `task-done`,
 * and `sender-not-authorised`, also for a task of a contract, which its revision drops. A repeat changes nothing.
 */
export function endTask(command: EndTask, work: Work): Outcome<TaskEnded | FilesFreed | PlanSummarised> {
  const { outcome, reason, by, seq } = command;
  const task = findTask(work, command.taskId, command.planId);
  if (task === null) return err([unknownTask(work, command.taskId, command.planId)]);
  const denied = endDenial(command, task);
  if (denied !== null) return err([denied]);
  if (task.ended?.outcome === outcome && task.ended.by === by) {
    const message = `Task ${task.task} ended so at entry ${task.ended.seq}; nothing changed.`;
    return ok({ events: [], notes: [{ code: "already-so", path: "$.body.taskId", message }] });
  }
  // What nobody has confirmed, or is gone, can be given up.
  const over = isReported(task) && (!isDone(task) || isGone(task)) ? null : overProblem(task);
  if (over !== null) return err([over]);
  const { key, task: name, plan, claim } = task;
  return ok({
    events: [
      { event: "task-ended", key, task: name, outcome, reason, by, seq },
      ...(claim === null ? [] : freeEditsOf(work, claim.holder, "released", key)),
      ...(plan === null ? [] : summaryWithout(work, plan, new Set([key]), seq)),
    ],
    notes: [],
  });
}

function endDenial({ outcome, by, mayDecide }: EndTask, task: Task): Problem | null {
  if (task.source === "contract") {
    return makeProblem("sender-not-authorised", "$.body.taskId", `Only its contract drops ${task.task}.`, {
      expected: "a task without a contract",
      received: task.task,
      hint: "Issue a revision of the contract without the task.",
    });
  }
  const isWithdrawal = outcome === "withdrawn";
  if (isWithdrawal ? task.ask?.asker === by : mayDecide) return null;
  const whose = isWithdrawal ? (task.ask?.asker ?? "nobody: the task was planned") : "the owner or a lead";
  return makeProblem("sender-not-authorised", by, `${by} may not end ${task.task} so.`, {
    expected: whose,
    received: by,
    hint: isWithdrawal ? "The owner and leads refuse a task, or give it up." : "The asker withdraws what it asked for.",
  });
}

function notAsked({ task }: Task): Problem {
  return makeProblem("wrong-value", "$.body.taskId", `Nobody asked the team for ${task}: it was planned.`, {
    received: task,
    hint: "Send a message to its holder.",
  });
}
