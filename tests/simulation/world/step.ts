/** One step of the world: time goes on, and one thing happens. */
import type { TeamDefinition } from "../../../src/team/state/definition.ts";
import { type Act, type Found, lookAt } from "../agents/act.ts";
import type { Acting, Agent } from "../agents/agent.ts";
import { nextAct } from "../agents/behaviour.ts";
import { weighted } from "./chance.ts";
import { arrive, ask, deliverPacket, resume, submit } from "./network.ts";
import { reportedFiles } from "./vocabulary.ts";
import { count, restart, takeEntries, type World } from "./world.ts";

/** Something happens. */
export async function step(world: World): Promise<void> {
  const { chance, clock } = world;
  if (world.hasDied) await takeEntries(world);
  world.hasDied = false;
  clock.advance(passing(world));
  const down = world.hosts.filter(({ isUp, hasFailed }) => !isUp || hasFailed);
  const happening = weighted(chance, [
    [100, turn],
    [Math.min(20, 4 * world.packets.length), arrival],
    [Math.min(60, 14 * world.held.length), release],
    [6, timer],
    [world.wiring.hasRepository ? (world.isCutOff ? 24 : 5) : 0, judging],
    [2.5, trouble],
    [8 * down.length, recovery],
  ] as const);
  await happening(world);
}

/** How much time goes by: moments mostly, a while sometimes, and seldom longer than anything waits. */
function passing({ chance }: World): number {
  const roll = chance.unit();
  if (roll < 0.6) return chance.below(1_500);
  if (roll < 0.97) return chance.below(8_000);
  return roll < 0.995 ? chance.below(60_000) : chance.below(330_000);
}

/** An agent's turn: it repeats what was not answered, repeats what was, or does something new. */
async function turn(world: World): Promise<void> {
  const { chance } = world;
  const agent = someAgent(world);
  if (agent === null) return;
  const [waiting] = agent.pending.values();
  if (waiting !== undefined && chance.happens(agent.pending.size > 3 ? 0.7 : 0.3)) {
    count(world, "acts repeated");
    return submit(world, agent, waiting);
  }
  if (agent.history.length > 0 && chance.happens(0.03)) {
    count(world, "acts repeated");
    return submit(world, agent, chance.pick(agent.history));
  }
  const act = newAct(world, agent);
  if (act !== null) await ask(world, agent, act);
}

/** How often the one whose turn it is is looked for. */
const looksMax = 6;

/** Somebody who is awake; an agent outside the team is mostly silent. Null: nobody was found. */
function someAgent({ chance, clock, agents, checker }: World): Agent | null {
  const { roster } = checker.models;
  for (let look = 0; look < looksMax; look++) {
    const agent = chance.pick(agents);
    if (agent.stalledUntil > clock.monotonic()) continue;
    const isIn = agent.name === "owner" || roster.agents.get(agent.name)?.isActive === true;
    if (isIn || chance.happens(0.1)) return agent;
  }
  return null;
}

/** An operation under a new id; a forgetful agent uses one that it used before. */
function newAct(world: World, agent: Agent): Act | null {
  const { chance, clock, checker } = world;
  const isForgetful = agent.given > 3 && chance.happens(0.01);
  const id = `${agent.name}-${isForgetful ? chance.below(agent.given) : agent.given}`;
  const acting: Acting = { agent, chance, models: checker.models, id, nowMs: clock.now() + agent.skewMs };
  const asked = nextAct(acting);
  if (asked === null) return null;
  if (!isForgetful) agent.given += 1;
  if (asked.do === "attend") agent.program ??= `program-${agent.name}-${agent.given}`;
  // A program that was replaced may not know it, and goes on.
  const isFormer = agent.formerProgram !== null && asked.do !== "attend" && chance.happens(0.4);
  const program = isFormer ? agent.formerProgram : agent.program;
  if (asked.do === "leave") agent.program = null;
  return { id, agent: agent.name, ...(program === null ? {} : { program }), asked };
}

async function arrival(world: World): Promise<void> {
  await deliverPacket(world, world.chance.below(world.packets.length));
}

async function release(world: World): Promise<void> {
  await resume(world, world.chance.below(world.held.length));
}

/** How long the hub's timer may have to go to be waited for. */
const timerMsMax = 120_000;

/** The hub looks at what is due: at the very moment that it waits for, or when it comes to it. */
async function timer(world: World): Promise<void> {
  const { clock, chance, dueAtMs } = world;
  const leftMs = (dueAtMs ?? 0) - clock.steady();
  if (leftMs > 0 && leftMs <= timerMsMax && chance.happens(0.6)) clock.advance(leftMs);
  await arrive(world, { id: "", agent: "owner", asked: { do: "fire" } });
}

