/** The system-call campaign: each call, each error, at some of the points, and at all of them in a long run. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inLongRun } from "../run-size.ts";
import { chanceFrom, chosenSeed } from "./seed.ts";
import { faults, injectionMissing, storageCalls, strike } from "./system-calls.ts";

const skip = injectionMissing() ?? false;
const seed = chosenSeed(31);
const chance = chanceFrom(seed);

/** Steps that leave about two to four points for each pair in a run of a few messages. */
const steps: Readonly<Record<(typeof storageCalls)[number], number>> = {
  pwrite64: 29,
  fsync: 7,
  ftruncate: 1,
  rename: 1,
  unlink: 1,
};

for (const call of storageCalls) {
  for (const fault of faults) {
    const first = inLongRun(1, 1 + chance.below(steps[call]));
    test(`${fault} at some ${call} loses nothing acknowledged`, { skip }, async (context) => {
      const report = await strike({ call, fault, first, step: inLongRun(1, steps[call]) });
      context.diagnostic(JSON.stringify({ seed, first, ...report }));
      assert.deepEqual(report.wrong, []);
      assert.ok(report.points > 0, "the writer makes this call, so something was struck");
    });
  }
}

test("a kill at a write finds a writer that acknowledges before the commit", { skip }, async () => {
  const report = await strike({ call: "pwrite64", fault: "signal=KILL", first: 12, step: 7, early: true });
  assert.ok(
    report.wrong.some((each) => each.includes("is lost")),
    "a campaign that cannot see this loss proves nothing",
  );
});
