/** Orders about tasks with defaults for everything, so that a test sets only what it is about. For tests alone. */
import { invariant } from "../../src/base/invariant.ts";
import type { ClaimTask, ReleaseTask } from "../../src/tasks/decide/claims.ts";
import type { RecordVerdict, ReportTask } from "../../src/tasks/decide/completions.ts";
import { type WorkCommand, work } from "../../src/tasks/decide/task-decider.ts";
import type { AddTask } from "../../src/tasks/decide/tasks.ts";
import type { WorkEvent } from "../../src/tasks/state/task-events.ts";
import type { Work } from "../../src/tasks/state/task-state.ts";

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

/** A task added by hand. */
export function add(taskId: string, more: Partial<AddTask> = {}): WorkCommand {
  return { command: "add-task", taskId, planId: null, seq: 1, ...more };
}

/** A separate claim without files. */
export function claim(taskId: string, holder: string, more: Partial<ClaimTask> = {}): ClaimTask {
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
export function report(taskId: string, by: string, more: Partial<ReportTask> = {}): ReportTask {
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
export function judge(taskId: string, state: RecordVerdict["state"], more: Partial<RecordVerdict> = {}): RecordVerdict {
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
