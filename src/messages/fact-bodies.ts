/**
 * What each kind of fact says: its own fields, under neutral names, with values as written. Only kinds whose fields are
 * read are here; the body of any other is a plain object.
 */
import type { Json } from "../base/json.ts";
import type { HandoffBody } from "./handoff-body.ts";
import type { WorkDepartment } from "./role.ts";

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
    readonly paths?: readonly string[];
  };
  readonly "approval-response": {
    readonly requestId: string;
    readonly approved: boolean;
    readonly reason: string;
    readonly conditions?: readonly string[];
    readonly modifications?: readonly Json[];
  };
  /** Reason and answer are in words of the second revisions; a first one's words are kept in addition. */
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
    readonly securityResult: "PASS" | "FAIL" | "WARN" | "NOT_RUN";
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
    readonly integrationQa: "PASS" | "FAIL" | "PARTIAL" | "NOT_RUN";
    readonly notes?: string;
  };
}

/** A file that holds the whole of what a message tells in short, and whether it is committed. */
type Artifact = { readonly artifact?: string; readonly committed?: boolean };
