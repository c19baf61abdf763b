/** Messages of yolo/1 about the team itself: claims and completions, progress, shutdown, and what Baton records. */
import {
  count,
  flag,
  name,
  oneOf,
  optional,
  percent,
  required,
  text,
  timestamp,
  timestampOrNull,
} from "../../../schema/shapes.ts";
import {
  commitListNames,
  commitNames,
  departmentWords,
  deviationNames,
  fileNames,
  planNames,
  statusWords,
} from "../../common-aliases.ts";
import { taskStatus, texts, workCommit, workStatus } from "../../common-fields.ts";
import { message } from "../../define.ts";
import { phase } from "./delivery.ts";

const healthStates = ["start", "idle", "stop", "disappeared"];

/** Every role that works for a lead, and is asked to stop by one. */
const teammates = [
  "dev",
  "tester",
  "senior",
  "architect",
  "qa",
  "qa-lead",
  "qa-code",
  "scout",
  "critic",
  "security",
  "debugger",
  "docs",
] as const;

const department = () => oneOf(["backend", "frontend", "uiux"]);
const anyDepartment = () => oneOf(["backend", "frontend", "uiux", "shared", "owner"]);

export const healthMessages = [
  message({
    type: "agent_health_event",
    summary: "Records that an agent started, fell idle, stopped or disappeared.",
    kind: "health",
    wire: "internal",
    senders: ["lead"],
    receivers: [],
    routing: { mode: "teammate" },
    aliases: {
      names: { agent: "agent_id", department: "dept", previous_state: "prev_state" },
      words: { dept: departmentWords },
    },
    payload: {
      agent_id: required(name(), "The agent."),
      dept: required(anyDepartment(), "Its department."),
      state: required(oneOf(healthStates), "What it is now."),
      timestamp: required(timestamp(), "When it became so.", { neutral: "head.timestamp" }),
      prev_state: required(oneOf(healthStates), "What it was before."),
      timeout_triggered: required(flag(), "Whether silence brought it about."),
    },
    example: {
      payload: {
        agent_id: "dev-1",
        dept: "backend",
        state: "disappeared",
        timestamp: "2026-03-04T10:00:00Z",
        prev_state: "idle",
        timeout_triggered: true,
      },
    },
  }),
  message({
    type: "circuit_breaker_state",
    summary: "Records whether a department's circuit breaker lets new agents start.",
    kind: "breaker",
    wire: "internal",
    senders: ["lead"],
    receivers: [],
    routing: { mode: "teammate" },
    aliases: { names: { department: "dept", failures: "failure_count" }, words: { dept: departmentWords } },
    payload: {
      dept: required(anyDepartment(), "The department."),
      state: required(oneOf(["closed", "open", "half-open"]), "How the breaker stands."),
      opened_at: required(timestampOrNull(), "When it opened; null while it never has."),
      failure_count: required(count(), "Disappearances that count."),
      last_probe_at: required(timestampOrNull(), "When a probe was last let in; null while none was."),
    },
    example: {
      payload: {
        dept: "backend",
        state: "open",
        opened_at: "2026-03-04T10:00:00Z",
        failure_count: 2,
        last_probe_at: null,
      },
    },
  }),
];

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
      status: required(workStatus, "How the plan stands."),
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

export const shutdownMessages = [
  message({
    type: "shutdown_request",
    summary: "Asks the lead's agents to finish and stop.",
    kind: "shutdown-request",
    senders: ["lead"],
    receivers: teammates,
    routing: { mode: "teammate" },
    aliases: {
      names: { deadline: "deadline_seconds", timeout: "deadline_seconds", timeout_seconds: "deadline_seconds" },
      words: { reason: { done: "phase_complete", complete: "phase_complete", failure: "error", timed_out: "timeout" } },
    },
    payload: {
      reason: required(oneOf(["phase_complete", "timeout", "error"]), "Why the team stops.", { neutral: "stopReason" }),
      deadline_seconds: required(count(), "Seconds until an agent that has not answered is forced.", { assumed: 30 }),
    },
    example: { payload: { reason: "phase_complete", deadline_seconds: 30 } },
  }),
  message({
    type: "shutdown_response",
    summary: "Answers a request to stop: in what state the sender leaves its work.",
    kind: "shutdown-response",
    senders: teammates,
    receivers: ["lead"],
    routing: { mode: "teammate" },
    aliases: {
      names: {
        pending: "pending_work",
        remaining: "pending_work",
        committed: "artifacts_committed",
        final_status: "status",
        s: "status",
        state: "status",
      },
      words: {
        status: {
          done: "clean",
          complete: "clean",
          completed: "clean",
          idle: "clean",
          ok: "clean",
          working: "in_progress",
          failed: "error",
        },
      },
    },
    payload: {
      status: required(oneOf(["clean", "in_progress", "error"]), "The state the work is left in.", {
        neutral: "stopStatus",
      }),
      pending_work: optional(texts(), "What remains to be done.", { neutral: "pendingItems" }),
      artifacts_committed: required(flag(), "Whether everything that was written is committed.", { assumed: false }),
    },
    example: {
      payload: { status: "in_progress", pending_work: ["The mail templates of task T2"], artifacts_committed: true },
    },
  }),
];
