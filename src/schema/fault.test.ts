import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonPath, problemsOf, shortened } from "./fault.ts";

test("a path quotes keys that are no plain words", () => {
  assert.equal(jsonPath([]), "$");
  assert.equal(jsonPath(["payload", "failures", "0", "check"]), "$.payload.failures[0].check");
  assert.equal(jsonPath(["a b", 'say "x"']), '$["a b"]["say \\"x\\""]');
});

test("one fault of several keywords is one problem, the most telling", () => {
  const at = { instancePath: "/a~1b" };
  const problems = problemsOf(
    [
      { ...at, keyword: "pattern", params: { pattern: "x" } },
      { ...at, keyword: "type", params: { type: "string" } },
      { ...at, keyword: "enum", params: { allowedValues: ["partial", "failed"] } },
    ],
    { "a/b": 7 },
    { "a/b": "failed" },
  );
  assert.deepEqual(problems, [
    {
      code: "wrong-type",
      path: '$["a/b"]',
      message: '$["a/b"] must be one of partial | failed.',
      expected: "partial | failed",
      received: "7",
      hint: "write one of the listed words",
    },
  ]);
});

test("the first entry of an example's list stands for further ones", () => {
  const [problem] = problemsOf(
    [{ instancePath: "/list/3", keyword: "type", params: { type: "string" } }],
    { list: ["a", "b", "c", {}] },
    { list: ["sample"] },
  );
  assert.equal(problem?.hint, 'for example "sample"');
});

test("what was received is shown on one short line", () => {
  assert.equal(shortened(undefined), "nothing");
  assert.equal(shortened("a\nb"), '"a\\nb"');
  assert.ok(shortened("x".repeat(1_000_000)).length <= 80);
  assert.ok(shortened({ deep: Array.from({ length: 1000 }, () => "y") }).length <= 80);
});
