/**
 * The messages that both second revisions share: their fields, their rules, an example. Who sends and who receives
 * them differs and is said in each dialect's `messages.ts`.
 * Source: the seeds vbw-2-typed-protocol.md and yolo-2-typed-protocol.md; required fields from semantics.md section 1.6.
 */
import {
  commit,
  count,
  entry,
  flag,
  listOf,
  name,
  oneOf,
  optional,
  required,
  text,
  timestamp,
} from "../schema/shapes.ts";

const texts = () => listOf(text());

export const planContract = {
  type: "plan_contract",
  summary: "Hands out a plan: what is to be done, where the work may touch files, and what must hold at the end.",
  kind: "contract",
  payload: {
    plan_id: required(name(), "The plan. Sending the same plan again is its next revision."),
    phase_id: required(name(), "The phase the plan belongs to."),
    objective: required(text(), "What the plan is to achieve, in a sentence."),
    tasks: required(texts(), "Ids of the plan's tasks."),
    allowed_paths: required(texts(), "Files, folders and globs that the work may touch."),
    must_haves: required(texts(), "What must be true when the plan is done."),
    forbidden_paths: optional(
      texts(),
      "Files, folders and globs that the work must not touch; stronger than allowed_paths.",
    ),
    depends_on: optional(texts(), "Plans that must be done before this one starts."),
    verification_checks: optional(
      texts(),
      "Shell commands that check the result; run only where the operator allows it.",
    ),
    token_budget: optional(count(), "Most tokens the plan should use."),
  },
  example: {
    id: "contract-2-1",
    task: "2-1-T1",
    authorRole: "lead",
    payload: {
      plan_id: "2-1",
      phase_id: "phase-2",
      objective: "Sign users in with a one-time code",
      tasks: ["2-1-T1", "2-1-T2"],
      allowed_paths: ["src/auth/", "tests/auth/*.test.ts"],
      must_haves: ["A used code is refused", "Existing sessions stay valid"],
      forbidden_paths: [".env", "src/billing/"],
      depends_on: ["1-2"],
      verification_checks: ["npm test"],
      token_budget: 40000,
    },
  },
} as const;

export const executionUpdate = {
  type: "execution_update",
  summary: "Reports how far a task is, or that it is done, with the commit that shows it.",
  kind: "progress",
  rules: ["commit-when-complete"],
  payload: {
    plan_id: required(name(), "The plan the task belongs to."),
    task_id: required(name(), "The task reported on."),
    status: required(oneOf(["complete", "partial", "failed"]), "How the task stands."),
    commit: required(
      commit(),
      "Commit with the work, 7 to 64 hex digits; empty only while the status is not complete.",
    ),
    files_modified: optional(texts(), "Files the commit changes."),
    concerns: optional(texts(), "What the receiver should know or watch."),
    evidence: optional(text(), "What shows that the work does what it should."),
  },
  example: {
    id: "update-2-1-1",
    task: "2-1-T1",
    authorRole: "dev",
    payload: {
      plan_id: "2-1",
      task_id: "2-1-T1",
      status: "complete",
      commit: "4f2a9c1",
      files_modified: ["src/auth/code.ts", "tests/auth/code.test.ts"],
      concerns: ["The code's life is not configurable yet"],
      evidence: "14 tests pass, among them reuse of a code",
    },
  },
} as const;

export const blockerReport = {
  type: "blocker_report",
  summary: "Says that the sender cannot go on, why, and what would free it.",
  kind: "blocker",
  payload: {
    plan_id: required(name(), "The plan the task belongs to."),
    task_id: required(name(), "The task that is held up."),
    blocker: required(text(), "What stands in the way."),
    needs: required(text(), "What would resolve it."),
    attempted: optional(texts(), "What was tried already."),
    severity: optional(
      oneOf(["blocking", "degraded", "informational"]),
      "How bad it is; left out it counts as blocking.",
    ),
  },
  example: {
    id: "blocker-2-1-2",
    task: "2-1-T2",
    authorRole: "dev",
    payload: {
      plan_id: "2-1",
      task_id: "2-1-T2",
      blocker: "The mail gateway refuses the test account",
      needs: "Credentials for the gateway's sandbox",
      attempted: ["Sent through the old gateway: it drops codes"],
      severity: "blocking",
    },
  },
} as const;

export const approvalRequest = {
  type: "approval_request",
  summary: "Asks for leave: to widen a scope, to go ahead with a plan, to pass a gate.",
  kind: "approval-request",
  payload: {
    subject: required(text(), "What is to be decided."),
    request_type: required(
      oneOf(["scope_change", "plan_approval", "gate_override"]),
      "What kind of leave is asked for.",
    ),
    evidence: required(text(), "Why it is needed."),
    options: optional(texts(), "Ways the answer could go."),
    deadline: optional(
      timestamp(),
      "When the answer is needed; its distance from the message's timestamp counts, as a duration.",
    ),
  },
  example: {
    id: "ask-2-1",
    task: "2-1-T2",
    authorRole: "dev",
    payload: {
      subject: "Task 2 needs the mail templates",
      request_type: "scope_change",
      evidence: "The code is shown in src/mail/templates, which the contract leaves out",
      options: ["Widen the contract", "A task of its own"],
      deadline: "2026-03-04T12:30:00Z",
    },
  },
} as const;

export const approvalResponse = {
  type: "approval_response",
  summary: "Answers a request for leave, once.",
  kind: "approval-response",
  payload: {
    request_id: required(name(), "Id of the request that is answered."),
    approved: required(flag(), "Whether leave is given."),
    reason: required(text(), "Why."),
    conditions: optional(texts(), "What the leave is bound to."),
    modifications: optional(texts(), "What changes with the answer; for a scope change the paths added."),
  },
  example: {
    id: "answer-2-1",
    task: "2-1-T2",
    authorRole: "lead",
    payload: {
      request_id: "ask-2-1",
      approved: true,
      reason: "The templates belong to signing in",
      conditions: ["Leave the invoice templates alone"],
      modifications: ["src/mail/templates/"],
    },
  },
} as const;

export const shutdownRequest = {
  type: "shutdown_request",
  summary: "Asks the team's agents to finish and stop.",
  kind: "shutdown-request",
  taskMayBeEmpty: true,
  payload: {
    reason: required(oneOf(["phase_complete", "plan_complete", "user_abort"]), "Why the team stops."),
    team_name: required(text(), "The team that is to stop."),
  },
  example: { id: "stop-2", task: "", authorRole: "lead", payload: { reason: "phase_complete", team_name: "sign-in" } },
} as const;

export const shutdownResponse = {
  type: "shutdown_response",
  summary: "Answers a request to stop: whether the sender stops, and in what state it leaves its work.",
  kind: "shutdown-response",
  taskMayBeEmpty: true,
} as const;

export const shutdownStatus = {
  final_status: required(oneOf(["complete", "idle", "in_progress"]), "The state the work is left in."),
  pending_work: optional(text(), "What remains to be done; empty when nothing does."),
} as const;

export const preExistingIssues = optional(
  listOf(entry({ test: text(), file: text(), error: text() })),
  "Failures that were there before the work began; left out or empty when there are none.",
);

export const preExistingIssuesExample = [
  { test: "renders the invoice", file: "tests/billing/invoice.test.ts", error: "expected 2 decimals, found 3" },
] as const;
