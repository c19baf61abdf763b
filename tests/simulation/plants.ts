/**
 * Errors planted into the core: each decorates a decider, the journal or the context of a run, breaks one promise of
 * docs/protocol, and leaves the production code as it is. For tests alone.
 */
import { approvalPlants } from "./approval-plants.ts";
import { escalationPlants, healthPlants, shutdownPlants } from "./ending-plants.ts";
import { handoffPlants } from "./handoff-plants.ts";
import { journalPlants } from "./journal-plants.ts";
import { phasePlants } from "./phase-plants.ts";
import type { Plant } from "./planting.ts";
import { reassignmentPlants } from "./reassignment-plants.ts";
import { reviewPlants } from "./review-plants.ts";
import { workPlants } from "./work-plants.ts";

/** The machine's own time is not asked: what the wall clock says counts. */
const clockPlant: Plant = {
  problem: "deadlines are counted by the wall clock",
  plant: () => ({
    context: (context) => {
      const { clock } = context;
      const { now, monotonic, wait } = clock;
      return { ...context, clock: { now, monotonic, wait } };
    },
  }),
};

/** Every planted error. */
export const plants: readonly Plant[] = [
  ...workPlants,
  ...reassignmentPlants,
  clockPlant,
  ...approvalPlants,
  ...escalationPlants,
  ...shutdownPlants,
  ...healthPlants,
  ...handoffPlants,
  ...reviewPlants,
  ...phasePlants,
  ...journalPlants,
];
