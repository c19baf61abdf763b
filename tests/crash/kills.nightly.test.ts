/** Kills lose nothing that was acknowledged; the same campaign sees an early acknowledgement lose. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inLongRun } from "../run-size.ts";
import { killWriters } from "./kills.ts";
import { chosenSeed } from "./seed.ts";

const skip = process.platform === "win32" ? "signal 9 needs a POSIX system" : false;

const kills = inLongRun(600, 40);

test(`${kills} kills of concurrent writers lose nothing acknowledged and repeat nothing`, { skip }, async (context) => {
  const report = await killWriters({ kills, writers: 3, seed: chosenSeed(21) });
  context.diagnostic(JSON.stringify(report));
  assert.deepEqual(report.wrong, []);
  assert.ok(report.killsWhileWriting >= kills / 2, "most kills strike a writer at work");
  assert.ok(report.duplicates > 0, "some kill struck between the commit and its acknowledgement");
});

test("the same kills find a writer that acknowledges before the commit", { skip }, async (context) => {
  const report = await killWriters({ kills: 30, writers: 3, seed: chosenSeed(22), early: true });
  context.diagnostic(JSON.stringify({ ...report, wrong: report.wrong.slice(0, 3) }));
  assert.ok(
    report.wrong.some((each) => each.includes("was acknowledged and is lost")),
    "a campaign that cannot see this loss proves nothing",
  );
});
