/** No test file is forgotten by the runner, and what takes long comes first. */
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inOrder, testFiles } from "../../scripts/test-files.ts";

const home = join(import.meta.dirname, "../..");

test("every file that is named as a test is run, the campaigns when they are asked for", () => {
  const named = globSync("{src,tests,examples,scripts,bench,bin,docs}/**/*.test.ts", { cwd: home }).toSorted();
  const campaigns = named.filter((file) => file.startsWith(join("tests", "long")));
  assert.ok(campaigns.length > 0);
  assert.deepEqual(testFiles(home, ["--long"]), named);
  assert.deepEqual(
    testFiles(home, []),
    named.filter((file) => !campaigns.includes(file)),
  );
  assert.deepEqual(testFiles(home, ["architecture/test-files"]), [join("tests", "architecture", "test-files.test.ts")]);
});

test("the longest comes first, then what is not known but for what stands beside its source", () => {
  const [short, unknownShort] = [join("src", "a.test.ts"), join("src", "b.test.ts")];
  const [long, middle, unknown] = ["long", "middle", "unknown"].map((name) => join("tests", `${name}.test.ts`));
  const files = [short, unknownShort, long, middle, unknown].map((file) => file ?? assert.fail());
  const times = new Map([
    [short, 0.1],
    [long ?? "", 30],
    [middle ?? "", 2],
  ]);
  assert.deepEqual(inOrder(files, times), [unknown, long, middle, short, unknownShort]);
});
