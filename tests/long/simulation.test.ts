/** The long simulation: 10,000 seeds of 500 steps in two processes. Results go to docs/verification.md. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { chosenSeed } from "../crash/seed.ts";
import { simulateMany } from "../simulation/campaign.ts";
import { plants } from "../simulation/plants.ts";
import { searchFor } from "../simulation/search.ts";
import { record } from "./record.ts";

const seeds = 10_000;
const steps = 500;
const plantSeeds = 100;

test(`${seeds} seeds of ${steps} steps break nothing, and every planted fault is found`, async () => {
  const first = chosenSeed(1);
  const campaign = await simulateMany({ first, seeds, steps, processes: 2 });
  const needed: (readonly [fault: string, seeds: number | null])[] = [];
  for (const plant of plants) {
    const found = await searchFor(plant, { first, seeds: plantSeeds, steps });
    needed.push([plant.fault, found?.seeds ?? null]);
  }
  const { happened, violations, entries, tookMs, cpuMs } = campaign;
  const times = (what: string) => happened.get(what) ?? 0;
  const sumOf = (beginning: string) =>
    [...happened].reduce((sum, [what, count]) => sum + (what.startsWith(beginning) ? count : 0), 0);
  const found = needed.flatMap(([, count]) => count ?? []);
  record(
    "simulation",
    "The production core runs over a virtual clock, network and disk; agents of vbw/1, vbw/2, yolo/1 and yolo/2 work, crash, stall, " +
      "repeat, contradict, lie and come back. Models of their own hold every entry and every answer against the guarantees; then the " +
      "faults stop, and everything that waits must end. `node scripts/simulate.ts --seed N` replays a seed to the last hash.",
    [
      ["seeds, steps", `${campaign.seeds}, ${campaign.seeds * steps}`],
      ["entries; acts, of them repeated", `${entries}; ${times("acts")}, ${times("acts repeated")}`],
      [
        "acts and answers lost; acts doubled",
        `${times("acts lost") + times("answers lost")}; ${times("acts doubled")}`,
      ],
      ["processes that died in a write, restarts", `${times("deaths of processes")}, ${times("restarts")}`],
      [
        "writes decided twice, or refused, failed or cut off by the disk",
        `${times("writes: lost-race")}, ${sumOf("writes: ") - times("writes: lost-race")}`,
      ],
      [
        "claims granted, leases ended, requests answered, expired",
        ["task-claimed", "leases-expired", "approval-answered", "approval-expired"]
          .map((name) => times(`events: ${name}`))
          .join(", "),
      ],
      [
        "escalations opened, decided; shutdown rounds; breakers opened",
        ["escalation-opened", "escalation-resolved", "shutdown-ended", "breaker-opened"]
          .map((name) => times(`events: ${name}`))
          .join(", "),
      ],
      ["violations", violations.length],
      [
        "seconds in two processes; of their processors",
        `${Math.round(tookMs / 1_000)}; ${Math.round(cpuMs / 1_000)}, ${Math.round((cpuMs * 1_000) / (campaign.seeds * steps))} µs a step`,
      ],
      [
        "control: planted faults, found",
        `${needed.length}, ${found.length}, within ${Math.max(...found)} seeds each, ${found.filter((count) => count === 1).length} of them in the first`,
      ],
      ["seed", first],
    ],
  );
  assert.deepEqual(violations, []);
  assert.equal(campaign.seeds, seeds);
  assert.deepEqual(
    needed.filter(([, count]) => count === null),
    [],
    "not found",
  );
});
