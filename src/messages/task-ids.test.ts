import assert from "node:assert/strict";
import { test } from "node:test";
import { planKey, planKeyOfReference, planKeyOfTask, taskKey } from "./task-ids.ts";

const plans: readonly (readonly [written: string, key: string])[] = [
  ["03-01", "3-1"],
  ["3-1", "3-1"],
  ["1-1", "1-1"],
  ["phase-1-plan-1", "1-1"],
  ["Phase-01-Plan-02", "1-2"],
  ["phase 1/plan 2", "1-2"],
  ["01_02", "1-2"],
  ["10-01", "10-1"],
  ["1-10", "1-10"],
  ["auth", "auth"],
  ["1", "1"],
  ["1-2-3", "1-2-3"],
  ["1-", "1-"],
  ["phase-1", "phase-1"],
  ["", ""],
  ["constructor", "constructor"],
  ["1234567890-1", "1234567890-1"],
];

const tasks: readonly (readonly [written: string, plan: string | null, key: string, planOfTask: string | null])[] = [
  ["03-01/task-3", null, "3-1-T3", "3-1"],
  ["03-01/task-3", "07-07", "3-1-T3", "3-1"],
  ["01-01/T3", null, "1-1-T3", "1-1"],
  ["1-1-T3", null, "1-1-T3", "1-1"],
  ["1-1-t03", null, "1-1-T3", "1-1"],
  ["phase-1-plan-1/T3", null, "1-1-T3", "1-1"],
  ["T3", "01-01", "1-1-T3", null],
  ["task-3", "phase-1-plan-1", "1-1-T3", null],
  ["T3", null, "T3", null],
  ["T3", "", "T3", null],
  ["auth-T2", null, "auth-T2", "auth"],
  ["debug-hyp-1", null, "debug-hyp-1", null],
  ["debug-hyp-1", "1-1", "debug-hyp-1", null],
  ["", "1-1", "", null],
  ["T", "1-1", "T", null],
  ["part2", "1-1", "part2", null],
];

for (const [written, key] of plans) {
  test(`plan id ${JSON.stringify(written)} is compared as ${JSON.stringify(key)}`, () => {
    assert.equal(planKey(written), key);
    assert.equal(planKey(key), key);
  });
}

for (const [written, plan, key, planOfTask] of tasks) {
  test(`task id ${JSON.stringify(written)} of plan ${JSON.stringify(plan)} is compared as ${JSON.stringify(key)}`, () => {
    assert.equal(taskKey(written, plan), key);
    assert.equal(taskKey(key, plan), key);
    assert.equal(planKeyOfTask(written), planOfTask);
  });
}

test("a message's task field points to the plan of its task, or is a plan itself", () => {
  assert.equal(planKeyOfReference("1-1-T3"), "1-1");
  assert.equal(planKeyOfReference("01-01"), "1-1");
  assert.equal(planKeyOfReference("debug-hyp-1"), null);
  assert.equal(planKeyOfReference(""), null);
  assert.equal(planKeyOfReference(null), null);
});
