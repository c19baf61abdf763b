/** A short search for rights that somebody gains (the whole is in `tests/long`), and the errors that it finds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { teamKindNames } from "../../src/team/kinds.ts";
import { gainPlants } from "./gain-plants.ts";
import { searchGains } from "./gains.ts";

for (const kind of teamKindNames) {
  test(`in a team of the kind ${kind}, no two operations of agents gain anything`, async (t) => {
    const { tried, accepted, gains } = await searchGains(kind, { depth: 2 });
    t.diagnostic(`${tried} sequences, ${accepted} accepted`);
    assert.deepEqual(gains, []);
    assert.ok(accepted > 3, "something is possible at all");
  });
}

for (const { fault, kind, from, depth, plant } of gainPlants) {
  test(`the search finds that ${fault}`, async () => {
    const planted = plant();
    try {
      const { gains } = await searchGains(kind, {
        from,
        depth,
        gainsMax: 1,
        ...(planted.reach === undefined ? {} : { reach: planted.reach }),
      });
      assert.equal(gains.length, 1);
    } finally {
      planted.remove?.();
    }
  });
}
