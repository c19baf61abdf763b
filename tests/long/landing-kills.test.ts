/** The long campaign of kills of a hub that lands. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { killLandings } from "../crash/landing-kills.ts";
import { chosenSeed } from "../crash/seed.ts";
import { record } from "./record.ts";

const skip = process.platform === "win32" ? "signal 9 needs a POSIX system" : false;

test("200 kills of a hub that lands land each task once and touch nothing of the person's", { skip }, async () => {
  const report = await killLandings({ kills: 200, seed: chosenSeed(141) });
  record(
    "landing-kills",
    "The hub's process group is killed with signal 9 around the checks of its landings while the person commits.",
    [
      ["kills", report.kills],
      ["between a landing's check and its record", report.struck],
      ["tasks, each landed once", report.landed],
      ["wrong", report.wrong.length],
      ["seed", report.seed],
    ],
  );
  assert.deepEqual(report.wrong, []);
  assert.ok(report.struck > 0, "some kill struck between the first word of a landing and its last");
});
