/**
 * The simulated world: the team's journal on its disk, the processes over it, and the agents; between them is the network
 * (`network.ts`). One step is one thing that happens. Everything is chosen from the seed.
 */
import { type TeamName, teamName } from "../../../src/base/ids.ts";
import { invariant } from "../../../src/base/invariant.ts";
import type { Entry } from "../../../src/journal/entry.ts";
import { ownerName } from "../../../src/messages/principal.ts";
import { effectsOf } from "../../../src/perform/content.ts";
import type { Context } from "../../../src/perform/context.ts";
import type { TeamDefinition } from "../../../src/team/state/definition.ts";
import type { Act, Told } from "../agents/act.ts";
import type { Agent } from "../agents/agent.ts";
import { type AskedAt, type Checker, newChecker } from "../models/checker.ts";
import { type Chance, chanceFrom } from "./chance.ts";
import type { Disk } from "./disk.ts";
import type { Host, Line, Mishap, Wiring } from "./host.ts";
import { simulatedTeamName, someTeam } from "./teams.ts";
import { type SimulatedClock, simulatedClock } from "./time.ts";

/** Something in transit: an operation to the core, or an answer to an agent. */
export type Packet =
  | { readonly to: "core"; readonly act: Act }
  | { readonly to: "agent"; readonly act: Act; readonly told: Told };

/** Everything there is at one moment. */
export interface World {
  readonly seed: number;
  readonly chance: Chance;
  readonly clock: SimulatedClock;
  readonly team: TeamName;
  readonly checker: Checker;
  readonly disk: Disk;
  readonly wiring: Wiring;
  readonly agents: readonly Agent[];
  /** The repository lacks history now and then, so that reports cannot be judged; in most worlds it does not. */
  readonly isCutOff: boolean;
  readonly hub: Host;
  readonly hosts: readonly Host[];
  readonly packets: Packet[];
  /** Requests that wait before a call to the disk. */
  readonly held: { readonly line: Line; readonly asked: AskedAt }[];
  /** What the team's file says now. */
  definition: TeamDefinition;
  /** False: nothing fails any more. */
  isFaulty: boolean;
  /** A process died, and what it had asked for beside may be written after its end was looked at. */
  hasDied: boolean;
  /** When the hub's timer is to fire next, by the machine's own time; null: nothing waits that it knows of. */
  dueAtMs: number | null;
  /** What happened, for those who count. */
  readonly happened: Map<string, number>;
}

/** What a world is made with. */
export interface WorldOptions {
  readonly seed: number;
  openDisk(team: TeamName, clock: SimulatedClock): Promise<Disk>;
  context(context: Context): Context;
}

/** When every simulation begins, by the machine's wall clock: 12 February 2026, 10:00 UTC. */
const startMs = 1_770_890_400_000;

/** One of so many seeds is of a world whose repository lacks history. */
const cutOffSeeds = 5;

/** A world of that seed in which nothing has happened yet. */
export async function newWorld({ seed, openDisk, context }: WorldOptions): Promise<World> {
  const chance = chanceFrom(seed);
  const clock = simulatedClock(startMs);
  const team = teamName(simulatedTeamName);
  invariant(team !== null, "the simulated team's name is one");
  const definition = someTeam(chance);
  const disk = await openDisk(team, clock);
  const hub = newHost("hub");
  const agents = agentsOf(definition, chance);
  const hasRepository = chance.happens(0.5);
  const acts = new Map<string, Act | null>();
  const happened = new Map<string, number>();
  const world: World = {
    seed,
    chance,
    clock,
    team,
    checker: newChecker((agent, id) => acts.get(`${agent} ${id}`) ?? null, hasRepository),
    disk,
    wiring: { team, clock, disk, context, hasRepository, mishap: () => (world.isFaulty ? someMishap(world) : "none") },
    agents,
    isCutOff: seed % cutOffSeeds === 2,
    hub,
    hosts: [hub, ...agents.map(({ host }) => host)],
    packets: [],
    held: [],
    definition,
    isFaulty: true,
    hasDied: false,
    dueAtMs: null,
    happened,
  };
  remembered.set(world, acts);
  return world;
}

