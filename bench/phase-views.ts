/**
 * What `baton status` and `baton phase` show of a journal of 100,000 messages in ten phases of two hundred plans: from a
 * process that has done nothing before, and in one that has the journal open, as a hub has. Run as a program it is the fresh
 * process: it prints the milliseconds.
 */
import { spawnSync } from "node:child_process";
import type { Measure } from "./measure.ts";
import { contractOf, updateOf } from "./messages.ts";
import { groupSize, manyMessages, openBenchTeam, sendAccepted } from "./team.ts";

const plans = Array.from({ length: 200 }, (_, index) => `${(index % 10) + 1}-${Math.floor(index / 10) + 1}`);

/** The yardstick is one second, so the ratio reads as seconds. */
export const phaseCold: Measure = {
  name: `Status and phases of a journal of ${manyMessages.toLocaleString("en")} messages, cold`,
  subject: "openTeam, status, phases, in a fresh process",
  yardstick: "one second",
  target: { of: "time", atMost: 1 },
  rounds: 5,
  open: async (folder) => {
    await fill(folder);
    return { yardstick: () => 1000, subject: () => freshProcessMs(folder) };
  },
};

/** The yardstick is twenty milliseconds. */
export const phaseOpen: Measure = {
  name: `Status and phases of a journal of ${manyMessages.toLocaleString("en")} messages, open`,
  subject: "status, phases",
  yardstick: "twenty milliseconds",
  target: { of: "time", atMost: 1 },
  rounds: 20,
  open: async (folder) => {
    await fill(folder);
    const team = await openBenchTeam(folder, "lead-1");
    await team.status();
    return {
      yardstick: () => 20,
      subject: () => lookMs(team),
      close: async () => {
        await team[Symbol.asyncDispose]();
      },
    };
  },
};

async function fill(folder: string): Promise<void> {
  const lead = await openBenchTeam(folder, "lead-1");
  for (const plan of plans) await sendAccepted(lead, contractOf(plan));
  await lead[Symbol.asyncDispose]();
  await using dev = await openBenchTeam(folder, "dev-1");
  for (let sent = 0; sent < manyMessages; sent += groupSize) {
    const group = Array.from({ length: groupSize }, (_, index) => plans[(sent + index) % plans.length] ?? "1-1");
    await Promise.all(group.map((plan) => sendAccepted(dev, updateOf(plan))));
  }
}

async function lookMs(team: Awaited<ReturnType<typeof openBenchTeam>>): Promise<number> {
  const start = performance.now();
  const status = await team.status();
  const phases = await team.phases();
  const took = performance.now() - start;
  if (!status.ok || !phases.ok || phases.value.length !== 10) throw new Error("not all phases are shown");
  return took;
}

function freshProcessMs(folder: string): number {
  const done = spawnSync(process.execPath, [import.meta.filename, folder], { encoding: "utf8" });
  if (done.status !== 0) throw new Error(`the fresh process failed: ${done.stderr}`);
  return Number(done.stdout);
}

if (import.meta.main) {
  const start = performance.now();
  await using team = await openBenchTeam(process.argv[2] ?? ".", "lead-1");
  await lookMs(team);
  process.stdout.write(String(performance.now() - start));
}
