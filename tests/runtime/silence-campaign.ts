/**
 * The campaign of silence: agents, each with a separate `baton mcp` on one journal, a hub that looks at deadlines, and
 * signals that stop them for a while, or for ever. Nobody that was stopped for less than the limit may be taken for
 * dead, and one that was killed must be found within twice of it.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openTeam } from "../../src/perform/open.ts";
import type { Team } from "../../src/perform/team.ts";
import type { chanceFrom } from "../crash/seed.ts";
import { environment, mainBundle, team } from "../e2e/command.ts";
import { startHub } from "../e2e/hub-process.ts";

/** An agent with its program. */
interface Life {
  readonly agent: string;
  child: ChildProcess;
}

/** One pause, or one death, of one agent. */
export interface Silenced {
  readonly agent: string;
  readonly how: "paused" | "killed";
  /** When it began, and for how long, in milliseconds; null: for ever. */
  readonly atMs: number;
  readonly forMs: number | null;
}

/** A disappearance as the record has it. */
export interface Found {
  readonly agent: string;
  readonly atMs: number;
}

export interface SilenceReport {
  readonly limitMs: number;
  readonly silenced: readonly Silenced[];
  readonly found: readonly Found[];
}

export interface SilenceOptions {
  readonly limitSeconds: number;
  readonly agents: number;
  /** Pauses of each agent, each shorter than the limit. */
  readonly pauses: number;
  /** The longest pause, as a part of the limit. */
  readonly longest: number;
  readonly chance: ReturnType<typeof chanceFrom>;
}

/** Pauses every agent so many times, and then kills all of them. */
export async function silenceAll(options: SilenceOptions): Promise<SilenceReport> {
  const { limitSeconds, agents, pauses, longest, chance } = options;
  const limitMs = limitSeconds * 1_000;
  const { directory, names } = placeFor({ disappear_seconds: limitSeconds }, agents);
  await startHub(directory);
  await using owner = await ownerOf(directory);
  const lives = names.map((agent) => begin(directory, agent));
  await Promise.all(lives.map(({ agent }) => untilSeen(owner, agent)));
  const silenced: Silenced[] = [];
  await Promise.all(
    lives.map(async (life) => {
      for (let pause = 0; pause < pauses; pause += 1) {
        await later(chance.below(limitMs));
        silenced.push(await pauseFor(life, Math.floor(limitMs * longest * (0.5 + chance.next() / 2))));
      }
    }),
  );
  // Time for a death that was wrongly believed to be recorded.
  await later(limitMs);
  for (const life of lives) {
    silenced.push({ agent: life.agent, how: "killed", atMs: Date.now(), forMs: null });
    life.child.kill("SIGKILL");
    await once(life.child, "exit");
    await later(chance.below(200));
  }
  await later(2 * limitMs + 1_000);
  return { limitMs, silenced, found: await foundIn(owner) };
}

/** One agent paused for so long that it must be found, and heard again after it. */
export async function oversleep(limitSeconds: number): Promise<SilenceReport & { readonly isBack: boolean }> {
  const limitMs = limitSeconds * 1_000;
  const { directory, names } = placeFor({ disappear_seconds: limitSeconds }, 2);
  await startHub(directory);
  await using owner = await ownerOf(directory);
  const lives = names.map((agent) => begin(directory, agent));
  await Promise.all(names.map((agent) => untilSeen(owner, agent)));
  const [sleeper] = lives;
  assert.ok(sleeper !== undefined);
  const silenced = [await pauseFor(sleeper, 2 * limitMs)];
  await later(limitMs);
  const status = await owner.status();
  assert.ok(status.ok);
  const isBack = status.value.agents.find(({ agent }) => agent === sleeper.agent)?.health === "idle";
  const found = await foundIn(owner);
  for (const { child } of lives) child.kill("SIGKILL");
  return { limitMs, silenced, found, isBack };
}