/** Acts by agent and id; null: that id was given to several. */
const remembered = new WeakMap<World, Map<string, Act | null>>();

/** Keeps an operation under its id, for the checker; an id of several operations identifies none. */
export function remember(world: World, act: Act): void {
  const acts = remembered.get(world);
  const key = `${act.agent} ${act.id}`;
  const known = acts?.get(key);
  acts?.set(key, known === undefined || known === act ? act : null);
}

/** Counts something that happened. */
export function count(world: World, what: string): void {
  world.happened.set(what, (world.happened.get(what) ?? 0) + 1);
}

/** Starts a process again that died or failed. */
export async function restart(world: World, host: Host): Promise<void> {
  host.life += 1;
  host.isUp = true;
  host.hasFailed = false;
  count(world, "restarts");
  // Who comes and goes opens the journal for one act; what matters is what a process knows that stays.
  if (host === world.hub) await world.disk.reopen();
}

/** Takes what is in the journal and was not looked at yet to the checker. */
export async function takeEntries(world: World): Promise<void> {
  for (const entry of await entriesAfter(world, world.checker.models.record.entries.length)) {
    world.checker.takeEntry(entry, world.clock.monotonic());
    count(world, `entries: ${entry.kind}`);
    for (const happened of effectsOf(entry).events ?? []) {
      const { event } = happened;
      count(world, `events: ${event}`);
      if (event === "escalation-raised") count(world, `raised: ${happened.step.how}`);
      if (entry.kind === "timer") count(world, `in time: ${event}`);
    }
  }
}

/** Every entry above a seq, as the journal has it. */
export async function entriesAfter({ disk, team }: World, seq: number): Promise<readonly Entry[]> {
  const found: Entry[] = [];
  for (let after: number | null = seq; after !== null; ) {
    const page = await disk.journal().read(team, { after });
    invariant(page.ok, "the simulated journal can be read");
    found.push(...page.value.entries);
    after = page.value.next;
  }
  return found;
}

/** What happens to a write: mostly nothing. */
function someMishap(world: World): Mishap {
  const roll = world.chance.unit();
  let before = 0;
  for (const [mishap, probability] of mishaps) {
    before += probability;
    if (roll >= before) continue;
    count(world, `writes: ${mishap}`);
    return mishap;
  }
  return "none";
}

const mishaps: readonly (readonly [Mishap, number])[] = [
  ["lost-race", 0.03],
  ["full", 0.004],
  ["busy", 0.006],
  ["failed-before", 0.002],
  ["failed-after", 0.003],
  ["death-before", 0.003],
  ["death-deciding", 0.003],
  ["death-after", 0.006],
];

function newHost(name: string): Host {
  return { name, isUp: true, hasFailed: false, life: 1 };
}

function agentsOf(definition: TeamDefinition, chance: Chance): readonly Agent[] {
  const named = definition.agents.map(({ agent, role, department, dialect }) => ({
    name: agent,
    role,
    department,
    dialect,
  }));
  const owner = { name: ownerName, role: "user" as const, department: undefined, dialect: definition.dialects[0] };
  return [...named, owner].map(
    ({ name, role, department, dialect }): Agent => ({
      name,
      role,
      department,
      writesHandoffs: definition.dialects.includes("bmad/1"),
      dialects: [...new Set([...(dialect === undefined ? [] : [dialect]), ...definition.dialects])],
      host: newHost(name),
      lies: chance.pick([0, 0, 0.05, 0.3]),
      skewMs: chance.pick([0, 0, -3_600_000, 86_400_000]),
      pending: new Map(),
      history: [],
      tokens: [],
      program: null,
      formerProgram: null,
      given: 0,
      stalledUntil: 0,
      cutOffUntil: 0,
      shown: 0,
    }),
  );
}
