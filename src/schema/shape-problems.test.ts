import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod";
import { readShape } from "./shape-problems.ts";

const shape = z.strictObject({
  name: z.string().min(1),
  kind: z.enum(["one", "two"]).optional(),
  count: z.int().optional(),
  parts: z.array(z.strictObject({ file: z.string() })).optional(),
  sums: z.record(z.string(), z.int()).optional(),
});

/** Code, path and what else is notified of each error. */
function told(value: unknown, root = "$") {
  const read = readShape(shape, value, root);
  return read.ok
    ? []
    : read.error.map(({ code, path, expected, received, hint }) => [code, path, expected, received, hint]);
}

test("a fitting value is returned, and each error is reported with its place, what was expected and what came", () => {
  assert.deepEqual(readShape(shape, { name: "a", sums: { "a.b": 1 } }, "$"), {
    ok: true,
    value: { name: "a", sums: { "a.b": 1 } },
  });
  const cases: readonly (readonly [unknown, readonly unknown[]])[] = [
    [{}, ["missing-field", "$.name", "a string", undefined, undefined]],
    [{ name: 7 }, ["wrong-type", "$.name", "a string", "7", undefined]],
    [{ name: "" }, ["wrong-value", "$.name", undefined, '""', undefined]],
    [{ name: "a", kind: "three" }, ["wrong-value", "$.kind", "one | two", '"three"', undefined]],
    [{ name: "a", count: 1.5 }, ["wrong-type", "$.count", "a whole number", "1.5", undefined]],
    [{ name: "a", parts: [{}] }, ["missing-field", "$.parts[0].file", "a string", undefined, undefined]],
    [{ name: "a", sums: { "a.b": "x" } }, ["wrong-type", '$.sums["a.b"]', "a number", '"x"', undefined]],
    [{ name: "a", sums: { "7": "x" } }, ["wrong-type", '$.sums["7"]', "a number", '"x"', undefined]],
    [{ name: "a", parts: "b" }, ["wrong-type", "$.parts", "a list", '"b"', 'write a list: ["b"]']],
    [7, ["wrong-type", "$", "an object", "7", undefined]],
  ];
  for (const [value, fault] of cases) assert.deepEqual(told(value), [fault], JSON.stringify(value));
});

test("an unknown key is reported at its place, with those that are known there", () => {
  const known = "name | kind | count | parts | sums";
  assert.deepEqual(told({ name: "a", kimd: "one", "x.y": 1 }, "arguments"), [
    ["unknown-field", "arguments.kimd", known, '"kimd"', 'did you mean "kind"?'],
    ["unknown-field", 'arguments["x.y"]', known, '"x.y"', "Leave it out."],
  ]);
  assert.deepEqual(told({ name: "a", parts: [{ file: "b", fil: "c" }] }), [
    ["unknown-field", "$.parts[0].fil", "file", '"fil"', 'did you mean "file"?'],
  ]);
});

test("errors come in the order of precedence", () => {
  assert.deepEqual(
    told({ other: 1, kind: 7 }).map(([code]) => code),
    ["missing-field", "wrong-value", "unknown-field"],
  );
});
