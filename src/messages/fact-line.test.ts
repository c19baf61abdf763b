/** Lines that a person reads: one sentence of each kind of piece, and of kinds that no one listed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../base/json.ts";
import { factLine } from "./fact-line.ts";
import type { Fact, FactKind } from "./facts.ts";

function fact(kind: FactKind, body: JsonObject, head: Partial<Fact["head"]> = {}): Fact {
  const none = { phase: null, task: null, authorRole: null, timestamp: null, confidence: null };
  return { kind, head: { ...none, ...head }, body };
}

const cases: readonly (readonly [Fact, string])[] = [
  [fact("progress", { status: "complete" }, { task: "2-1-T1" }), "2-1-T1: complete"],
  [fact("progress", { status: "partial", concerns: ["One\nis slow"] }), "partial, 1 concern"],
  [fact("verdict", { result: "PASS", checks: { passed: 3, failed: 0, total: 3 } }), "PASS, 3 of 3 checks passed"],
  [
    fact("claim", { planId: "02-01", taskId: "T1", files: ["src/a.ts", "b", "c"] }),
    "02-01/T1: claims src/a.ts and 2 more",
  ],
  [fact("claim", { planId: "2-1", taskId: "2-1-T1", files: ["src/a.ts"] }), "2-1-T1: claims src/a.ts"],
  [fact("approval-response", { approved: false, requestId: "ask-1", reason: "No need" }), "denied ask-1: No need"],
  [fact("approval-response", { approved: true, requestId: "ask-1", reason: "approved" }), "approved ask-1"],
  [fact("shutdown-request", { stopReason: "timeout", reason: "user_abort" }), "asks to stop: timeout"],
  [fact("shutdown-request", { reason: "user_abort" }), "asks to stop: user abort"],
  [fact("critique", { findings: 0, critical: 0, major: 0, minor: 0 }, { phase: "02" }), "phase 02: 0 findings"],
  [fact("specification", { planId: "02-01", tasksEnriched: 1 }), "plan 02-01: 1 task specified"],
  [fact("idle-notice", { reason: "available", result: "Tests pass" }), "idle: available, Tests pass"],
  [
    fact("own:risk_report", {
      risk: "The disk is\nnearly full",
      open_since: "2026",
      places: [{}, {}],
      isOld: false,
      more: {},
    }),
    "risk: The disk is nearly full, open since: 2026, places: 2, is old: false",
  ],
  [fact("blocker", { needs: "A key" }, { task: "T1" }), "T1: needs: A key"],
  [
    fact("completion", { planId: "2-1", taskId: "2-1-T1", status: "complete", commit: "cdfaf9673e7d6ca0d3ec7c24" }),
    "2-1-T1: complete at cdfaf9673e7d",
  ],
  [fact("own:ping", {}), ""],
];

for (const [given, line] of cases)
  test(`${given.kind} is said as "${line}"`, () => assert.equal(factLine(given), line));
