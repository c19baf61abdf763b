/** A search for rights that somebody gains, and the errors that it finds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { teamKindNames } from "../../src/team/state/kinds.ts";
import { inLongRun } from "../run-size.ts";
import { gainPlants, searchPlanted } from "./gain-plants.ts";
import { searchGains } from "./gains.ts";

for (const kind of teamKindNames) {
  test(`in a team of the kind ${kind}, no sequence of operations of agents gains anything`, async (t) => {
    const { tried, accepted, gains } = await searchGains(kind, { depth: inLongRun(4, 2) });
    t.diagnostic(`${tried} sequences, ${accepted} accepted`);
    assert.deepEqual(gains, []);
    assert.ok(accepted > 3, "something is possible at all");
  });
}

for (const plant of gainPlants) {
  test(`the search finds that ${plant.problem}`, async () => {
    assert.equal((await searchPlanted(plant)).length, 1);
  });
}

test("the same searches find nothing in the product as it is", async () => {
  for (const { problem, kind, from, depth } of gainPlants)
    assert.deepEqual((await searchGains(kind, { from, depth })).gains, [], problem);
});
