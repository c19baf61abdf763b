import assert from "node:assert/strict";
import { test } from "node:test";
import { escalationIdOf, escalationKey } from "../state.ts";

const ids: readonly (readonly [string, string | null, string])[] = [
  ["01-02/T3", "01-02", "ESC-01-02-T3"],
  ["1-1-T3", "1-1", "ESC-01-01-T3"],
  ["T3", "phase-3-plan-1", "ESC-03-01-T3"],
  ["03-01/task-3", null, "ESC-03-01-T3"],
  ["tests", "3-1", "ESC-03-01-tests"],
  ["tests", null, "ESC-tests"],
];

for (const [task, plan, expected] of ids) {
  test(`the escalation of ${task} in ${plan ?? "no plan"} is ${expected}`, () => {
    assert.equal(escalationIdOf(task, plan), expected);
  });
}

test("ids are compared by their numbers", () => {
  assert.equal(escalationKey("ESC-01-02-T03"), escalationKey("ESC-1-2-T3"));
  assert.notEqual(escalationKey("ESC-10-2-T3"), escalationKey("ESC-1-2-T3"));
});
