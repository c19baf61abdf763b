import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isLineTouched, type LineAt } from "../../src/evidence/git/changes.ts";
import { look } from "../../src/evidence/git/questions.ts";
import type { Repository } from "../../src/evidence/git/repository.ts";
import { git, type HistoryOrder, type Tree } from "./history.ts";
import { madeRepository, opened, tree } from "./place.ts";

/** One commit behind the other, with these files each. */
function historyOf(trees: readonly Tree[]): HistoryOrder {
  const commits = trees.map((each, index) => ({ tree: each, parents: index === 0 ? [] : [index - 1] }));
  return { commits, references: { "refs/heads/main": commits.length - 1 } };
}

async function touched(repository: Repository, at: LineAt): Promise<boolean> {
  const found = await look(() => isLineTouched(repository, at));
  assert.ok(found.ok, JSON.stringify(found));
  return found.value;
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
  const found = [];
  for (const after of later)
    found.push(await touched(made.repository, { before: old, after, file: "src/a.js", line: 3 }));
  // Changed, removed, added next to, added far away, another file, gone.
  assert.deepEqual(found, [true, true, true, false, false, true]);
});

test("a path out of the repository has no line in it", async () => {
  await using made = await madeRepository(historyOf([tree({ "src/a.js": before }), tree({ "src/a.js": "other\n" })]));
  const [old = "", fresh = ""] = made.ids;
  for (const file of ["../src/a.js", "/src/a.js", ":(glob)**", "--output=x", "src/a.js\u0000"]) {
    assert.equal(await touched(made.repository, { before: old, after: fresh, file, line: 1 }), false, file);
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
  const found = [];
  for (const line of [1, 2, 3, 4, 5])
    found.push(await touched(repository, { before: old, after, file: "src/a.js", line }));
  assert.deepEqual(found, [true, false, false, false, true]);
});
