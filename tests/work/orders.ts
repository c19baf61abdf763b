/** Orders about tasks with defaults for everything, so that a test sets only what it is about. For tests alone. */
import { invariant } from "../../src/base/invariant.ts";
import type { Problem } from "../../src/base/problem.ts";
import { ok, type Result } from "../../src/base/result.ts";
import {
  type NameArtifacts,
  nameArtifacts,
  recordArtifacts,
  settleArtifacts,
} from "../../src/evidence/decide/artifact-disputes.ts";
import type { Decided, Decider } from "../../src/perform/decider.ts";
import { discussTask, endTask } from "../../src/tasks/decide/asks.ts";
import {
  type ClaimTask,
  claimTask,
  type ReleaseTask,
  releaseAll,
  releaseTask,
  renewTask,
} from "../../src/tasks/decide/claims.ts";
import {
  type RecordVerdict,
  type ReportTask,
  recordUndecided,
  recordVerdict,
  reportTask,
} from "../../src/tasks/decide/completions.ts";
import { type FreeFiles, freeFiles, takeFiles } from "../../src/tasks/decide/edit-claims.ts";
import { type ExpireLeases, leases } from "../../src/tasks/decide/leases.ts";
import { reopenTask, settleTask } from "../../src/tasks/decide/settling.ts";
import { type AddTask, addTask, adoptTasks } from "../../src/tasks/decide/tasks.ts";
import { evolveWork, type WorkEvent } from "../../src/tasks/state/task-events.ts";
import { initialWork, type Work } from "../../src/tasks/state/task-state.ts";
import { type TaskView, taskViews } from "../../src/tasks/view/task-view.ts";

/** Every rule about tasks by the name of its order; `release-all`: an agent has left the team. */
const rules = {
  "add-task": addTask,
  "adopt-tasks": adoptTasks,
  "discuss-task": discussTask,
  "end-task": endTask,
  "claim-task": claimTask,
  "release-task": releaseTask,
  "renew-task": renewTask,
  "expire-leases": (order: ExpireLeases, state: Work) => ok({ events: leases.expire(order, state), notes: [] }),
  "report-task": reportTask,
  "record-verdict": recordVerdict,
  "record-undecided": recordUndecided,
  "settle-task": settleTask,
  "reopen-task": reopenTask,
  "name-artifacts": (order: NameArtifacts, state: Work) => ok(nameArtifacts(order, state)),
  "record-artifacts": recordArtifacts,
  "settle-artifacts": settleArtifacts,
  "take-files": takeFiles,
  "free-files": (order: FreeFiles, state: Work) => ok({ events: freeFiles(order, state), notes: [] }),
  "release-all": ({ holder }: { readonly holder: string }, state: Work) =>
    ok({ events: releaseAll(state, holder), notes: [] }),
};

/** Each order, by the name of its rule. */
export type Orders = { [Name in keyof typeof rules]: { readonly command: Name } & Parameters<(typeof rules)[Name]>[0] };
/** Any of them. */
export type WorkCommand = Orders[keyof Orders];

/** The rules about tasks as one decider. */
export const work: Decider<Work, WorkCommand, WorkEvent> = {
  name: "work",
  initial: initialWork,
  decide({ command, ...order }, state) {
    const rule = rules[command] as (order: object, state: Work) => Result<Decided<WorkEvent>, readonly Problem[]>;
    return rule(order, state);
  },
  evolve: evolveWork,
};

/** The events that these commands bring about, one after the other; none may be refused. */
export function after(...commands: readonly WorkCommand[]): readonly WorkEvent[] {
  const events: WorkEvent[] = [];
  let state = work.initial();
  for (const command of commands) {
    const decided = work.decide(command, state);
    invariant(decided.ok, `an example's commands are not refused: ${JSON.stringify(decided)}`);
    for (const event of decided.value.events) state = work.evolve(state, structuredClone(event));
    events.push(...decided.value.events);
  }
  return events;
}

/** The state after these commands. */
export function stateAfter(...commands: readonly WorkCommand[]): Work {
  return after(...commands).reduce(work.evolve, work.initial());
}

/** The first task after these commands, as somebody without claims sees it. */
export function viewAfter(...commands: readonly WorkCommand[]): TaskView {
  const viewer = { agent: null, signOf: () => 0, leaseMs: 1, hasRepository: true };
  const [view] = taskViews(stateAfter(...commands), viewer);
  invariant(view !== undefined, "the commands add a task");
  return view;
}

/** A task added by hand. */
export function add(taskId: string, more: Partial<AddTask> = {}): WorkCommand {
  return { command: "add-task", taskId, planId: null, seq: 1, ...more };
}

/** A separate claim without files. */
export function claim(taskId: string, holder: string, more: Partial<ClaimTask> = {}): Orders["claim-task"] {
  return {
    command: "claim-task",
    taskId,
    planId: null,
    files: null,
    holder,
    session: 1,
    scope: null,
    seq: 7,
    atMs: 1_000,
    leaseMs: 300_000,
    ...more,
  };
}

/** A release by one who may not take from others. */
export function release(taskId: string, by: string, more: Partial<ReleaseTask> = {}): WorkCommand {
  return { command: "release-task", taskId, planId: null, token: null, by, mayTake: false, ...more };
}

/** A report by message that a task is done. */
export function report(taskId: string, by: string, more: Partial<ReportTask> = {}): Orders["report-task"] {
  return {
    command: "report-task",
    taskId,
    planId: null,
    by,
    token: null,
    status: "complete",
    commit: "abc1234",
    files: null,
    deviations: [],
    evidence: null,
    completes: true,
    way: "message",
    seq: 20,
    ...more,
  };
}

/** A verdict on the report of entry 20. */
export function judge(
  taskId: string,
  state: RecordVerdict["state"],
  more: Partial<RecordVerdict> = {},
): Orders["record-verdict"] {
  return {
    command: "record-verdict",
    taskId,
    planId: null,
    report: 20,
    state,
    commit: "abc1234".padEnd(40, "0"),
    files: null,
    problems: [],
    seq: 30,
    ...more,
  };
}

/** A contract's list of tasks. */
export function adopt(planId: string, tasks: readonly string[], dependsOn: readonly string[] = []): WorkCommand {
  return { command: "adopt-tasks", planId, tasks, dependsOn, seq: 2 };
}
