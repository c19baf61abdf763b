/**
 * Runs the simulator by hand: `node scripts/simulate.ts --seed 17 --steps 500` replays one seed to the letter,
 * `--seeds 1000` goes on to the seeds after it. Ends with 1 at the first violation, and prints it.
 */
import { parseArgs } from "node:util";
import { simulate } from "../src/testing/simulator.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    seeds: { type: "string", default: "1" },
    steps: { type: "string", default: "500" },
  },
});
const [first, seeds, steps] = [Number(values.seed), Number(values.seeds), Number(values.steps)];
const totals = new Map<string, number>();
let entries = 0;
for (let seed = first; seed < first + seeds; seed++) {
  const report = await simulate({ seed, steps });
  entries += report.entries;
  for (const [what, times] of report.happened) totals.set(what, (totals.get(what) ?? 0) + times);
  if (seeds === 1) console.log(`digest ${report.digest}`);
  if (report.violation === null) continue;
  console.log(report.violation.text);
  process.exit(1);
}
console.log(`${seeds} seeds of ${steps} steps from ${first}: nothing wrong in ${entries} entries`);
for (const [what, times] of [...totals].toSorted(([one], [other]) => one.localeCompare(other)))
  console.log(`  ${what}: ${times}`);
