/** Kills: 100 of them lose nothing that was acknowledged; the same campaign sees an early acknowledgement lose. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { killWriters } from "./kills.ts";
import { chosenSeed } from "./seed.ts";

const skip = process.platform === "win32" ? "signal 9 needs a POSIX system" : false;

test("100 kills of concurrent writers lose nothing acknowledged and repeat nothing", { skip }, async (context) => {
  const report = await killWriters({ kills: 100, writers: 3, seed: chosenSeed(21) });
  context.diagnostic(JSON.stringify(report));
  assert.deepEqual(report.wrong, []);
  assert.ok(report.killsWhileWriting >= 50, "most kills strike a writer at work");
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
