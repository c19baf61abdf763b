/**
 * Opening a journal of 100,000 messages and reading the first page of an inbox, in a process that has done nothing
 * before. Run as a program it is that process: it prints the milliseconds.
 */
import { spawnSync } from "node:child_process";
import type { Measure } from "./measure.ts";
import { fillBenchTeam, manyMessages, openBenchTeam } from "./team.ts";

/** The yardstick is one second, so the ratio reads as seconds. */
export const openLarge: Measure = {
  name: `Opening a journal of ${manyMessages.toLocaleString("en")} messages and its first inbox page`,
  subject: "openTeam, then inbox, in a fresh process",
  yardstick: "one second",
  target: { of: "time", atMost: 1 },
  rounds: 5,
  open: async (folder) => {
    await fillBenchTeam(folder, manyMessages);
    return { yardstick: () => 1000, subject: () => freshProcessMs(folder) };
  },
};

function freshProcessMs(folder: string): number {
  const done = spawnSync(process.execPath, [import.meta.filename, folder], { encoding: "utf8" });
  if (done.status !== 0) throw new Error(`the fresh process failed: ${done.stderr}`);
  return Number(done.stdout);
}

if (import.meta.main) {
  const start = performance.now();
  await using team = await openBenchTeam(process.argv[2] ?? ".", "lead-1");
  const page = await team.inbox({ limit: 100 });
  const took = performance.now() - start;
  if (!page.ok || page.value.deliveries.length === 0) throw new Error(`no first page: ${JSON.stringify(page)}`);
  process.stdout.write(String(took));
}
