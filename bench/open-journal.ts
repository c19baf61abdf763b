/**
 * Opening a journal of many messages and reading the first page of an inbox, in a process that has done nothing before:
 * by the journal's snapshot, and folded from the first entry. Run as a program it is that process: it prints the
 * milliseconds.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Measure } from "./measure.ts";
import { fillBenchTeam, manyMessages, openBenchTeam } from "./team.ts";

const manyText = manyMessages.toLocaleString("en");

/** The yardstick is one second, so the ratio reads as seconds. */
export const openLarge: Measure = {
  name: `Opening a journal of ${manyText} messages`,
  subject: "openTeam, then inbox, in a fresh process",
  yardstick: "one second",
  target: { of: "time", atMost: 1 },
  rounds: 5,
  open: async (folder) => {
    await fillBenchTeam(folder);
    return { yardstick: () => 1000, subject: () => freshProcessMs(folder) };
  },
};

/** The same without a snapshot. */
export const foldLarge: Measure = {
  ...openLarge,
  name: `Folding a journal of ${manyText} messages`,
  subject: "the same after the snapshot is dropped",
  target: { of: "time", atMost: 5 },
  open: async (folder) => {
    await fillBenchTeam(folder);
    return {
      yardstick: () => 1000,
      subject: () => {
        const database = new DatabaseSync(join(folder, "journal.db"));
        for (const derived of ["snapshot", "once", "indexed"]) database.exec(`DELETE FROM ${derived}`);
        database.close();
        return freshProcessMs(folder);
      },
    };
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
