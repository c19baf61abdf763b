/** The long race for tasks: 40,000 operations, a kill every 50 ms. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { raceForTasks } from "../claims/campaign.ts";
import { chosenSeed } from "../crash/seed.ts";
import { record } from "./record.ts";

const skip = process.platform === "win32" ? "signal 9 needs a POSIX system" : false;

test("8 processes with 5,000 operations each never hold the same task or file", { skip }, async () => {
  const report = await raceForTasks({
    workers: 8,
    operations: 5_000,
    completions: 1 / 120,
    killEveryMs: 50,
    seed: chosenSeed(151),
  });
  const control = await raceForTasks({
    workers: 8,
    operations: 250,
    completions: 1 / 120,
    killEveryMs: 50,
    seed: chosenSeed(152),
    unlocked: true,
  });
  const together = control.violations.filter((each) => each.includes("at once")).length;
  record(
    "claims",
    "Eight processes claim, renew, release and complete fifty tasks whose files overlap; one at random is struck with " +
      "signal 9 every 50 ms, seven in eight of those still starting being spared, and repeats by the same id what it had no " +
      "answer to; some stay away longer than their lease of a second. In the order of the journal each answer is compared with a naive model's, and no operation may end before one earlier in the " +
      "journal began.",
    [
      ["operations answered", report.operations],
      [
        "granted claims and renewals, denied claims, completions",
        `${report.grants}, ${report.denials}, ${report.completions}`,
      ],
      ["claims that ran out", report.expired],
      ["kills; operations that they cut off", `${report.kills}; ${report.cutOff}`],
      ["recorded before the kill, answered as duplicates after it", report.repeated],
      ["violations", report.violations.length],
      [
        "control: decisions outside of the transaction",
        `${control.violations.length} violations, ${together} of them two holders at once, in ${control.operations} operations`,
      ],
      ["seed", report.seed],
    ],
  );
  assert.deepEqual(report.violations, []);
  assert.equal(report.operations, 40_000);
  assert.ok(report.expired > 0 && report.cutOff > 0);
  assert.ok(together > 0);
});
