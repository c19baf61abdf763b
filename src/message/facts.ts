/**
 * Neutral facts: what a message says, freed from the spelling of its dialect. Each dialect reads wire to fact and
 * writes fact to wire; nothing else knows wire names. Field names here are camelCase and the same for all dialects.
 */
import type { Json } from "../base/json.ts";
import type { HandoffBody } from "./handoff-body.ts";
import type { WorkDepartment } from "./role.ts";

/** What kind of thing is said. One kind may be spelled by several types in several dialects. */
export const factKinds = [
  "findings",
  "contract",
  "progress",
  "blocker",
  "diagnosis",
  "verdict",
  "approval-request",
  "approval-response",
  "shutdown-request",
  "shutdown-response",
  // Said by the control frames of agent programs.
  "idle-notice",
  "assignment-notice",
  "completion-notice",
  "termination-notice",
  // The first revision of yolo alone.
  "critique",
  "test-plan",
  "design",
  "specification",
  "review-changes",
  "review-result",
  "code-verdict",
  "security-audit",
  "research",
  "escalation",
  "resolution",
  "health",
  "breaker",
  "claim",
  "completion",
  "summary",
  "phase-progress",
  "design-handoff",
  "api-contract",
  "department-result",
  "owner-review",
  "owner-signoff",
  // Handoff documents.
  "handoff",
] as const;
/** Whether `word` is a kind of fact. */
export function isFactKind(word: string): word is FactKind {
  return (factKinds as readonly string[]).includes(word) || /^own:[a-z][a-z0-9_]*$/.test(word);
}

/** A kind of fact. What a message type of a team's own says is a kind of its own, the same in every dialect. */
export type FactKind = (typeof factKinds)[number] | `own:${string}`;

export type { Json } from "../base/json.ts";

/** What every kind carries beside its own fields. Null: the message did not say. */
export interface FactHead {
  /** Phase as written: a whole number in the second revisions, a text such as `"01"` in the first. */
  readonly phase: number | string | null;
  readonly task: string | null;
  readonly authorRole: string | null;
  /** The sender's own time, kept, never used for order. */
  readonly timestamp: string | null;
  readonly confidence: string | null;
}

/**
 * A fact: its kind, the head, the kind's own fields (`body`, neutral names, values as written) and whatever the wire
 * carried beyond its definition (`extra`, by its wire place: `envelope` or `payload`), so that nothing is lost when
 * the fact is written again. Where there is no envelope all of a message's own fields are its payload.
 */
export interface Fact<Kind extends FactKind = FactKind> {
  readonly kind: Kind;
  readonly head: FactHead;
  readonly body: Kind extends keyof FactBodies ? FactBodies[Kind] : { readonly [field: string]: Json };
  readonly extra?: {
    readonly envelope?: { readonly [key: string]: Json };
    readonly payload?: { readonly [key: string]: Json };
  };
}

