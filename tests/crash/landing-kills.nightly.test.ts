/** Kills of a hub that lands: each task lands once, and what is the person's stays as it is. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { killLandings } from "./landing-kills.ts";
import { chosenSeed } from "./seed.ts";

const skip = process.platform === "win32" ? "signal 9 needs a POSIX system" : false;

test("8 kills of a hub that lands land each task once and touch nothing of the person's", { skip }, async (context) => {
  const report = await killLandings({ kills: 8, seed: chosenSeed(41) });
  context.diagnostic(JSON.stringify(report));
  assert.deepEqual(report.wrong, []);
  assert.ok(report.struck > 0, "a campaign that strikes no landing proves nothing");
});
