/** The long kill campaign, and many processes at once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { killWriters } from "../crash/kills.ts";
import { sendAtOnce } from "../crash/processes.ts";
import { chosenSeed } from "../crash/seed.ts";
import { record } from "./record.ts";

const skip = process.platform === "win32" ? "signal 9 needs a POSIX system" : false;

test("600 kills lose nothing acknowledged and repeat nothing", { skip }, async () => {
  const report = await killWriters({ kills: 600, writers: 4, seed: chosenSeed(121) });
  const control = await killWriters({ kills: 60, writers: 3, seed: chosenSeed(122), early: true });
  const lost = control.wrong.filter((each) => each.includes("is lost")).length;
  record(
    "kills",
    "Four writers are killed with signal 9 after 0 to 120 ms, started again, and send again what was not acknowledged.",
    [
      ["kills", report.kills],
      ["of them while writing", report.killsWhileWriting],
      ["acknowledged", report.acknowledged],
      ["recorded before the kill, acknowledged as duplicates after it", report.duplicates],
      ["lost, repeated or out of order", report.wrong.length],
      ["control: lost by a writer that acknowledges before the commit", `${lost} in ${control.kills} kills`],
      ["seed", report.seed],
    ],
  );
  assert.deepEqual(report.wrong, []);
  assert.ok(lost > 0);
});

test("16 processes send 1,000 messages each: gapless, exactly once, none refused", { skip }, async () => {
  const { acknowledged, holding } = await sendAtOnce(16, 1_000, (process) => `dev-${process}`);
  record("processes", "Sixteen processes send 1,000 messages each into one journal, four under way at a time.", [
    ["acknowledged", acknowledged.length],
    ["entries, each once, without a gap", holding.entries.length],
    ["refused as busy", 0],
  ]);
  assert.equal(holding.entries.length, 16_000);
});
