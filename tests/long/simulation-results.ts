/** What the long simulation found, as the page of verification shows it. */
import type { Campaign } from "../simulation/campaign.ts";
import { record } from "./record.ts";

/** How many seeds a planted error needed to be found; null: it was not. */
export type Needed = readonly (readonly [problem: string, seeds: number | null])[];

/** Writes the results of a campaign and of the planted errors. */
export function recordSimulation(
  campaign: Campaign,
  { needed, steps, first }: { readonly needed: Needed; readonly steps: number; readonly first: number },
): void {
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
}
