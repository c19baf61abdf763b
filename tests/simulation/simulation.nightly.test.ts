/**
 * The simulator: many seeds of everything that may happen, replays, the same run on a real file, and planted errors.
 * `BATON_TEST_SEED=N` starts at another seed.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { timedEvents } from "../../src/record/view/summary.ts";
import { apart } from "../apart/apart.ts";
import { chosenSeed } from "../crash/seed.ts";
import { inLongRun } from "../run-size.ts";
import { simulateMany } from "./campaign.ts";
import { plants } from "./plants.ts";
import { searchFor, type violationsOfPlants } from "./search.ts";
import { simulate } from "./simulator.ts";

const first = chosenSeed(1);
const seeds = inLongRun(10_000, 60);
const steps = inLongRun(500, 250);

/** What must have happened in these seeds, so that nothing is promised of what was never tried. */
const reached = `
  contract-issued plan-ordered plan-summarised
  task-added task-claimed claim-grown claim-released leases-expired claims-kept leases-renewed task-reported
  approval-requested approval-answered approval-expired
  escalation-opened escalation-told level-told escalation-raised escalation-resolved escalation-closed
  handoff-issued handoff-accepted handoff-rejected handoff-completed
  code-reviewed limit-reached limit-told task-verified task-disputed task-gone finding-recorded verdict-opened
  critique-recorded design-recorded plan-specified tests-recorded step-skipped phase-entered
  phase-reviewed department-reported department-excluded phase-signed-off
  work-judged security-audited security-stopped
  shutdown-started shutdown-answered shutdown-repeated shutdown-forced shutdown-ended
  program-begun program-ended agent-disappeared agent-returned
  breaker-counted breaker-opened breaker-half-opened breaker-probed breaker-closed`
  .trim()
  .split(/\s+/)
  .map((name) => `events: ${name}`)
  .concat(["raised", "silence", "left", "again"].map((how) => `raised: ${how}`));

test(`${seeds} seeds of ${steps} steps from ${first}: everything holds, and everything ends`, async () => {
  // In a separate process: the hooks by which the test runner follows every promise take a quarter of the time.
  const {
    seeds: tried,
    happened,
    violations,
  } = await simulateMany({ first, seeds, steps, processes: inLongRun(2, 1) });
  assert.deepEqual(violations, []);
  assert.equal(tried, seeds);
  assert.deepEqual(
    reached.filter((what) => !happened.has(what)),
    [],
    "these never happened",
  );
  const inTime = [...happened.keys()].filter((what) => what.startsWith("in time: "));
  assert.deepEqual(
    inTime.filter((what) => !timedEvents.includes(what.slice("in time: ".length))),
    [],
    "these have no sentence in `src/record/view/summary.ts`",
  );
});

test("a seed is a run: the same entries again, on a real file too, and others from another seed", async () => {
  const place = mkdtempSync(join(tmpdir(), "baton-simulation-"));
  try {
    const once = await simulate({ seed: first, steps: 120 });
    const again = await simulate({ seed: first, steps: 120 });
    const filed = await simulate({ seed: first, steps: 120, file: join(place, "journal.db") });
    const other = await simulate({ seed: first + 1, steps: 120 });
    assert.equal(filed.violation, null, filed.violation?.text);
    assert.deepEqual(again, once);
    assert.equal(filed.digest, once.digest);
    assert.notEqual(other.digest, once.digest);
  } finally {
    rmSync(place, { recursive: true });
  }
});

const plantSeeds = 100;
const plantSteps = 400;
// Searched while the seeds above run in their process.
const search = { first, seeds: plantSeeds, steps: plantSteps };
const searched = apart<typeof violationsOfPlants>(import.meta.resolve("./search.ts"), "violationsOfPlants", search);

test("a seed that breaks without the planted error too does not find it", async () => {
  const plant =
    plants.find(({ problem }) => problem === "a task that another holds is granted") ?? assert.fail("not planted");
  assert.ok(await searchFor(plant, { first: 1, seeds: 1, steps: 200 }));
  const planted = plant.plant();
  // The error is there all the time, so the search's own planting of it changes nothing.
  const found = await searchFor(plant, { first: 1, seeds: 1, steps: 201 }).finally(() => planted.remove?.());
  assert.equal(found, null);
});

for (const { problem } of plants) {
  test(`finds within ${plantSeeds} seeds, or at a known one, that ${problem}`, async () => {
    const violation = (await searched).get(problem) ?? assert.fail("it was not found");
    assert.match(violation, /^seed \d+, step \d+ of 400:\n {2}\S/);
    assert.match(violation, /again: node scripts\/simulate\.ts --seed \d+ --steps 400$/);
  });
}
