/**
 * What the model needs to know of an engine, measured in one process that does what a hub does for many teams: it reads,
 * checks, decides and records messages. Then a run at random times, next to which the simulation is laid. Run as a
 * program it prints the measurements as JSON: `BENCH_JOURNAL=URL node --expose-gc bench/scale/measure.ts TEAMS`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { systemClock } from "../../src/base/clock.ts";
import type { TeamName } from "../../src/base/ids.ts";
import { invariant } from "../../src/base/invariant.ts";
import { dialectOf, dialects } from "../../src/dialects/registry.ts";
import { teamHandle } from "../../src/runtime/handle.ts";
import { openHub } from "../../src/runtime/hub.ts";
import { type OpenedJournal, openTeamJournal } from "../../src/runtime/open.ts";
import { reviseTeam } from "../../src/runtime/team/revision.ts";
import type { Team } from "../../src/runtime/team/team.ts";
import { teamOfFile } from "../../src/runtime/team/team-file.ts";
import { attempt, must, mustRecord, tally, team as teamNamed } from "../../src/testing/journal-subject.ts";
import { contractText, updateText } from "../messages.ts";
import { sendAccepted } from "../team.ts";
import { type Inputs, percentile } from "./model.ts";
import { type Delays, seeded } from "./simulation.ts";

/** A run at random times: what was asked, and what was measured. */
export interface Run extends Pick<Delays, "median" | "p95" | "p99"> {
  readonly messagesPerSecond: number;
  readonly messages: number;
}

export interface Measured {
  readonly inputs: Omit<Inputs, "engine" | "copies">;
  readonly teams: number;
  readonly runs: readonly Run[];
}

/** How the measurements are taken. */
export const method = {
  oneByOne: 400,
  underWay: 64,
  capacityMs: 6_000,
  /** Parts of the measured capacity at which messages come at random times. */
  loads: [0.3, 0.6],
  runMs: 10_000,
  acknowledged: 300,
  firstLooks: 100,
  /** The index of deadlines is looked at with so many times the teams. */
  dueTimes: 10,
  seed: 17,
} as const;

