/**
 * Deadlines: what waiting for many costs a hub that has nothing to do, and how soon many that pass in the same instant
 * are recorded, each durable in a separate entry and reported to the waiting agent.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Clock, systemClock, timestampOf } from "../src/base/clock.ts";
import { type Hub, openHub } from "../src/runtime/hub.ts";
import { typedMessage } from "../src/testing/fixtures.ts";
import { ended } from "./hub-calls.ts";
import { type Measure, timed } from "./measure.ts";

const launcher = join(import.meta.dirname, "../bin/baton.js");
const waiting = 10_000;
const atOnce = 1_000;
const hourMs = 3_600_000;
const idleMs = 10_000;
/** As Linux counts a process's time, in milliseconds. */
const tickMs = 10;

/** An idle hub over 10,000 agents with a deadline each: its own processor time for each second that passes. */
export const idleHub: Measure = {
  name: `Hub: idle, ${waiting.toLocaleString("en")} agents with a deadline each`,
  subject: `the hub process's own processor time in a second, over ${idleMs / 1000} s`,
  yardstick: "a fiftieth of a second",
  target: { of: "time", atMost: 1 },
  rounds: 3,
  async open(folder, opened) {
    mkdirSync(join(folder, ".baton"));
    const path = join(folder, ".baton/team.yaml");
    writeFileSync(path, teamText);
    const journal = join(folder, ".baton/journal.db");
    {
      await using hub = await openBench(journal, path, waiting);
      await askAll(hub, waiting, hourMs);
    }
    const child = spawn(process.execPath, [launcher, "up", "--port", "0", "--json"], {
      cwd: folder,
      stdio: ["ignore", "pipe", "inherit"],
    });
    opened.defer(() => ended(child));
    const { pid } = JSON.parse(await lineOf(child)) as { readonly pid: number };
    return {
      yardstick: () => 20,
      async subject() {
        const before = processorMs(pid);
        await systemClock.wait(idleMs);
        return (processorMs(pid) - before) / (idleMs / 1000);
      },
    };
  },
};

/** A thousand deadlines of one instant, until the last of their entries is durable. */
export const fireAtOnce: Measure = {
  name: `Recording ${atOnce.toLocaleString("en")} deadlines of one instant`,
  subject: "from the first look after it until each is durable in a separate entry",
  yardstick: "one second",
  target: { of: "time", atMost: 1 },
  rounds: 5,
  async open(folder, opened) {
    const path = join(folder, "team.yaml");
    writeFileSync(path, teamText);
    let aheadMs = 0;
    const clock: Clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
    const hub = opened.use(await openBench(join(folder, "journal.db"), path, atOnce, clock));
    let round = 0;
    return {
      yardstick: () => 1_000,
      async subject() {
        round += 1;
        await askAll(hub, atOnce, hourMs, round);
        aheadMs += 2 * hourMs;
        const took = await timed(1, async () => {
          const fired = await hub.fireDue();
          if (!fired.ok) throw new Error(fired.error.message);
        });
        await insistAllExpired(hub, round);
        return took;
      },
    };
  },
};

const teamText = "version: 1\nteam: bench\ndialects: [vbw/2]\nagents:\n  lead-1: {role: lead}\n";

/** A hub whose team has so many developers: more than a team file may name, so each is registered. */
async function openBench(journal: string, path: string, agents: number, clock?: Clock): Promise<Hub> {
  const teamFile = { path, text: teamText };
  const opened = await openHub({ journal, teamFile, create: true, ...(clock === undefined ? {} : { clock }) });
  if (!opened.ok) throw new Error(`the bench's hub does not open: ${JSON.stringify(opened.error)}`);
  await using started = new AsyncDisposableStack();
  const hub = started.use(opened.value);
  const owner = await hub.team("bench", { agent: "owner", via: "launcher" });
  if (!owner.ok) throw new Error(owner.error.message);
  await inHundreds(agents, async (index) => {
    const reply = await owner.value.register({ agent: `dev-${index}`, role: "dev" });
    if (reply.outcome !== "accepted") throw new Error(JSON.stringify(reply));
  });
  // The caller closes it from here on.
  started.move();
  return hub;
}

/** Does something for each number from 1, a hundred at a time. */
async function inHundreds(count: number, act: (index: number) => Promise<void>): Promise<void> {
  for (let start = 1; start <= count; start += 100) {
    await Promise.all(Array.from({ length: Math.min(100, count - start + 1) }, (_, index) => act(start + index)));
  }
}

/** Each agent asks for an approval that is due in `afterMs`. */
async function askAll(hub: Hub, agents: number, afterMs: number, round = 0): Promise<void> {
  const nowMs = systemClock.now();
  const [timestamp, deadline] = [timestampOf(nowMs), timestampOf(nowMs + afterMs)];
  const ask = async (index: number) => {
    const team = await hub.team("bench", { agent: `dev-${index}`, via: "launcher" });
    if (!team.ok) throw new Error(team.error.message);
    const envelope = { id: `ask-${round}-${index}`, timestamp };
    const reply = await team.value.send(JSON.stringify(typedMessage("approval_request", { deadline }, envelope)));
    if (reply.outcome !== "accepted") throw new Error(JSON.stringify(reply));
  };
  await inHundreds(agents, ask);
}

async function insistAllExpired(hub: Hub, round: number): Promise<void> {
  const team = await hub.team("bench", { agent: "owner", via: "launcher" });
  const found = team.ok ? await team.value.approvals({ all: true }) : team;
  const expired = found.ok ? found.value.filter(({ standing }) => standing === "expired").length : 0;
  if (expired !== round * atOnce) throw new Error(`${expired} deadlines of ${round * atOnce} are recorded`);
}

/** User and system time of the process until now. */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

async function lineOf(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("the process has no output");
  const [line] = await once(createInterface(child.stdout), "line");
  return String(line);
}