const usual: readonly Found["state"][] = ["verified", "verified", "verified", "disputed"];
const doubtful: readonly Found["state"][] = ["verified", "disputed"];

/**
 * The hub looks at a report, and finds what chance says. Looking takes a while, so the verdict may come after a newer
 * report, or after somebody has claimed the task again.
 */
async function judging(world: World): Promise<void> {
  const { chance, checker, disk, team, packets } = world;
  const reported = [...checker.models.work.tasks.values()].filter(
    ({ report, claim }) => report !== null && claim === null,
  );
  if (reported.length === 0) return;
  const fresh = reported.filter(({ verdict }) => verdict === null);
  // Only what cannot be seen any more takes a dispute back.
  const disputed = world.isCutOff ? reported.filter(({ verdict }) => verdict === "disputed") : [];
  const first = disputed.length > 0 && chance.happens(0.5) ? disputed : fresh;
  const task = first.length > 0 && chance.happens(0.8) ? chance.pick(first) : chance.pick(reported);
  const isGone = task.verdict === "verified" && chance.happens(0.9);
  const seen = isGone ? "gone" : chance.pick(world.isCutOff ? doubtful : usual);
  const isBlind = world.isCutOff && chance.happens(task.verdict === "disputed" ? 0.8 : 0.2);
  const found: Found = { state: isBlind ? "undecided" : seen, files: reportedFiles.slice(0, chance.below(4)) };
  const look = await lookAt({ journal: disk.journal(), team }, task.task);
  if (look === null) return;
  count(world, "looks at a report");
  const id = `look-${world.happened.get("looks at a report")}`;
  const act: Act = { id, agent: "owner", asked: { do: "judge", look, found } };
  if (chance.happens(0.6)) return arrive(world, act);
  count(world, "verdicts that come later");
  packets.push({ to: "core", act });
}

async function recovery(world: World): Promise<void> {
  const down = world.hosts.filter(({ isUp, hasFailed }) => !isUp || hasFailed);
  await restart(world, world.chance.pick(down));
}

/** Something goes wrong outside of the disk. */
async function trouble(world: World): Promise<void> {
  const { chance, clock, hub } = world;
  const agent = chance.pick(world.agents);
  const lease = world.checker.models.leaseMs();
  const happening = weighted(chance, [
    [4, "agent stalls"],
    [5, "agent forgets"],
    [3, "agent cut off"],
    [2, "hub dies"],
    [2, "clock jumps"],
    [2, "team file changes"],
  ] as const);
  count(world, happening);
  switch (happening) {
    case "agent stalls":
      agent.stalledUntil = clock.monotonic() + chance.below(3 * lease);
      break;
    case "agent forgets":
      // It crashed and came back without a memory; what it sent may still be under way.
      agent.pending.clear();
      agent.history.length = 0;
      agent.formerProgram = agent.program;
      agent.program = null;
      agent.stalledUntil = clock.monotonic() + chance.below(lease);
      break;
    case "agent cut off":
      agent.cutOffUntil = clock.monotonic() + chance.below(lease);
      break;
    case "hub dies":
      hub.isUp = false;
      break;
    case "clock jumps":
      clock.jump(chance.between(-600_000, 600_000));
      break;
    case "team file changes":
      world.definition = changed(world);
      await arrive(world, { id: "", agent: "owner", asked: { do: "revise", definition: world.definition } });
  }
}

/** The team's file with another lease, or with an agent less, or with all that were there at first. */
function changed({ chance, definition, agents }: World): TeamDefinition {
  const limits = { ...definition.limits, leaseSeconds: chance.pick([30, 60, 120, 300]) };
  const present = new Set(definition.agents.map(({ agent }) => agent));
  const missing = agents.filter(({ name }) => name !== "owner" && !present.has(name));
  if (missing.length === 0 && chance.happens(0.6)) {
    const leaver = chance.pick(definition.agents);
    if (leaver.role === "lead") return { ...definition, limits };
    return { ...definition, limits, agents: definition.agents.filter(({ agent }) => agent !== leaver.agent) };
  }
  const back = missing.map(({ name, role, department, dialects: [dialect] }) => {
    const place = department === undefined ? {} : { department };
    return { agent: name, role, ...place, ...(dialect === undefined ? {} : { dialect }) };
  });
  return { ...definition, limits, agents: [...definition.agents, ...back] };
}
