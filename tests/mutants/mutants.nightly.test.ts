/** The campaign of mutants, and the planted bugs that it finds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { chanceFrom, chosenSeed } from "../crash/seed.ts";
import { inLongRun } from "../run-size.ts";
import { judgeMutants, library, secondJudges } from "./campaign.ts";
import { mutants } from "./mutants.ts";
import { plantedReaders } from "./planted.ts";
import { randomMessages, randomTexts } from "./random.ts";

const seed = chosenSeed(404);
const all = [...mutants(chanceFrom(seed), inLongRun(40_000, 10_000))];

/** Every nth, from a place of the seed's choice. */
function sample(step: number) {
  const first = seed % step;
  return all.filter((_, index) => index % step === first);
}

test(`mutants of accepted messages are refused, or read with a note by a rule (seed ${seed})`, async (t) => {
  assert.ok(all.length > 50_000, String(all.length));
  const chosen = sample(inLongRun(1, 14));
  const report = judgeMutants(chosen, library, await secondJudges(chosen));
  assert.deepEqual(report.wrong.slice(0, 5), []);
  assert.ok(report.readTolerantly > 400 && report.refusedTolerantly > 3_000);
  assert.equal(report.kinds.size, 9);
  t.diagnostic(`${report.mutants} of ${all.length} mutants, ${report.readTolerantly} read without strict`);
});

test(`random values and strings have a reading, and the independent validator agrees (seed ${seed})`, async () => {
  randomMessages(seed, inLongRun(100_000, 1_000), await secondJudges(all));
  randomTexts(seed, inLongRun(100_000, 3_000), library);
});

for (const [bug, reader] of Object.entries(plantedReaders)) {
  test(`a reader that ${bug} is found`, () => {
    assert.notEqual(judgeMutants(sample(53), reader, null).wrong.length, 0);
  });
}
