/** The campaign of errors in handed-over files, and a control that misses some. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkFiles } from "../../src/evidence/decide/checksums.ts";
import { temporaryFolder } from "../crash/folder.ts";
import { chosenSeed } from "../crash/seed.ts";
import { inLongRun } from "../run-size.ts";
import { script, tellProblems } from "./campaign.ts";
import { harmless, problems } from "./faults.ts";

const seed = chosenSeed(711);
const kinds = Object.keys(problems).length + Object.keys(harmless).length;
/** Reading these, a script waits for ever. */
const endless = ["a pipe in its place", "a link to a device"];

test(`every change to a handed-over file is reported, and nothing else is (seed ${seed})`, async () => {
  using folder = temporaryFolder("memory");
  assert.deepEqual((await tellProblems(folder.path, seed, inLongRun(1_000, 2 * kinds))).wrong, []);
});

test(`a script that joins paths and compares sums lets files from outside pass (seed ${seed})`, async () => {
  using folder = temporaryFolder("memory");
  const { wrong } = await tellProblems(folder.path, seed, kinds, { judge: script, without: endless });
  assert.ok(wrong.some((each) => each.includes("climbs out")) && wrong.some((each) => each.includes("leads out")));
});

test("a root that is not there is refused, and so is a file in its place", async () => {
  using folder = temporaryFolder("memory");
  const file = join(folder.path, "file");
  writeFileSync(file, "");
  for (const root of [join(folder.path, "none"), file]) {
    const checked = await checkFiles(root, [{ path: "x", checksum: null }]);
    assert.equal(checked.ok ? null : checked.error.code, "not-found");
  }
});

test("a check that is stopped says so instead of telling half", async () => {
  using folder = temporaryFolder("memory");
  writeFileSync(join(folder.path, "x"), "x");
  const checked = await checkFiles(folder.path, [{ path: "x", checksum: null }], { signal: AbortSignal.abort() });
  assert.equal(checked.ok ? null : checked.error.code, "interrupted");
});
