/** An agent killed again and again: nothing is lost and nothing doubled. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inLongRun } from "../run-size.ts";
import { loseAgent } from "./lost-agent.ts";
import { chosenSeed } from "./seed.ts";

const skip = process.platform === "win32" ? "signal 9 needs a POSIX system" : false;

const kills = inLongRun(100, 4);

test(`an agent killed ${kills} times loses nothing and doubles nothing`, { skip }, async (t) => {
  const report = await loseAgent(kills, chosenSeed(20_261));
  t.diagnostic(`seed ${report.seed}: ${report.kills} kills, ${report.late} after the contract was acknowledged`);
  assert.deepEqual(report.wrong, []);
  assert.equal(report.reports, kills);
  const [lost, doubled, granted] = report.controls;
  assert.match(lost?.join("\n") ?? "", /is lost/, "the check finds a planted loss");
  assert.match(doubled?.join("\n") ?? "", /is there 2 times/, "and a planted double");
  assert.match(granted?.join("\n") ?? "", /granted 2 times/, "and a planted second grant");
});
