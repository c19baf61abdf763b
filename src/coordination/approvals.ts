/**
 * Approvals: a request, one answer, or its deadline. The answer is given by a role that may answer and is not the
 * requester; the owner stands outside the roles, and a gate is lifted by the owner alone.
 * Source: semantics.md section 3, Approvals.
 */
import type { Json } from "../message/facts.ts";
import type { Role } from "../message/role.ts";

export type ApprovalType = "scope_change" | "plan_approval" | "gate_override";

/** How a request was answered, as written. */
export interface ApprovalAnswer {
  readonly approved: boolean;
  /** The agent that answered, or `owner`. */
  readonly decidedBy: string;
  /** Its role; null for the owner. */
  readonly role: Role | null;
  readonly reason: string;
  readonly conditions: readonly string[];
  readonly modifications: readonly Json[];
  readonly seq: number;
  readonly atMs: number;
}

/** One request and what became of it. `expired` counts as denied. */
export interface ApprovalState {
  /** The id that an answer names. */
  readonly requestId: string;
  readonly requester: string;
  readonly requesterRole: Role | null;
  readonly subject: string;
  readonly requestType: ApprovalType;
  readonly evidence: string;
  readonly options: readonly string[];
  /** The task the request stands under, as written, and the plan it points to; null: none. */
  readonly task: string | null;
  readonly plan: string | null;
  /** Agents that were asked. */
  readonly addressees: readonly string[];
  readonly seq: number;
  readonly openedAtMs: number;
  /** How long an answer was given, counted from acceptance; null: no deadline. */
  readonly deadlineMs: number | null;
  readonly standing: "open" | "approved" | "denied" | "expired";
  readonly answer: ApprovalAnswer | null;
  /** When the deadline was recorded as passed; null: it was not. */
  readonly expiredAtMs: number | null;
}