/** What is wrong with a report: living agents taken for dead, dead ones found too late, twice, or never. */
export function silenceFindings({ limitMs, silenced, found }: SilenceReport): readonly string[] {
  const problems: string[] = [];
  const deaths = new Map(silenced.filter(({ how }) => how === "killed").map((each) => [each.agent, each]));
  const after = new Map<string, number>();
  for (const { agent, atMs } of found) {
    const death = deaths.get(agent);
    if (death === undefined || atMs < death.atMs) problems.push(`${agent} was alive and taken for dead`);
    else after.set(agent, (after.get(agent) ?? 0) + 1);
  }
  for (const { agent, atMs } of deaths.values()) {
    const times = after.get(agent) ?? 0;
    if (times !== 1) problems.push(`${agent} was found dead ${times} times`);
    const noticed = found.find((each) => each.agent === agent && each.atMs >= atMs);
    if (noticed !== undefined && noticed.atMs - atMs > 2 * limitMs)
      problems.push(`${agent} was found ${noticed.atMs - atMs} ms after its death, of ${2 * limitMs}`);
  }
  return problems;
}

/** How long each death went unnoticed, in milliseconds. */
export function noticedAfter({ silenced, found }: SilenceReport): readonly number[] {
  return silenced.flatMap(({ agent, how, atMs }) => {
    const noticed = how === "killed" ? found.find((each) => each.agent === agent && each.atMs >= atMs) : undefined;
    return noticed === undefined ? [] : [noticed.atMs - atMs];
  });
}

/** A team's folder with so many agents beside its own, and these limits. */
export function placeFor(
  limits: Readonly<Record<string, number>>,
  agents: number,
): { readonly directory: string; readonly names: readonly string[] } {
  const directory = team();
  const names = Array.from({ length: agents }, (_, index) => `sleeper-${index + 1}`);
  const file = join(directory, ".baton", "team.yaml");
  const text = readFileSync(file, "utf8");
  const lines = names.map((agent) => `  ${agent}: {role: dev}\n`).join("");
  writeFileSync(file, `${text.replace(/^agents:\n/m, `agents:\n${lines}`)}\nlimits: ${JSON.stringify(limits)}\n`);
  return { directory, names };
}

async function ownerOf(directory: string): Promise<Team> {
  const opened = await openTeam({ journal: join(directory, ".baton", "journal.db") });
  assert.ok(opened.ok, JSON.stringify(opened));
  return opened.value;
}

/** Its heart beats as long as its standard input is open; nobody speaks MCP to it. */
export function begin(directory: string, agent: string): Life {
  const child = spawn(process.execPath, [mainBundle, "mcp", "--as", agent], {
    cwd: directory,
    env: environment(),
    stdio: ["pipe", "ignore", "inherit"],
  });
  return { agent, child };
}

export async function untilSeen(owner: Team, agent: string): Promise<void> {
  for (;;) {
    const status = await owner.status();
    assert.ok(status.ok);
    if (status.value.agents.some((each) => each.agent === agent && each.health === "idle")) return;
    await later(50);
  }
}

async function pauseFor({ agent, child }: Life, forMs: number): Promise<Silenced> {
  const atMs = Date.now();
  child.kill("SIGSTOP");
  await later(forMs);
  child.kill("SIGCONT");
  return { agent, how: "paused", atMs, forMs: Date.now() - atMs };
}

async function foundIn(owner: Team): Promise<readonly Found[]> {
  const found: Found[] = [];
  for await (const line of owner.log({ kinds: ["timer"] })) {
    assert.ok(line.ok);
    const shown = await owner.show(String(line.value.seq));
    assert.ok(shown.ok);
    const { events = [] } = shown.value.entry.content as unknown as Recorded;
    const lost = events.filter(({ event }) => event === "agent-disappeared");
    found.push(...lost.map(({ agent = "" }) => ({ agent, atMs: Date.parse(line.value.recordedAt) })));
  }
  return found;
}

interface Recorded {
  readonly events?: readonly { readonly event: string; readonly agent?: string }[];
}

export function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
