import assert from "node:assert/strict";
import { test } from "node:test";
import { covers, type StepBudget } from "../../base/paths/glob-overlap.ts";
import { readGlob } from "../../base/paths/globs.ts";
import { widenings } from "../state/contract-terms.ts";

function hostile(count: number, end: string): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${"*a?".repeat(40)}${end}${index}`);
}

test("globs that are made to be slow count as wider, within a bounded number of steps", () => {
  const globs = hostile(100, "x").flatMap((text) => {
    const glob = readGlob(text);
    return glob.ok ? [glob.value] : [];
  });
  const budget: StepBudget = { left: 100_000 };
  const judged = globs.map((glob) => covers(globs.slice(1), { ...glob, text: "another" }, budget));
  assert.ok(judged.slice(1).every((isCovered) => !isCovered));
  // One comparison may overstep by its last step, and by putting the automata together; none follows it.
  assert.ok(budget.left > -100_000, `${budget.left}`);
  const before = { allowed: hostile(1_000, "x"), forbidden: hostile(1_000, "f") };
  assert.equal(widenings(before, { allowed: hostile(1_000, "y"), forbidden: [] }).length, 2_000);
});

test("a usual large contract is compared exactly", () => {
  const allowed = Array.from({ length: 300 }, (_, index) => `packages/part-${index}/src/`);
  const narrower = allowed.map((entry) => `${entry}**/*.ts`);
  assert.deepEqual(widenings({ allowed, forbidden: [] }, { allowed: allowed.slice(100), forbidden: [] }), []);
  assert.deepEqual(widenings({ allowed, forbidden: [] }, { allowed: narrower.slice(0, 40), forbidden: [] }), []);
  assert.deepEqual(widenings({ allowed: narrower, forbidden: [] }, { allowed: [...narrower, "lib/"], forbidden: [] }), [
    "lib/",
  ]);
});
