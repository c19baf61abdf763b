/** The long simulation: 10,000 seeds of 500 steps in two processes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { chosenSeed } from "../crash/seed.ts";
import { simulateMany } from "../simulation/campaign.ts";
import { plants } from "../simulation/plants.ts";
import { searchFor } from "../simulation/search.ts";
import { recordSimulation } from "./simulation-results.ts";

const seeds = 10_000;
const steps = 500;
const plantSeeds = 100;

test(`${seeds} seeds of ${steps} steps break nothing, and every planted error is found`, async () => {
  const first = chosenSeed(1);
  const campaign = await simulateMany({ first, seeds, steps, processes: 2 });
  const needed: [problem: string, seeds: number | null][] = [];
  for (const plant of plants) {
    const found = await searchFor(plant, { first, seeds: plantSeeds, steps });
    needed.push([plant.problem, found?.seeds ?? null]);
  }
  recordSimulation(campaign, { needed, steps, first });
  assert.deepEqual(campaign.violations, []);
  assert.equal(campaign.seeds, seeds);
  assert.deepEqual(
    needed.filter(([, count]) => count === null),
    [],
    "not found",
  );
});
