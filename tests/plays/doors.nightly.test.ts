/** The plays of each family through the doors that agents have: the tools of a real `baton mcp`, and processes. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { doorVariable } from "./doors.ts";

const families = ["bmad", "vbw", "yolo", "typed"].map((name) => join(import.meta.dirname, `${name}.test.ts`));

for (const [door, plays] of [
  ["mcp", "."],
  [
    "command",
    "bmad/1 alone|vbw/1 alone|vbw/2 solo|vbw/2 of a lead|the senior approves a fix|without a senior and an architect",
  ],
] as const) {
  test(`the plays go through ${door} as they go in one process`, () => {
    const { NODE_TEST_CONTEXT: _, ...variables } = process.env;
    const words = ["--conditions=@batonhq/source", "--test", "--test-reporter=tap", `--test-name-pattern=${plays}`];
    const run = spawnSync(process.execPath, [...words, ...families], {
      env: { ...variables, [doorVariable]: door },
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    });
    assert.equal(run.status, 0, run.stdout.slice(-20_000));
    assert.match(run.stdout, /# pass [1-9]/);
  });
}
