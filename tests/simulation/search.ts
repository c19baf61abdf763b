/** Looks for a planted fault: how many seeds it takes until the checker names something wrong. */
import { type SimulationReport, simulate } from "../../src/testing/simulator.ts";
import type { Plant } from "./planting.ts";

/** What was found, after how many seeds; null: nothing. */
export interface Found {
  readonly seeds: number;
  readonly report: SimulationReport;
}

/** Runs seeds from `first` with the fault in place until it is found. */
export async function searchFor(
  { plant }: Plant,
  { first, seeds, steps }: { readonly first: number; readonly seeds: number; readonly steps: number },
): Promise<Found | null> {
  const { remove, ...planted } = plant();
  try {
    for (let seed = first; seed < first + seeds; seed++) {
      const report = await simulate({ seed, steps, ...planted });
      if (report.violation !== null) return { seeds: seed - first + 1, report };
    }
    return null;
  } finally {
    remove?.();
  }
}
