/** Messages of yolo/1 about the team itself: shutdown, and what Baton records of who is there. */

import {
  count,
  flag,
  name,
  oneOf,
  optional,
  required,
  text,
  timestamp,
  timestampOrNull,
} from "../../../../base/schema/shapes.ts";
import { levelOfRole } from "../../../role.ts";
import { message } from "../../define.ts";
import { departmentWords, texts } from "../../fields/common-fields.ts";

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

const anyDepartment = () => oneOf(["backend", "frontend", "uiux", "shared", "owner"]);

/** What Baton records of agents and breakers. */
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
      state: required(oneOf(["closed", "open", "half-open"]), "The state of the breaker."),
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

/** Asking agents to stop, and their answers. */
export const shutdownMessages = [
  message({
    type: "shutdown_request",
    summary: "Asks the lead's agents to finish and stop.",
    kind: "shutdown-request",
    senders: ["lead"],
    receivers: teammates,
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

/* Messages of yolo/1 along the chain of command: up it goes what cannot be resolved, down comes what was decided. */

/** Roles that an agent may write for the level it speaks from: `tester` for `dev`. */
const levelWordsOfRoles: { readonly [role: string]: string } = Object.fromEntries(
  Object.entries(levelOfRole).flatMap(([role, level]) => {
    return (level === "dev" || level === "senior") && role !== level ? [[role, level]] : [];
  }),
);

export const escalationMessages = [
  message({
    type: "escalation",
    summary: "Hands an issue that its sender may not resolve to the next level of the chain.",
    kind: "escalation",
    // Any agent that has a level below the architect's. An architect's own is Baton's to raise, to people.
    senders: [
      "dev",
      "tester",
      "senior",
      "qa",
      "qa-lead",
      "qa-code",
      "scout",
      "critic",
      "security",
      "debugger",
      "docs",
      "lead",
    ],
    receivers: ["senior", "lead", "architect"],
    routing: { direction: "up", addressedBy: "to" },
    aliases: {
      names: {
        blocker: "issue",
        problem: "issue",
        description: "issue",
        desc: "issue",
        recommended: "recommendation",
        rec: "recommendation",
        sev: "severity",
        ev: "evidence",
      },
      words: {
        from: levelWordsOfRoles,
        severity: { blocked: "blocking", blocker: "blocking", critical: "blocking", high: "major", low: "minor" },
      },
    },
    payload: {
      from: required(oneOf(["dev", "senior", "lead"]), "The level that escalates."),
      to: required(
        oneOf(["senior", "lead", "architect"]),
        "The next level above it; where nobody is there, it goes on up.",
      ),
      issue: required(text(), "What cannot be resolved."),
      evidence: required(texts(), "What shows it."),
      recommendation: required(text(), "What the sender would do."),
      severity: required(oneOf(["blocking", "major", "minor"]), "How bad it is."),
    },
    example: {
      payload: {
        from: "senior",
        to: "lead",
        issue: "The design keeps codes in memory, but there are two servers",
        evidence: ["docs/architecture.md names two servers"],
        recommendation: "Keep codes in the database",
        severity: "blocking",
      },
    },
  }),
  message({
    type: "escalation_resolution",
    summary: "Brings the decision on an escalation back down to the one who is held up.",
    kind: "resolution",
    senders: ["user", "owner", "architect", "lead"],
    receivers: [
      "owner",
      "architect",
      "lead",
      "senior",
      "qa",
      "qa-lead",
      "qa-code",
      "scout",
      "critic",
      "security",
      "debugger",
      "dev",
      "tester",
      "docs",
    ],
    routing: { direction: "down" },
    aliases: {
      names: {
        escalation: "original_escalation",
        escalation_id: "original_escalation",
        reason: "rationale",
        actions: "action_items",
        resolver: "resolved_by",
        by: "resolved_by",
        resolution: "decision",
      },
    },
    payload: {
      original_escalation: required(name(), "Id of the escalation, such as ESC-02-01-T2."),
      decision: required(text(), "What was decided."),
      rationale: required(text(), "Why."),
      action_items: required(texts(), "What must be done now, step by step."),
      resolved_by: required(oneOf(["user", "owner", "architect", "lead"]), "Who decided."),
    },
    example: {
      payload: {
        original_escalation: "ESC-02-01-T2",
        decision: "Codes are kept in the database",
        rationale: "Both servers must see them",
        action_items: ["Move the store behind the existing table", "Delete the memory store"],
        resolved_by: "architect",
      },
    },
  }),
];
