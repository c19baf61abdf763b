/**
 * Runs the simulator by hand: `node scripts/simulate.ts --seed 17 --steps 500` replays one seed verbatim, `--seeds
 * 1000` goes on to the seeds after it, `--json` answers with one object. Ends with 1 at the first violation.
 */
import { parseArgs } from "node:util";
import { simulate } from "../tests/simulation/simulator.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    seeds: { type: "string", default: "1" },
    steps: { type: "string", default: "500" },
    json: { type: "boolean", default: false },
  },
});
const [first, seeds, steps] = [Number(values.seed), Number(values.seeds), Number(values.steps)];
const happened = new Map<string, number>();
let [entries, run] = [0, 0];
let [digest, violation]: [string, string | null] = ["", null];
for (let seed = first; seed < first + seeds && violation === null; seed++) {
  const report = await simulate({ seed, steps });
  run += 1;
  entries += report.entries;
  digest = report.digest;
  violation = report.violation?.text ?? null;
  for (const [what, times] of report.happened) happened.set(what, (happened.get(what) ?? 0) + times);
}
const cpuMs = process.cpuUsage().user / 1_000;
if (values.json) {
  console.log(
    JSON.stringify({ seeds: run, steps, entries, digest, happened: Object.fromEntries(happened), violation, cpuMs }),
  );
} else if (violation !== null) {
  console.log(violation);
} else {
  console.log(`${run} seeds of ${steps} steps from ${first}: nothing wrong in ${entries} entries, the last ${digest}`);
  for (const [what, times] of [...happened].toSorted(([one], [other]) => one.localeCompare(other))) {
    console.log(`  ${what}: ${times}`);
  }
}
process.exitCode = violation === null ? 0 : 1;