/** Measures the journal at `url` in a new process. */
export async function measure(url: string, teams: number): Promise<Measured> {
  const child = spawn(process.execPath, ["--expose-gc", import.meta.filename, String(teams)], {
    // Not as an argument: those are shown to everybody on the machine.
    env: { ...process.env, BENCH_JOURNAL: url },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  const [code] = await once(child, "close");
  const line = said.split("\n").find((each) => each.startsWith("{"));
  if (code !== 0 || line === undefined) throw new Error(`the measuring process ended with ${code}: ${said}`);
  return JSON.parse(line) as Measured; // printed below
}

/** A team as its two agents have it. */
interface Pair {
  readonly dev: Team;
  readonly lead: Team;
}

function usedBytes(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const teamText = (name: string) =>
  `version: 1\nteam: ${name}\ndialects: [vbw/2]\npolicy: enforce\nagents:\n  lead-1: { role: lead }\n  dev-1: { role: dev }\n`;

async function beginTeam(journal: OpenedJournal, name: TeamName): Promise<Pair> {
  const context = { journal, team: name, clock: journal.clock, dialectOf, dialects };
  const definition = await teamOfFile({ path: "team.yaml", text: teamText(name) });
  invariant(definition.ok && definition.value !== null, "the bench's team file is good");
  const revised = await reviseTeam(context, definition.value, { starts: true });
  if (!revised.ok) throw new Error(JSON.stringify(revised.error));
  const handle = (agent: string) => teamHandle(context, { agent, via: "launcher" }, () => Promise.resolve());
  const pair = { dev: handle("dev-1"), lead: handle("lead-1") };
  await sendAccepted(pair.lead, contractText());
  return pair;
}

/** Does something for each number below `count`, some of them at once. */
async function forEach(count: number, atOnce: number, act: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let index = next++; index < count; index = next++) await act(index);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

async function tookMs(act: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
}

async function bytesOf(journal: OpenedJournal): Promise<number> {
  return must(await journal.stats()).bytes ?? Number.NaN;
}

async function measureHere(url: string, count: number): Promise<Measured> {
  const random = seeded(method.seed);
  const journal = must(await openTeamJournal(url, { gathers: true }));
  const hubBytes = process.memoryUsage().rss;
  const [before, names] = [usedBytes(), Array.from({ length: count }, (_, index) => teamNamed(`team-${index}`))];
  const pairs: Pair[] = [];
  await forEach(count, 32, async (index) => {
    pairs[index] = await beginTeam(journal, names[index] ?? teamNamed("none"));
  });
  const withTeams = usedBytes();
  const pick = (): Pair => pairs[Math.floor(random() * count)] as Pair; // an index of it
  const send = () => sendAccepted(pick().dev, updateText());

  await forEach(100, 1, send);
  const latenciesMs: number[] = [];
  await forEach(method.oneByOne, 1, async () => void latenciesMs.push(await tookMs(send)));

  const [used, bytes, start] = [process.cpuUsage(), await bytesOf(journal), performance.now()];
  let sent = 0;
  await forEach(method.underWay, method.underWay, async () => {
    while (performance.now() < start + method.capacityMs) {
      await send();
      sent += 1;
    }
  });
  const seconds = (performance.now() - start) / 1_000;
  const { user, system } = process.cpuUsage(used);
  const after = await bytesOf(journal);
  const messagesPerSecond = sent / seconds;

  const runs: Run[] = [];
  for (const load of method.loads) runs.push(await runAtRandom(send, load * messagesPerSecond, random));
  const total = 100 + method.oneByOne + sent + runs.reduce((sum, { messages }) => sum + messages, 0);
  const hubBytesPerMessage = Math.max(0, (usedBytes() - withTeams) / total);

  const acknowledgedAt = await bytesOf(journal);
  await forEach(method.acknowledged, 1, async () => {
    const { dev, lead } = pick();
    const reply = await dev.send(updateText());
    if (reply.outcome !== "accepted") throw new Error(JSON.stringify(reply));
    const done = await lead.acknowledge(reply.receipt.seq);
    if (done.outcome !== "accepted") throw new Error(JSON.stringify(done));
  });
  const acknowledged = (await bytesOf(journal)) - acknowledgedAt;

  const connections = process.getActiveResourcesInfo().filter((each) => each === "TCPSocketWrap").length;
  const firstLookMs = await measureFirstLooks(url, names);
  const found = await measureFinding(url, names);
  const lookMs = await measureDeadlines(url, count);
  await journal.close();
  return {
    inputs: {
      messagesPerSecond,
      latenciesMs,
      hubProcessorMs: (user + system) / 1_000 / sent,
      bytesPerMessage: (after - bytes) / sent,
      bytesPerAcknowledgedMessage: acknowledged / method.acknowledged,
      hubBytes,
      hubBytesPerTeam: (withTeams - before) / count,
      hubBytesPerMessage,
      firstLookMs,
      deadlines: { teams: method.dueTimes * count, lookMs },
      tokenMs: found.tokenMs,
      sessions: { teams: count, lookMs: found.sessionMs },
      connections,
    },
    teams: count,
    runs,
  };
}

/** Messages at the times of a Poisson process, each timed from the moment at which it should have been sent. */
async function runAtRandom(send: () => Promise<void>, perSecond: number, random: () => number): Promise<Run> {
  const took: number[] = [];
  const open: Promise<void>[] = [];
  const begun = performance.now();
  for (let at = 0; at < method.runMs; at += (-Math.log(1 - random()) * 1_000) / perSecond) {
    const due = begun + at;
    // A timer is as late as the machine lets it be; that counts.
    const leftMs = due - performance.now();
    if (leftMs > 0) await systemClock.wait(leftMs);
    open.push(send().then(() => void took.push(performance.now() - due)));
  }
  await Promise.all(open);
  return {
    messagesPerSecond: perSecond,
    messages: took.length,
    median: percentile(took, 0.5),
    p95: percentile(took, 0.95),
    p99: percentile(took, 0.99),
  };
}

/** What a hub that has read no team waits for the first one, the median. */
async function measureFirstLooks(url: string, names: readonly TeamName[]): Promise<number> {
  const journal = must(await openTeamJournal(url, { gathers: true }));
  const took: number[] = [];
  for (const name of names.slice(0, method.firstLooks)) took.push(await tookMs(() => journal.state(name)));
  await journal.close();
  return percentile(took, 0.5);
}

/** How long a hub takes to find whose a token is, and an unknown session once it has read every team, the medians. */
async function measureFinding(url: string, names: readonly TeamName[]) {
  const hub = await openHub({ journal: url, create: false });
  invariant(hub.ok, "the hub opens");
  const last = names.toSorted().at(-1) ?? teamNamed("none");
  const owner = await hub.value.team(last, { agent: "owner", via: "launcher" });
  const { token } = await must(owner).issueToken({ agent: "dev-1" });
  invariant(token !== null, "a token was made");
  const medianOf = async (find: () => Promise<unknown>) => {
    const took: number[] = [];
    for (let round = 0; round < 4; round += 1) took.push(await tookMs(find));
    // The first time, teams are read.
    return percentile(took.slice(1), 0.5);
  };
  const tokenMs = await medianOf(async () => void must(await hub.value.identify(token)));
  const sessionMs = await medianOf(async () => void must(await hub.value.findSession("0".repeat(64))));
  await hub.value[Symbol.asyncDispose]();
  return { tokenMs, sessionMs };
}

/** What a look for deadlines costs with many teams in the journal, the median. */
async function measureDeadlines(url: string, begun: number): Promise<number> {
  const writer = must(await openTeamJournal(url, { gathers: true }));
  const { decide } = attempt({ content: {} });
  const none = tally.initial();
  await forEach((method.dueTimes - 1) * begun, 64, async (index) => {
    const attempted = {
      once: null,
      decide: (_: unknown, moment: Parameters<typeof decide>[1]) => decide(none, moment),
    };
    mustRecord(await writer.commit(teamNamed(`more-${index}`), attempted));
  });
  const took: number[] = [];
  // The first look fills the index of a hub, which asks again where that takes longer than it may wait.
  for (let tries = 0; tries < 4; tries += 1) if ((await writer.due(systemClock.now())).ok) break;
  for (let round = 0; round < 7; round += 1)
    took.push(await tookMs(async () => void must(await writer.due(systemClock.now()))));
  await writer.close();
  return percentile(took, 0.5);
}

if (import.meta.main) {
  const measured = await measureHere(process.env.BENCH_JOURNAL ?? "", Number(process.argv[2] ?? 1_000));
  process.stdout.write(`${JSON.stringify(measured)}\n`);
  process.exit(0);
}
