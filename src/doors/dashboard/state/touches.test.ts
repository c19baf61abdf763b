import assert from "node:assert/strict";
import { test } from "node:test";
import { touchesHandoffs, touchesPhases } from "./touches.ts";

const cases = [
  ["message", "qa_result", "verdict", true, false],
  ["message", null, null, true, false],
  ["message", "handoff", "handoff", true, true],
  ["command", "skip-step", null, true, false],
  ["command", "accept-handoff", null, true, true],
  ["command", "reject-handoff", null, true, true],
  ["command", "complete-handoff", null, true, true],
  ["refusal", "accept-handoff", null, false, true],
  ["refusal", "handoff", null, false, false],
  ["refusal", "qa_result", null, false, false],
  ["timer", null, null, true, false],
  ["team", null, null, true, false],
  ["epoch", null, null, true, false],
  ["ack", null, null, false, false],
] as const;

test("an entry's line tells what it may have changed", () => {
  for (const [kind, type, fact, phases, handoffs] of cases) {
    const line = { kind, type, fact };
    assert.equal(touchesPhases(line), phases, `phases: ${JSON.stringify(line)}`);
    assert.equal(touchesHandoffs(line), handoffs, `handoffs: ${JSON.stringify(line)}`);
  }
});
