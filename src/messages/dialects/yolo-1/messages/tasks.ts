/** Messages of yolo/1 about work that is claimed: claims, completions, a plan's sum of them, and how far a phase is. */
import { count, name, oneOf, optional, percent, required, text, timestamp } from "../../../../base/schema/shapes.ts";
import { message } from "../../define.ts";
import {
  commitListNames,
  commitNames,
  departmentWords,
  deviationNames,
  fileNames,
  planNames,
  statusWords,
  taskStatus,
  texts,
  workCommit,
  workStatus,
} from "../../fields/common-fields.ts";
import { phase } from "./delivery.ts";

const department = () => oneOf(["backend", "frontend", "uiux"]);

/** Claims and completions on the wire, the sum of a plan, the progress of a phase. */
export const taskMessages = [
  message({
    type: "task_claim",
    summary: "Claims a task and the files it will touch.",
    kind: "claim",
    senders: ["dev"],
    receivers: ["lead"],
    routing: { mode: "teammate" },
    aliases: { names: { ...planNames, task: "task_id", t: "task_id", file: "files", timestamp: "claimed_at" } },
    payload: {
      task_id: required(name(), "The task."),
      plan_id: required(name(), "The plan it belongs to."),
      files: required(texts(), "Files and folders the work will touch."),
      claimed_at: required(timestamp(), "When the sender took it; kept, never used for order."),
    },
    example: {
      payload: {
        task_id: "T1",
        plan_id: "02-01",
        files: ["src/auth/code.ts", "tests/auth/"],
        claimed_at: "2026-03-04T10:00:00Z",
      },
    },
  }),
  message({
    type: "task_complete",
    summary: "Reports a claimed task as done, with the commit that shows it.",
    kind: "completion",
    senders: ["dev"],
    receivers: ["lead"],
    routing: { mode: "teammate" },
    rules: ["commit-when-complete"],
    aliases: {
      names: {
        ...planNames,
        ...commitNames,
        ...fileNames,
        task: "task_id",
        t: "task_id",
        s: "status",
        ...deviationNames,
      },
      words: { status: statusWords },
    },
    payload: {
      task_id: required(name(), "The task."),
      plan_id: required(name(), "The plan it belongs to."),
      commit: workCommit,
      files_modified: required(texts(), "Files the commit changes."),
      status: taskStatus,
      deviations: optional(texts(), "Where the work departs from the plan."),
    },
    example: {
      payload: {
        task_id: "T1",
        plan_id: "02-01",
        commit: "4f2a9c1",
        files_modified: ["src/auth/code.ts", "tests/auth/code.test.ts"],
        status: "complete",
        deviations: ["The code's life is a constant, not a setting"],
      },
    },
  }),
  message({
    type: "summary_aggregation",
    summary: "Sums up a plan from the completions of its tasks.",
    kind: "summary",
    wire: "internal",
    senders: ["lead"],
    receivers: [],
    routing: { mode: "teammate" },
    rules: ["tasks-completed-within-total"],
    aliases: {
      names: {
        p: "plan_id",
        s: "status",
        tc: "tasks_completed",
        tt: "tasks_total",
        completed: "tasks_completed",
        total: "tasks_total",
        ...commitListNames,
        ...fileNames,
        ...deviationNames,
      },
      words: { status: statusWords },
    },
    payload: {
      plan_id: required(name(), "The plan."),
      tasks_completed: required(count(), "Tasks that are done."),
      tasks_total: required(count(), "Tasks that the plan has."),
      commit_hashes: required(texts(), "Their commits, each once, in order."),
      files_modified: required(texts(), "Files they change, each once, in order."),
      deviations: optional(texts(), "Where the work departs from the plan."),
      status: required(workStatus, "The state of the plan."),
    },
    example: {
      payload: {
        plan_id: "02-01",
        tasks_completed: 2,
        tasks_total: 2,
        commit_hashes: ["4f2a9c1", "90bd3e7"],
        files_modified: ["src/auth/code.ts", "src/mail/code.ts"],
        deviations: [],
        status: "complete",
      },
    },
  }),
  message({
    type: "phase_progress",
    summary: "Tells the orchestrator how far a phase is.",
    kind: "phase-progress",
    senders: ["lead"],
    receivers: ["orchestrator"],
    rules: ["plans-complete-within-total"],
    aliases: {
      names: {
        dept: "department",
        percent: "percent_complete",
        progress: "percent_complete",
        plans_completed: "plans_complete",
        completed_plans: "plans_complete",
        total_plans: "plans_total",
        blocker: "blockers",
        current_step: "step",
      },
      words: { department: departmentWords },
    },
    payload: {
      department: required(department(), "The department that reports."),
      ...phase,
      step: required(name(), "The step of the phase that is running."),
      plans_complete: required(count(), "Plans that are done."),
      plans_total: required(count(), "Plans that the phase has."),
      percent_complete: required(percent(), "How much of the phase is done, in percent."),
      blockers: optional(texts(), "What holds it up."),
      eta: optional(text(), "When it should be done, in words; empty when nobody can say."),
    },
    example: {
      payload: {
        department: "backend",
        phase: "02",
        step: "implementation",
        plans_complete: 1,
        plans_total: 3,
        percent_complete: 33,
        blockers: ["The mail gateway refuses the test account"],
        eta: "",
      },
    },
  }),
];
