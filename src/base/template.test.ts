import assert from "node:assert/strict";
import { test } from "node:test";
import { fillTemplate, placesIn } from "./text.ts";

const cases: readonly (readonly [template: string, values: Record<string, string>, filled: string])[] = [
  ["claimed {task}", { task: "1-1-T1" }, "claimed 1-1-T1"],
  ["claimed {task}", {}, "claimed "],
  ["left {step} out[ of phase {phase}][: {reason}]", { step: "qa", reason: "none" }, "left qa out: none"],
  ["left {step} out[ of phase {phase}][: {reason}]", { step: "qa", phase: "2" }, "left qa out of phase 2"],
  ["reported {task} as {status|complete}[ at {commit}].", { task: "T", commit: "" }, "reported T as complete."],
  ["[{a} and {b}]!", { a: "x" }, "!"],
  ["{a}", { a: "{b} [c]" }, "{b} [c]"],
  ["", {}, ""],
];

for (const [template, values, filled] of cases) {
  test(`"${template}" with ${JSON.stringify(values)} is "${filled}"`, () => {
    assert.equal(
      fillTemplate(template, (name) => values[name] ?? null),
      filled,
    );
  });
}

test("the places of a template are its names, without the words for what is not there", () => {
  assert.deepEqual(placesIn("reported {task} as {status|complete}[ at {commit}]"), ["task", "status", "commit"]);
});
