import assert from "node:assert/strict";
import { test } from "node:test";
import { inOrder } from "../problem.ts";
import { shortened } from "./hint.ts";
import { firstProblemsOf, problemsOf } from "./validator-problems.ts";

test("a key of digits is distinguished from the number of an entry", () => {
  const value = { payload: { "7": 1 }, failures: ["x"], "a.b": 1 };
  const at = (instancePath: string) => ({ instancePath, keyword: "type", schemaPath: "", params: { type: "object" } });
  const told = problemsOf([at("/payload/7"), at("/failures/0"), at("/a.b")], value, {});
  assert.deepEqual(
    told.map(({ path }) => path),
    ['$.payload["7"]', "$.failures[0]", '$["a.b"]'],
  );
});

test("one error of several keywords is one problem, the most telling", () => {
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

test("problems come in their order before they are said, and only as many as asked for", () => {
  const value = { a: "x", b: 1, c: [], d: "text" };
  const errors = [
    ...["pattern", "format", "minLength", "maxItems", "nobody"].map((keyword) => ({ keyword, params: { limit: 1 } })),
    ...["minimum", "maximum", "anyOf", "oneOf"].map((keyword) => ({ keyword, params: { limit: 1, forms: 2 } })),
    { keyword: "additionalProperties", params: { known: ["a"] } },
    { keyword: "enum", params: { allowedValues: ["y"] } },
    { keyword: "enum", params: { allowedValues: [1] } },
    { keyword: "const", params: { allowedValue: "y" } },
    { keyword: "type", params: { type: "integer" } },
    { keyword: "required", params: { missingProperty: "e" } },
  ].map((error, index) => ({ ...error, instancePath: `/${"abcd".charAt(index % 4)}/${index}` }));
  const all = problemsOf(errors, value, value);
  assert.equal(all.length, errors.length);
  assert.deepEqual(all, inOrder(all), "the code by which a fault is sorted is the one that is told");
  for (let max = 0; max <= all.length; max++) {
    assert.deepEqual(firstProblemsOf(errors, value, value, max), {
      problems: all.slice(0, max),
      more: all.length - max,
    });
  }
});
