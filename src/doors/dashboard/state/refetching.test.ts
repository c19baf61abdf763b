import assert from "node:assert/strict";
import { test } from "node:test";
import { standings, touched, touchesHandoffs, touchesPhases } from "./refetching.ts";

/** Kind, type, fact; whether phases and whether an opened handoff may have changed; what is refetched. */
const cases = [
  ["message", "qa_result", "verdict", true, false, "status tasks escalations"],
  ["message", null, null, true, false, "status"],
  ["message", "risk_report", "own:risk_report", true, false, "status tasks"],
  ["message", "handoff", "handoff", true, true, "status handoffs"],
  ["message", "shutdown_response", "shutdown-response", true, false, "status shutdowns tasks approvals"],
  ["command", "approval_response", "approval-response", true, false, "status approvals"],
  ["command", "skip-step", null, true, false, "status approvals tasks escalations shutdowns"],
  ["command", "accept-handoff", null, true, true, "status handoffs tasks"],
  ["command", "reject-handoff", null, true, true, "status handoffs"],
  ["command", "complete-handoff", null, true, true, "status handoffs tasks"],
  ["refusal", "accept-handoff", null, false, true, "status"],
  ["refusal", "handoff", null, false, false, "status"],
  ["refusal", "qa_result", null, false, false, "status"],
  ["timer", null, null, true, false, "status approvals tasks escalations shutdowns"],
  ["timer", "shutdown_request", "shutdown-request", true, false, "status approvals tasks escalations shutdowns"],
  ["team", null, null, true, false, "status approvals tasks escalations shutdowns"],
  ["epoch", null, null, true, false, "status approvals tasks escalations shutdowns"],
  ["ack", null, null, false, false, "status"],
] as const;

test("an entry's line tells what it may have changed", () => {
  for (const [kind, type, fact, phases, handoffs, asked] of cases) {
    const line = { kind, type, fact, receivers: [] };
    assert.equal(touchesPhases(line), phases, `phases: ${JSON.stringify(line)}`);
    assert.equal(touchesHandoffs(line), handoffs, `handoffs: ${JSON.stringify(line)}`);
    assert.deepEqual([...touched(line, false)], asked.split(" "), JSON.stringify(line));
  }
});

test("a round that is shown counts what its agents have not read", () => {
  const ack = { kind: "ack", type: null, fact: null, receivers: [] } as const;
  assert.deepEqual([...touched(ack, true)], ["status", "shutdowns"]);
  const prose = { kind: "message", type: null, fact: null, receivers: ["dev-1"] } as const;
  assert.deepEqual([...touched(prose, true)], ["status", "shutdowns"]);
  assert.deepEqual([...touched({ ...prose, receivers: [] }, true)], ["status"]);
});

test("what a later hub says and this page does not know may have changed everything", () => {
  // Written by another build.
  const fact = "weather" as "findings";
  assert.deepEqual(new Set(touched({ kind: "message", type: "x", fact, receivers: [] }, false)), new Set(standings));
});
