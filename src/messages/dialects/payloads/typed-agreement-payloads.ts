/**
 * The messages of agreement that both second revisions share: leave that is asked for and given, and shutdown. Senders
 * and receivers are said in each dialect's `messages.ts`.
 * Source: tests/requirements/vbw-2.tsv; tests/requirements/yolo-2.tsv; docs/protocol/messages.md,
 * section 5.
 */
import { flag, name, oneOf, optional, required, text, timestamp } from "../../../base/schema/shapes.ts";
import { texts } from "../fields/common-fields.ts";

export const approvalRequest = {
  type: "approval_request",
  summary: "Asks for leave: to widen a scope, to go ahead with a plan, to pass a gate.",
  kind: "approval-request",
  aliases: {
    names: {
      title: "subject",
      type: "request_type",
      reason: "evidence",
      justification: "evidence",
      choices: "options",
    },
    words: {
      request_type: {
        scope: "scope_change",
        scope_expansion: "scope_change",
        plan: "plan_approval",
        override: "gate_override",
        gate: "gate_override",
      },
    },
  },
  payload: {
    subject: required(text(), "What must be decided."),
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
    paths: optional(texts(), "The paths that a scope change asks for; no document has this field."),
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
      paths: ["src/mail/templates/"],
    },
  },
} as const;

export const approvalResponse = {
  type: "approval_response",
  summary: "Answers a request for leave, once.",
  kind: "approval-response",
  aliases: {
    names: {
      request: "request_id",
      approve: "approved",
      rationale: "reason",
      feedback: "reason",
      comment: "reason",
    },
  },
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
  aliases: {
    names: { team: "team_name" },
    words: {
      reason: { done: "phase_complete", complete: "phase_complete", abort: "user_abort", aborted: "user_abort" },
    },
  },
  payload: {
    reason: required(oneOf(["phase_complete", "plan_complete", "user_abort"]), "Why the team stops."),
    team_name: required(text(), "The team that must stop.", { assumed: "" }),
  },
  example: { id: "stop-2", task: "", authorRole: "lead", payload: { reason: "phase_complete", team_name: "sign-in" } },
} as const;

/** What a shutdown's answer is called where it is not spelled as its dialect has it, but for the answer itself. */
export const shutdownAliases = {
  names: { status: "final_status", state: "final_status", pending: "pending_work", remaining: "pending_work" },
  words: { final_status: { done: "complete", completed: "complete", clean: "complete", working: "in_progress" } },
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
