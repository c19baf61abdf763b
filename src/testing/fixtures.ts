/**
 * Fixtures: one constructor a component, with defaults for everything, so that a test sets only what it is about.
 */
import type { Clock } from "../base/clock.ts";
import type { Json } from "../base/json.ts";
import type { ReportBlocker } from "../escalations/decide/escalation-raising.ts";

/** An agent's report of what holds it up, as its decider is given it. */
export function reportedBlocker(changes: Partial<ReportBlocker> = {}): ReportBlocker {
  return {
    command: "report-blocker",
    agent: "dev-1",
    level: "dev",
    chain: ["dev", "senior", "lead", "user"],
    trouble: {
      issue: "It does not build",
      needs: null,
      recommendation: null,
      severity: "blocking",
      evidence: [],
      options: [],
      phase: 1,
      plan: "1-1",
      task: "1-1-T1",
    },
    levelSilentMs: 300_000,
    seq: 1,
    atMs: 0,
    ...changes,
  };
}

type JsonObject = { readonly [key: string]: Json };

const payloads: { readonly [type: string]: JsonObject } = {
  scout_findings: { domain: "architecture", documents: [{ name: "MAP.md", content: "# Map" }] },
  plan_contract: {
    plan_id: "1-1",
    phase_id: "phase-1",
    objective: "Greet people by name",
    tasks: ["1-1-T1", "1-1-T2"],
    allowed_paths: ["src/", "tests/greet.test.js"],
    must_haves: ["The greeting names the person"],
    forbidden_paths: ["src/secrets/"],
  },
  execution_update: {
    plan_id: "1-1",
    task_id: "1-1-T1",
    status: "complete",
    commit: "abc1234",
    files_modified: ["src/greet.js"],
  },
  blocker_report: {
    plan_id: "1-1",
    task_id: "1-1-T1",
    blocker: "The names are not there yet",
    needs: "Plan 1-0 to end",
  },
  debugger_report: {
    hypothesis: "A race",
    evidence_for: ["trace"],
    evidence_against: [],
    confidence: "low",
    recommended_fix: "A lock",
  },
  qa_verdict: { tier: "quick", result: "PASS", checks: { passed: 3, failed: 0, total: 3 } },
  approval_request: {
    subject: "May I touch docs?",
    request_type: "scope_change",
    evidence: "The greeting is documented there",
  },
  approval_response: { request_id: "request-1", approved: true, reason: "It belongs together" },
  shutdown_request: { reason: "phase_complete", team_name: "greeters" },
  shutdown_response: { request_id: "shutdown-1", approve: true, final_status: "complete" },
};

const defaultRole: { readonly [type: string]: string } = {
  scout_findings: "scout",
  plan_contract: "lead",
  execution_update: "dev",
  blocker_report: "dev",
  debugger_report: "debugger",
  qa_verdict: "qa",
  approval_request: "dev",
  approval_response: "lead",
  shutdown_request: "lead",
  shutdown_response: "dev",
};

/** A well-formed typed message of `vbw/2` (and of `yolo/2` where the type is the same there). */
export function typedMessage(type: string, payload: JsonObject = {}, envelope: JsonObject = {}): JsonObject {
  return {
    id: `${type}-1`,
    type,
    phase: 1,
    task: type.startsWith("shutdown") ? "" : "1-1-T1",
    author_role: defaultRole[type] ?? "lead",
    timestamp: "2026-02-12T10:00:00Z",
    schema_version: "2.0",
    confidence: "high",
    ...envelope,
    payload: { ...payloads[type], ...payload },
  };
}

/** A clock that stops until the test moves it; waiting moves it too. */
export function manualClock(
  startMs: number = Date.UTC(2026, 1, 12, 10),
): Clock & { advance(durationMs: number): void } {
  let nowMs = startMs;
  return {
    now: () => nowMs,
    monotonic: () => nowMs,
    wait: (durationMs, signal) => {
      if (signal?.aborted !== true) nowMs += durationMs;
      return Promise.resolve();
    },
    advance: (durationMs) => {
      nowMs += durationMs;
    },
  };
}