/** The bodies that deciders read. Optional fields are absent where the message did not say. */
export interface FactBodies {
  readonly contract: {
    readonly planId: string;
    readonly phaseId: string;
    readonly objective: string;
    readonly tasks: readonly string[];
    readonly allowedPaths: readonly string[];
    readonly mustHaves: readonly string[];
    readonly forbiddenPaths?: readonly string[];
    readonly dependsOn?: readonly string[];
    readonly verificationChecks?: readonly string[];
    readonly tokenBudget?: number;
  };
  readonly progress: {
    readonly planId: string;
    readonly taskId: string;
    readonly status: "complete" | "partial" | "failed";
    readonly commit: string;
    readonly filesModified?: readonly string[];
    readonly concerns?: readonly string[];
    readonly evidence?: string;
  };
  readonly "approval-request": {
    readonly subject: string;
    readonly requestType: "scope_change" | "plan_approval" | "gate_override";
    readonly evidence: string;
    readonly options?: readonly string[];
    readonly deadline?: string;
  };
  readonly "approval-response": {
    readonly requestId: string;
    readonly approved: boolean;
    readonly reason: string;
    readonly conditions?: readonly string[];
    readonly modifications?: readonly Json[];
  };
  /** Reason and answer are in words of the second revisions; what a first one wrote stands beside them. */
  readonly "shutdown-request": {
    readonly reason: string;
    readonly teamName?: string;
    readonly stopReason?: string;
    readonly deadlineSeconds?: number;
  };
  readonly "shutdown-response": {
    /** Absent in a first revision: the answer belongs to the request that is open for its sender. */
    readonly requestId?: string;
    readonly approved: boolean;
    readonly finalStatus: string;
    readonly pendingWork?: string;
    readonly stopStatus?: string;
    readonly pendingItems?: readonly string[];
    readonly artifactsCommitted?: boolean;
  };
  readonly blocker: {
    readonly planId: string;
    readonly taskId: string;
    readonly blocker: string;
    readonly needs: string;
    readonly attempted?: readonly string[];
    /** Absent counts as blocking. */
    readonly severity?: "blocking" | "degraded" | "informational";
  };
  readonly escalation: {
    readonly from: "dev" | "senior" | "lead";
    readonly to: "senior" | "lead" | "architect";
    readonly issue: string;
    readonly evidence: readonly string[];
    readonly recommendation: string;
    readonly severity: "blocking" | "major" | "minor";
  };
  readonly resolution: {
    readonly originalEscalation: string;
    readonly decision: string;
    readonly rationale: string;
    readonly actionItems: readonly string[];
    readonly resolvedBy: "user" | "owner" | "architect" | "lead";
  };
  readonly claim: {
    readonly taskId: string;
    readonly planId: string;
    readonly files: readonly string[];
    readonly claimedAt: string;
  };
  readonly completion: {
    readonly taskId: string;
    readonly planId: string;
    readonly commit: string;
    readonly filesModified: readonly string[];
    readonly status: "complete" | "partial" | "failed";
    readonly deviations?: readonly string[];
  };
  readonly "api-contract": {
    readonly direction: "frontend_to_backend" | "backend_to_frontend";
    readonly endpoints: readonly Json[];
    readonly status: "proposed" | "agreed" | "implemented";
  };
  readonly handoff: HandoffBody;
  readonly critique: Artifact & {
    readonly findings: number;
    readonly critical: number;
    readonly major: number;
    readonly minor: number;
    readonly categories: readonly string[];
  };
  readonly design: Artifact & { readonly decisions: readonly Json[]; readonly risks?: readonly Json[] };
  readonly specification: {
    readonly planId: string;
    readonly tasksEnriched: number;
    readonly concerns?: readonly string[];
    readonly committed?: boolean;
  };
  readonly "test-plan": Artifact & {
    readonly planId: string;
    readonly tasksTested: number;
    readonly tasksSkipped: number;
    readonly totalTests: number;
    readonly allRed: boolean;
  };
  readonly "review-changes": {
    readonly planId: string;
    readonly cycle: number;
    readonly changes: readonly Json[];
    /** Each as `file:line` of one of the changes. */
    readonly mustFix: readonly string[];
    readonly rerunTests: boolean;
  };
  readonly "review-result": Artifact & {
    readonly planId: string;
    readonly result: "approve" | "changes_requested";
    readonly cycle: number;
    readonly findingsCount: number;
    readonly critical: number;
  };
  readonly verdict: Artifact & {
    readonly tier: "quick" | "standard" | "deep";
    readonly result: "PASS" | "FAIL" | "PARTIAL";
    readonly checks: { readonly passed: number; readonly failed: number; readonly total: number };
    readonly failures?: readonly Json[];
  };
  readonly "code-verdict": Artifact & {
    readonly result: "PASS" | "FAIL" | "PARTIAL";
    readonly tests: { readonly passed: number; readonly failed: number; readonly skipped: number };
    readonly lint: { readonly errors: number; readonly warnings: number };
    readonly findingsCount: number;
    readonly critical: number;
  };
  readonly "security-audit": Artifact & {
    readonly result: "PASS" | "FAIL" | "WARN";
    readonly findings: number;
    readonly critical: number;
    readonly categories: readonly string[];
  };
  readonly "phase-progress": {
    readonly department: WorkDepartment;
    readonly step: string;
    readonly plansComplete: number;
    readonly plansTotal: number;
    readonly percentComplete: number;
    readonly blockers?: readonly string[];
    readonly eta?: string;
  };
  readonly "design-handoff": {
    readonly artifacts: { readonly [name: string]: string };
    readonly readyComponents: readonly string[];
    readonly deferred?: readonly string[];
    readonly acceptanceCriteria: readonly string[];
    readonly status: "complete" | "partial" | "failed";
  };
  readonly "department-result": {
    readonly department: WorkDepartment;
    readonly result: "PASS" | "PARTIAL" | "FAIL";
    readonly plansCompleted: number;
    readonly plansTotal: number;
    readonly qaResult: "PASS" | "FAIL" | "PARTIAL";
    readonly securityResult: "PASS" | "FAIL" | "WARN";
    readonly tddCoverage: string;
  };
  readonly "owner-review": {
    readonly departmentsNeeded: readonly WorkDepartment[];
    readonly dispatchOrder: readonly WorkDepartment[];
    readonly priorities: readonly string[];
    readonly risks?: readonly string[];
  };
  readonly "owner-signoff": {
    readonly decision: "SHIP" | "HOLD";
    readonly departmentsApproved: readonly WorkDepartment[];
    readonly integrationQa: "PASS" | "FAIL" | "PARTIAL";
    readonly notes?: string;
  };
}

/** A file that holds the whole of what a message tells in short, and whether it is committed. */
type Artifact = { readonly artifact?: string; readonly committed?: boolean };

/** Whether a fact is of that kind. */
export function says<Kind extends FactKind>(fact: Fact, kind: Kind): fact is Fact & Fact<Kind> {
  return fact.kind === kind;
}
