/** A sample of the campaign of mutants (the whole is in `tests/long`), and the planted bugs that it finds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { chanceFrom, chosenSeed } from "../crash/seed.ts";
import { judgeMutants, library, secondJudges } from "./campaign.ts";
import { throughCommand, throughHubs } from "./doors.ts";
import { mutants } from "./mutants.ts";
import { plantedReaders } from "./planted.ts";
import { randomMessages, randomTexts } from "./random.ts";

const seed = chosenSeed(404);
const all = [...mutants(chanceFrom(seed), 10_000)];

/** Every nth, from a place of the seed's choice. */
function sample(step: number) {
  const first = seed % step;
  return all.filter((_, index) => index % step === first);
}

test(`mutants of accepted messages are refused, or read with a note by a rule (seed ${seed})`, async (t) => {
  assert.ok(all.length > 50_000, String(all.length));
  const chosen = sample(14);
  const report = judgeMutants(chosen, library, await secondJudges(chosen));
  assert.deepEqual(report.wrong.slice(0, 5), []);
  assert.ok(report.readTolerantly > 400 && report.refusedTolerantly > 3_000);
  assert.equal(report.kinds.size, 9);
  t.diagnostic(`${report.mutants} of ${all.length} mutants, ${report.readTolerantly} read without strict`);
});

test(`the command answers each mutant as the library does (seed ${seed})`, () => {
  const { compared, wrong } = throughCommand(sample(46));
  assert.deepEqual(wrong.slice(0, 3), []);
  assert.ok(compared > 2_000);
});

test(`a hub refuses each mutant that the library refuses, and for the same reasons (seed ${seed})`, async (t) => {
  const { compared, wrong } = await throughHubs(t, sample(82));
  assert.deepEqual(wrong.slice(0, 3), []);
  assert.ok(compared > 1_250);
});

test(`random values and strings have a reading, and the independent validator agrees (seed ${seed})`, async () => {
  randomMessages(seed, 1_000, await secondJudges(all));
  randomTexts(seed, 3_000, library);
});

for (const [bug, reader] of Object.entries(plantedReaders)) {
  test(`a reader that ${bug} is found`, () => {
    assert.notEqual(judgeMutants(sample(53), reader, null).wrong.length, 0);
  });
}
