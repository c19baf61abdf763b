/** Looks for a planted error: how many seeds it takes until the checker names something wrong. */

import { knownSeeds } from "./known-seeds.ts";
import type { Plant } from "./planting.ts";
import { plants } from "./plants.ts";
import { type SimulationReport, simulate } from "./simulator.ts";

/** What was found, after how many seeds; null: nothing. */
export interface Found {
  readonly seeds: number;
  readonly report: SimulationReport;
}

/** Where and how long an error is looked for. */
export interface Search {
  readonly first: number;
  readonly seeds: number;
  readonly steps: number;
}

/** What the checker says of each planted error, by its name; null: it was not found. */
export async function violationsOfPlants(search: Search): Promise<ReadonlyMap<string, string | null>> {
  const violations = new Map<string, string | null>();
  for (const plant of plants) {
    const found = (await atKnownSeed(plant, search)) ?? (await searchFor(plant, search));
    violations.set(plant.problem, found?.report.violation?.text ?? null);
  }
  return violations;
}

/** What the seed finds that is known to, wherever it lies; null: no other seed than the first is known. */
async function atKnownSeed(plant: Plant, { first, steps }: Search): Promise<Found | null> {
  const known = knownSeeds.get(plant.problem) ?? first;
  if (known <= first) return null;
  const found = await searchFor(plant, { first: known, seeds: 1, steps });
  return found === null ? null : { ...found, seeds: known - first + 1 };
}

/**
 * Runs seeds from `first` with the error in place until it is found. A seed that breaks without the error too says nothing
 * about it.
 */
export async function searchFor({ plant }: Plant, { first, seeds, steps }: Search): Promise<Found | null> {
  for (let seed = first; seed < first + seeds; seed++) {
    const { remove, ...planted } = plant();
    const report = await simulate({ seed, steps, ...planted }).finally(remove);
    if (report.violation !== null && (await holds(seed, steps))) return { seeds: seed - first + 1, report };
  }
  return null;
}

/** Whether nothing is wrong at the seed without a planted error, by seed and steps. */
const heldBefore = new Map<string, boolean>();

async function holds(seed: number, steps: number): Promise<boolean> {
  const key = `${seed} ${steps}`;
  const held = heldBefore.get(key) ?? (await simulate({ seed, steps })).violation === null;
  heldBefore.set(key, held);
  return held;
}
