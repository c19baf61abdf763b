/**
 * Claims that are raced for: every answer is right in the order of the journal; the same check sees decisions without a
 * lock.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { chosenSeed } from "../crash/seed.ts";
import { inLongRun } from "../run-size.ts";
import { raceForTasks } from "./campaign.ts";

const skip = process.platform === "win32" ? "signal 9 needs a POSIX system" : false;
const quick = { workers: 2, operations: 200, completions: 1 / 3, killEveryMs: 100 };
const race = inLongRun({ workers: 8, operations: 5_000, completions: 1 / 120, killEveryMs: 50 }, quick);

test(`${race.workers} processes that are killed again and again never hold the same task or file`, {
  skip,
}, async (context) => {
  const report = await raceForTasks({ ...race, seed: chosenSeed(51) });
  context.diagnostic(JSON.stringify(report));
  assert.deepEqual(report.violations, []);
  assert.equal(report.operations, race.workers * race.operations);
  assert.ok(report.grants > 50 && report.denials > 5, "there was something to race for");
});

test("the same check sees what becomes of decisions outside of the transaction", { skip }, async (context) => {
  const report = await raceForTasks({
    ...quick,
    workers: 4,
    operations: 200,
    killEveryMs: 500,
    seed: chosenSeed(52),
    unlocked: true,
  });
  const together = report.violations.filter((each) => each.includes("at once"));
  context.diagnostic(JSON.stringify({ ...report, violations: together }));
  assert.ok(together.length > 0, "a check that cannot see this proves nothing");
});
