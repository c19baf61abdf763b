import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { lineChange } from "../../src/evidence/git/changes.ts";
import { isLineTouched } from "../../src/evidence/git/line-diff.ts";
import { git, type HistoryOrder, type Tree } from "./history.ts";
import { madeRepository, opened, tree } from "./place.ts";

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

test("what the repository says of showing differences does not touch a line", async () => {
  const texts = [before, before.replace("one", "1").replace("five", "5")];
  await using made = await madeRepository(historyOf(texts.map((text) => tree({ "src/a.js": text }))));
  const [old = "", after = ""] = made.ids;
  const settings = [
    ["diff.interHunkContext", "1000"],
    ["core.bigFileThreshold", "1"],
    ["diff.default.binary", "true"],
    ["diff.algorithm", "none"],
  ] as const;
  for (const [key, value] of settings) git(made.directory, "config", key, value);
  mkdirSync(join(made.directory, ".git/info"), { recursive: true });
  writeFileSync(join(made.directory, ".git/info/attributes"), "* -diff\n");
  await using repository = await opened(made.directory);
  const touched = [];
  for (const line of [1, 2, 3, 4, 5]) {
    const found = await lineChange(repository, { before: old, after, file: "src/a.js", line });
    assert.ok(found.ok, JSON.stringify(found));
    touched.push(found.value.isTouched);
  }
  assert.deepEqual(touched, [true, false, false, false, true]);
});

test("a line is not taken for touched where the contents differ in too much to say", () => {
  const numbers = (mark: string) => Array.from({ length: 30_000 }, (_, index) => `${mark}${index}`).join("\n");
  const [old, fresh] = [`a\n${numbers("x")}\nb\n`, `a\n${numbers("y")}\nb\n`].map((text) => Buffer.from(text));
  assert.ok(old !== undefined && fresh !== undefined);
  assert.equal(isLineTouched(old, fresh, 5), null);
  assert.equal(isLineTouched(old, fresh, 1), false);
  assert.equal(isLineTouched(Buffer.from("a\0b\nc\n"), Buffer.from("a\0b\nd\n"), 1), false);
});
