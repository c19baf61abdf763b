import assert from "node:assert/strict";
import { test } from "node:test";
import { approvalWords, escalationWords } from "./outcome-text.ts";

test("an answer is shown with who gave it, its entry and its reason", () => {
  const answer = { approved: false, decidedBy: "lead-1", role: "lead", conditions: [], modifications: [] } as const;
  const given = { ...answer, reason: "Not now", seq: 12, atMs: 0 };
  assert.equal(approvalWords({ status: "denied", answer: given }), "Denied by lead-1, entry 12: Not now");
  const plain = { ...given, approved: true, reason: "approved" };
  assert.equal(approvalWords({ status: "approved", answer: plain }), "Approved by lead-1, entry 12");
  assert.match(approvalWords({ status: "expired", answer: null }), /deadline passed/);
  assert.match(approvalWords(undefined), /elsewhere/);
});

test("a decision is shown with who gave it, and an expiry as an expiry", () => {
  const decision = { decision: "Stub it", rationale: "", actionItems: [], level: "lead", decidedBy: "lead-1" } as const;
  const decided = { status: "resolved", decision: { ...decision, seq: 9, atMs: 0 } } as const;
  assert.equal(escalationWords(decided), "Decided by lead-1, entry 9: Stub it");
  assert.match(escalationWords({ status: "closed", decision: null }), /continued/);
  assert.match(escalationWords(undefined), /no longer/);
});
