/** The long damage campaign. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { crashedJournal } from "../crash/crashed-journal.ts";
import { bitFlips, damageJournal, logCuts, pageSwaps } from "../crash/damage.ts";
import { chanceFrom, chosenSeed } from "../crash/seed.ts";
import { record } from "./record.ts";

const skip = process.platform === "win32" ? "the crash that leaves a log needs signal 9" : false;

test("every visible change by flipped bits, swapped pages and cut logs is reported by verify", { skip }, async () => {
  const seed = chosenSeed(141);
  const journal = crashedJournal({ checkpointed: 60, logged: 40 });
  const flips = await damageJournal(journal, bitFlips(journal, 4_000, chanceFrom(seed)));
  const swaps = await damageJournal(journal, pageSwaps(journal, 500, chanceFrom(seed + 1)));
  const cuts = await damageJournal(journal, logCuts(journal, 500, chanceFrom(seed + 2)), journal.receipts.slice(-1));
  const kinds = [
    ["single bits flipped", flips],
    ["pairs of pages swapped", swaps],
    ["logs cut short or left out (a client presents its last receipt)", cuts],
  ] as const;
  record(
    "damage",
    "A closed journal's files are changed; everything that can be read through the contract is read, and verify is asked. Changes that alter nothing visible (unused bytes, pages that the log covers) only count. The last frames of the log hold an entry: where they hold raised marks alone, losing them whole is not seen.",
    [
      ...kinds.map(
        ([what, report]) =>
          [
            what,
            `${report.damages}, visible ${report.visible}, not reported ${report.unreported.length}; SQLite's integrity check alone misses ${report.missedByIntegrityCheck}`,
          ] as const,
      ),
      ["seed", seed],
    ],
  );
  assert.deepEqual([...flips.unreported, ...swaps.unreported, ...cuts.unreported], []);
  assert.ok(flips.missedByIntegrityCheck > 0);
});
