import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod";
import { readShape } from "./shape-problems.ts";
import type { ReadNote } from "./text-list.ts";

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
    [{ name: "" }, ["wrong-value", "$.name", "at least 1 character", '""', undefined]],
    [{ name: "a", kind: "three" }, ["wrong-value", "$.kind", "one | two", '"three"', undefined]],
    [{ name: "a", count: 1.5 }, ["wrong-type", "$.count", "a whole number", "1.5", undefined]],
    [{ name: "a", parts: [{}] }, ["missing-field", "$.parts[0].file", "a string", undefined, undefined]],
    [{ name: "a", sums: { "a.b": "x" } }, ["wrong-type", '$.sums["a.b"]', "a number", '"x"', undefined]],
    [{ name: "a", sums: { "7": "x" } }, ["wrong-type", '$.sums["7"]', "a number", '"x"', undefined]],
    [{ name: "a", parts: "b" }, ["wrong-type", "$.parts", "a list", '"b"', 'write a list: ["b"]']],
    [7, ["wrong-type", "$", "an object", "7", undefined]],
  ];
  for (const [value, problem] of cases) assert.deepEqual(told(value), [problem], JSON.stringify(value));
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

const either = z.strictObject({
  files: z.union([z.array(z.string().max(3)).max(2), z.literal("none")]).optional(),
  commit: z.union([z.string().min(2), z.array(z.string())]).optional(),
  key: z.union([z.string(), z.int()]).nullable().optional(),
  at: z.iso.datetime().optional(),
  decision: z
    .discriminatedUnion("decide", [
      z.strictObject({ decide: z.literal("approve"), request: z.string() }),
      z.strictObject({ decide: z.literal("lift"), stop: z.string() }),
    ])
    .optional(),
  scope: z
    .union([z.strictObject({ file: z.string() }), z.strictObject({ plan: z.string(), task: z.string() })])
    .optional(),
});

test("what is none of several alternatives is reported with all of them, or with what is wrong in the one it is of", () => {
  const list = 'write a list: ["src/k"]';
  const cases: readonly (readonly [unknown, readonly unknown[]])[] = [
    [{ files: "src/k" }, ["wrong-value", "$.files", 'a list or "none"', '"src/k"', list]],
    [{ files: 7 }, ["wrong-type", "$.files", 'a list or "none"', "7", "write a list: [7]"]],
    [{ files: ["a", 7] }, ["wrong-type", "$.files[1]", "a string", "7", undefined]],
    [{ files: ["long"] }, ["wrong-value", "$.files[0]", "at most 3 characters", '"long"', undefined]],
    [{ files: ["a", "b", "c"] }, ["wrong-value", "$.files", "at most 2 entries", '["a","b","c"]', undefined]],
    [{ commit: {} }, ["wrong-type", "$.commit", "a string or a list", "{}", undefined]],
    [{ commit: "" }, ["wrong-value", "$.commit", "at least 2 characters", '""', undefined]],
    [{ key: true }, ["wrong-type", "$.key", "a string or a number", "true", undefined]],
    [{ decision: {} }, ["missing-field", "$.decision.decide", '"approve" or "lift"', undefined, undefined]],
    [{ decision: { decide: "no" } }, ["wrong-value", "$.decision.decide", '"approve" or "lift"', '"no"', undefined]],
    [{ scope: 1 }, ["wrong-type", "$.scope", "an object", "1", undefined]],
    [{ scope: { plan: 1, task: "a" } }, ["wrong-type", "$.scope.plan", "a string", "1", undefined]],
    [
      { scope: { plan: "1", task: "a", tsk: 1 } },
      ["unknown-field", "$.scope.tsk", "plan | task", '"tsk"', 'did you mean "task"?'],
    ],
    [
      { decision: { decide: "lift", stop: "1", request: "2" } },
      ["unknown-field", "$.decision.request", "decide | stop", '"request"', "Leave it out."],
    ],
  ];
  for (const [value, problem] of cases) {
    const read = readShape(either, value, "$");
    const problems = read.ok ? [] : read.error;
    assert.deepEqual(
      problems.map(({ code, path, expected, received, hint }) => [code, path, expected, received, hint]),
      [problem],
      JSON.stringify(value),
    );
    if (problem[0] !== "unknown-field") assert.doesNotMatch(problems[0]?.message ?? "", /Invalid/);
  }
  const read = readShape(either, { at: "noon" }, "$");
  assert.deepEqual(read.ok ? [] : read.error.map(({ code, expected }) => [code, expected !== undefined]), [
    ["wrong-format", true],
  ]);
});

test("errors come in the order of precedence", () => {
  assert.deepEqual(
    told({ other: 1, kind: 7 }).map(([code]) => code),
    ["missing-field", "wrong-value", "unknown-field"],
  );
});

test("a text where a list of texts belongs is the list that it stands for, with a note, where notes are taken", () => {
  const lists = z.strictObject({
    files: z.union([z.array(z.string()), z.literal("none")]).optional(),
    tasks: z.array(z.strictObject({ files: z.array(z.string()) })).optional(),
    counts: z.array(z.int()).optional(),
  });
  const read = (value: unknown) => {
    const notes: ReadNote[] = [];
    const found = readShape(lists, value, "$", notes);
    return [found.ok ? found.value : found.error.map(({ path, hint }) => [path, hint]), notes.map(({ path }) => path)];
  };
  const cases: readonly (readonly [unknown, unknown, readonly string[]])[] = [
    [{ files: '["src/a.js"]' }, { files: ["src/a.js"] }, ["$.files"]],
    [{ files: ' [ "a", "b" ]\n' }, { files: ["a", "b"] }, ["$.files"]],
    [{ files: "[]" }, { files: [] }, ["$.files"]],
    [{ files: "src/a.js" }, { files: ["src/a.js"] }, ["$.files"]],
    [{ files: "[id].tsx" }, { files: ["[id].tsx"] }, ["$.files"]],
    [{ files: "none" }, { files: "none" }, []],
    [{ files: ['["a"]'] }, { files: ['["a"]'] }, []],
    [{ tasks: [{ files: '["a"]' }] }, { tasks: [{ files: ["a"] }] }, ["$.tasks[0].files"]],
    [{ files: '["a"' }, [["$.files", "write the list itself, not a string of it"]], []],
    [{ files: "['a']" }, [["$.files", "write the list itself, not a string of it"]], []],
    [{ files: "[1]" }, [["$.files", "write the list itself, not a string of it"]], []],
    [{ counts: '["1"]' }, [["$.counts", 'write a list: ["1"]']], []],
    [{ tasks: "a" }, [["$.tasks", 'write a list: ["a"]']], []],
  ];
  for (const [value, found, notes] of cases) assert.deepEqual(read(value), [found, notes], JSON.stringify(value));
  assert.equal(readShape(lists, { files: "a" }, "$").ok, false, "a program that gives values is told");
});
