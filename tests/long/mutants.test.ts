/** The long campaign of mutants: all of them, through every door. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { chanceFrom, chosenSeed } from "../crash/seed.ts";
import { judgeMutants, library, secondJudges } from "../mutants/campaign.ts";
import { throughCommand, throughHubs } from "../mutants/doors.ts";
import { mutants } from "../mutants/mutants.ts";
import { plantedReaders } from "../mutants/planted.ts";
import { randomMessages, randomTexts } from "../mutants/random.ts";
import { record } from "./record.ts";

const pairs = 40_000;
const randomRuns = 100_000;

test("every mutant of every accepted message is answered rightly, and the same by library, command and hub", async (t) => {
  const seed = chosenSeed(505);
  const all = [...mutants(chanceFrom(seed), pairs)];
  const judges = await secondJudges(all);
  const report = judgeMutants(all, library, judges);
  const command = throughCommand(all);
  const hub = await throughHubs(t, all);
  randomMessages(seed, randomRuns, judges);
  randomTexts(seed, randomRuns, library);
  const controls = Object.values(plantedReaders).map((reader) => judgeMutants(all, reader, null).wrong.length);
  const kinds = [...report.kinds].map(([kind, count]) => `${kind} ${count}`).join(", ");
  record(
    "mutants",
    "Every accepted example of every definition, wrong at one place or at two: a required field deleted, null, another type, " +
      "an unknown word, a look-alike letter, a bound passed, another version, a further field. An independent validator reads " +
      "the published schemas. Random values and texts are read too.",
    [
      ["mutants", report.mutants],
      ["of which", kinds],
      ["refused under `--strict`", report.refusedStrictly],
      ["refused without it", report.refusedTolerantly],
      ["read without it by a rule, each with a note, to what the independent validator accepts", report.readTolerantly],
      ["wrong answers, or differences to the independent validator", report.wrong.length],
      ["answers of `baton validate` compared, different", `${command.compared}, ${command.wrong.length}`],
      ["answers of a hub compared, different", `${hub.compared}, ${hub.wrong.length}`],
      ["messages with a random value, random texts", `${randomRuns}, ${randomRuns}`],
      [
        "control: planted readers that the check finds",
        `${controls.filter((n) => n > 0).length} of ${controls.length}`,
      ],
      ["seed", seed],
    ],
  );
  assert.deepEqual([...report.wrong, ...command.wrong, ...hub.wrong].slice(0, 5), []);
  assert.equal(report.refusedStrictly, report.mutants);
  assert.ok(controls.every((found) => found > 0));
});
