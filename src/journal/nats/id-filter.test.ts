import assert from "node:assert/strict";
import { test } from "node:test";
import { type IdRun, idKey } from "./runs.ts";
import { IdFilter } from "./team-log.ts";

const runsOfLog = 60;
const idsOfRun = 2_048;

function runOf(number: number): IdRun {
  const keys = Float64Array.from({ length: idsOfRun }, (_, index) => idKey(`m-${number * idsOfRun + index}`));
  return { number, to: 0, end: [0, ""], positions: [], entries: idsOfRun, keys, pairs: keys, seqs: keys };
}

test("the filter lets every held id through while it grows, and of the others few", () => {
  const runs: IdRun[] = [];
  const filter = new IdFilter(runs);
  for (let number = 0; number < runsOfLog; number += 1) {
    const run = runOf(number);
    runs.push(run);
    filter.add(run);
  }
  assert.ok(runs.every(({ keys }) => keys.every((key) => filter.mayHold(key))));
  let through = 0;
  for (let index = 0; index < 20_000; index += 1) if (filter.mayHold(idKey(`other-${index}`))) through += 1;
  assert.ok(through > 0 && through < 400, `${through} of 20,000`);
});
