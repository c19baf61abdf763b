import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonPath, place, valueAt } from "./problem.ts";

test("a path quotes keys that are no plain words, and keys of digits, which are no entries", () => {
  assert.equal(jsonPath([]), "$");
  assert.equal(jsonPath(["payload", "failures", 0, "check"]), "$.payload.failures[0].check");
  assert.equal(jsonPath(["agents", "dev-1"]), "$.agents.dev-1");
  assert.equal(jsonPath(["a.b", "7", "", 'say "x"'], "arguments"), 'arguments["a.b"]["7"][""]["say \\"x\\""]');
  assert.equal(jsonPath(["x".repeat(70)]), `$["${"x".repeat(63)}…"]`);
});

test("the value at a path is a member of the value's own", () => {
  const value = { list: [{ "a.b": 1 }], "7": "digits" };
  assert.equal(valueAt(value, ["list", 0, "a.b"]), 1);
  assert.equal(valueAt(value, ["7"]), "digits");
  for (const steps of [["list", 1], ["toString"], ["list", "0", "a.b", "c"], ["__proto__"]])
    assert.equal(valueAt(value, steps), undefined, jsonPath(steps));
});

test("a place in a document is shown by line and column, both from 1", () => {
  assert.equal(place("ab\nc", 3), "line 2, column 1");
  assert.equal(place("ab\nc", 1), "line 1, column 2");
});
