/**
 * The network between agents and processes: acts and answers on their way, which may be lost, late, doubled or out of
 * order, and requests that are held before the disk.
 */
import type { Act, Told } from "../agents/act.ts";
import { type Agent, keepAct, takeAnswer } from "../agents/agent.ts";
import type { AskedAt } from "../models/checker.ts";
import { type Line, request, type Step } from "./host.ts";
import { count, remember, takeEntries, type World } from "./world.ts";

/** An agent sends an operation; what becomes of it on the way is chosen. */
export async function submit(world: World, agent: Agent, act: Act): Promise<void> {
  const { chance, packets } = world;
  remember(world, act);
  count(world, "acts");
  const roll = world.isFaulty ? chance.unit() : 1;
  if (isCutOff(world, agent) || roll < 0.03) return count(world, "acts lost");
  if (roll < 0.12) {
    packets.push({ to: "core", act });
    return;
  }
  if (roll < 0.17) {
    count(world, "acts doubled");
    packets.push({ to: "core", act });
  }
  await arrive(world, act);
}

/** An operation reaches the core: the hub, or a process that the agent starts. Where that is down, it is lost. */
export async function arrive(world: World, act: Act): Promise<void> {
  const { chance, hub, agents, wiring, checker } = world;
  const own = agents.find(({ name }) => name === act.agent)?.host;
  const host = own === undefined || chance.happens(0.7) ? hub : own;
  if (!host.isUp) return count(world, "acts lost");
  const head = checker.models.record.entries.length;
  const asked: AskedAt = { head, atMs: world.clock.monotonic(), isWritable: !host.hasFailed };
  const [line, step] = request(wiring, host, act, world.isFaulty && chance.happens(0.12));
  await settle(world, line, asked, await step);
}

/** Lets a held request go on. */
export async function resume(world: World, index: number): Promise<void> {
  const [held] = world.held.splice(index, 1);
  if (held === undefined || held.line.life !== held.line.host.life || !held.line.host.isUp) return;
  await settle(world, held.line, held.asked, await held.line.resume());
}

/** What becomes of a request that was answered, is held again, or went with its process. */
async function settle(world: World, line: Line, asked: AskedAt, step: Step): Promise<void> {
  await takeEntries(world);
  switch (step.at) {
    case "disk":
      world.held.push({ line, asked });
      break;
    case "dead":
      world.hasDied = true;
      count(world, "deaths of processes");
      break;
    case "thrown":
      world.checker.wrong(`the core threw at ${line.act.asked.do}: ${String(step.error)}`);
      break;
    case "told":
      world.checker.models.signs.tell(line.act.agent, world.clock.monotonic());
      world.checker.takeTold(line.act, step.told, {
        ...asked,
        isWritable: asked.isWritable && !line.host.hasFailed,
      });
      if (line.act.asked.do === "fire") world.dueAtMs = step.told.dueAtMs;
      answer(world, line.act, step.told);
  }
}

/** An answer goes back, and may be lost or late. */
function answer(world: World, act: Act, told: Told): void {
  const agent = world.agents.find(({ name }) => name === act.agent);
  if (agent === undefined) return;
  const roll = world.isFaulty ? world.chance.unit() : 1;
  if (isCutOff(world, agent) || roll < 0.05) count(world, "answers lost");
  else if (roll < 0.12) world.packets.push({ to: "agent", act, told });
  else takeAnswer(agent, act, told);
}

/** Something that was on its way arrives, in whatever order. */
export async function deliverPacket(world: World, index: number): Promise<void> {
  const [packet] = world.packets.splice(index, 1);
  if (packet === undefined) return;
  if (packet.to === "core") return arrive(world, packet.act);
  const agent = world.agents.find(({ name }) => name === packet.act.agent);
  if (agent !== undefined) takeAnswer(agent, packet.act, packet.told);
}

/** Sends an operation under a new id, and keeps it until it is answered. */
export async function ask(world: World, agent: Agent, act: Act): Promise<void> {
  keepAct(agent, act);
  await submit(world, agent, act);
}

function isCutOff({ clock }: World, agent: Agent): boolean {
  return agent.cutOffUntil > clock.monotonic();
}
