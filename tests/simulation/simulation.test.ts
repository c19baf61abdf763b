/**
 * Some seeds of everything that may happen: no rule is broken and everything ends. Every night there are more of them,
 * and errors are planted (simulation.nightly.test.ts). `BATON_TEST_SEED=N` starts at another seed.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { chosenSeed } from "../crash/seed.ts";
import { simulateMany } from "./campaign.ts";

const first = chosenSeed(1);
const [seeds, steps] = [6, 250] as const;

test(`${seeds} seeds of ${steps} steps from ${first}: everything holds, and everything ends`, async () => {
  const { seeds: tried, violations } = await simulateMany({ first, seeds, steps, processes: 1 });
  assert.deepEqual(violations, []);
  assert.equal(tried, seeds);
});
