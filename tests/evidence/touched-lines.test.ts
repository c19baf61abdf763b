import assert from "node:assert/strict";
import { test } from "node:test";
import { lineChange, touches } from "../../src/evidence/git/changes.ts";
import type { HistoryOrder, Tree } from "./history.ts";
import { madeRepository, tree } from "./place.ts";

/** One commit behind the other, with these files each. */
function historyOf(trees: readonly Tree[]): HistoryOrder {
  const commits = trees.map((each, index) => ({ tree: each, parents: index === 0 ? [] : [index - 1] }));
  return { commits, references: { "refs/heads/main": commits.length - 1 } };
}

const before = "one\ntwo\nthree\nfour\nfive\n";

test("a line is touched where the commit changes or removes it, or inserts something directly next to it", async () => {
  const changed = [
    { "src/a.js": before.replace("three", "3") },
    { "src/a.js": before.replace("three\n", "") },
    { "src/a.js": before.replace("three\n", "three\nnew\n") },
    { "src/a.js": before.replace("one\n", "0\none\n") },
    { "src/b.js": "x\n", "src/a.js": before },
    { "src/b.js": before },
  ].map(tree);
  await using made = await madeRepository(historyOf([tree({ "src/a.js": before }), ...changed]));
  const [old = "", ...later] = made.ids;
  const touched = [];
  for (const after of later) {
    const found = await lineChange(made.repository, { before: old, after, file: "src/a.js", line: 3 });
    assert.ok(found.ok, JSON.stringify(found));
    assert.equal(found.value.commit, after);
    touched.push(found.value.isTouched);
  }
  // Changed, removed, added next to, added far away, another file, gone.
  assert.deepEqual(touched, [true, true, true, false, false, true]);
});

test("what cannot be found is not known, and a path out of the repository has no line in it", async () => {
  await using made = await madeRepository(historyOf([tree({ "src/a.js": before }), tree({ "src/a.js": "other\n" })]));
  const [old = "", fresh = ""] = made.ids;
  const missing = await lineChange(made.repository, { before: old, after: "0".repeat(40), file: "src/a.js", line: 1 });
  assert.equal(missing.ok ? "" : missing.error.code, "commit-missing");
  for (const file of ["../src/a.js", "/src/a.js", ":(glob)**", "--output=x", "src/a.js\u0000"]) {
    const found = await lineChange(made.repository, { before: old, after: fresh, file, line: 1 });
    assert.deepEqual(found.ok && found.value.isTouched, false, file);
  }
});

test("hunks are read by their old side", () => {
  const cases: readonly (readonly [hunk: string, line: number, isTouched: boolean])[] = [
    ["@@ -3 +3 @@", 3, true],
    ["@@ -3,2 +3 @@", 4, true],
    ["@@ -3,2 +3 @@", 5, false],
    ["@@ -3,0 +4,2 @@", 3, true],
    ["@@ -3,0 +4,2 @@", 4, true],
    ["@@ -3,0 +4,2 @@", 5, false],
    ["Binary files a and b differ", 9, true],
    ["", 1, false],
  ];
  for (const [hunk, line, isTouched] of cases)
    assert.equal(touches(`${hunk}\n+x\n`, line), isTouched, `${hunk} ${line}`);
});
