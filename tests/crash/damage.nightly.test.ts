/** Damage: every visible change is reported by verify; SQLite's own check alone would miss most. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inLongRun } from "../run-size.ts";
import { crashedJournal } from "./crashed-journal.ts";
import { bitFlips, damageJournal, logCuts, pageSwaps } from "./damage.ts";
import { chanceFrom, chosenSeed } from "./seed.ts";

const skip = process.platform === "win32" ? "the crash that leaves a log needs signal 9" : false;

const flips = inLongRun(4_000, 80);

test(`of ${flips} single bit flips verify reports every one that changes something visible`, {
  skip,
}, async (context) => {
  const seed = chosenSeed(41);
  const journal = crashedJournal({ checkpointed: 30, logged: 30 });
  const report = await damageJournal(journal, bitFlips(journal, flips, chanceFrom(seed)));
  context.diagnostic(JSON.stringify({ seed, ...report }));
  assert.deepEqual(report.unreported, []);
  assert.ok(report.visible > flips / 2, "many flips are visible");
  assert.ok(report.missedByIntegrityCheck > 0, "the control: without the chain some would be missed");
});

test("swapped pages are reported", { skip }, async (context) => {
  const seed = chosenSeed(42);
  const journal = crashedJournal({ checkpointed: 60, logged: 5 });
  const report = await damageJournal(journal, pageSwaps(journal, inLongRun(500, 50), chanceFrom(seed)));
  context.diagnostic(JSON.stringify({ seed, ...report }));
  assert.deepEqual(report.unreported, []);
  assert.ok(report.visible > 10);
});

test("a log that was cut short or left out is reported, by the anchor or by the receipt that a client presents", {
  skip,
}, async (context) => {
  const seed = chosenSeed(43);
  const journal = crashedJournal({ checkpointed: 10, logged: 30 });
  const report = await damageJournal(
    journal,
    logCuts(journal, inLongRun(500, 50), chanceFrom(seed)),
    journal.receipts.slice(-1),
  );
  context.diagnostic(JSON.stringify({ seed, ...report }));
  assert.deepEqual(report.unreported, []);
  assert.ok(report.visible > 40);
  assert.ok(report.missedByIntegrityCheck > 0, "the control: SQLite takes a rewound journal for a sound one");
});
