/**
 * The errors stop: what was under way comes to its end, everyone repeats once what was not answered, and then nobody
 * but the person who owns the team says a word. Within the time that the deadlines give, everything that waits must
 * have ended.
 */
import type { Act } from "../agents/act.ts";
import type { Agent } from "../agents/agent.ts";
import { arrive, ask, deliverPacket, resume, submit } from "./network.ts";
import { restart, type World } from "./world.ts";

/**
 * The longest that anything may wait without a message, in addition to leases: a deadline, three requests, five silent
 * levels.
 */
const waitMsMax = 300_000 + 3 * 60_000 + 6 * 300_000;
const stepMs = 45_000;

/** Lets the world come to rest, and tells the checker what has not ended. */
export async function settleDown(world: World): Promise<void> {
  world.isFaulty = false;
  for (const host of world.hosts) if (!host.isUp || host.hasFailed) await restart(world, host);
  for (const agent of world.agents) Object.assign(agent, { stalledUntil: 0, cutOffUntil: 0 });
  while (world.held.length > 0) await resume(world, 0);
  while (world.packets.length > 0) await deliverPacket(world, 0);
  for (const agent of world.agents) {
    const unanswered = Array.from(agent.pending.values());
    for (const act of unanswered) await submit(world, agent, act);
    if (agent.pending.size > 0) world.checker.wrong(`${agent.name} has no answer, and nothing fails any more`);
  }
  const lastMs = world.clock.monotonic() + waitMsMax + 3 * world.checker.models.leaseMs();
  while (world.clock.monotonic() < lastMs && waitingStill(world).length > 0) {
    world.clock.advance(stepMs);
    await arrive(world, { id: "", agent: "owner", asked: { do: "fire" } });
    await speakAsOwner(world);
    if (world.checker.wrongs.length > 0) return;
  }
  for (const what of waitingStill(world)) world.checker.wrong(`${what}, and every deadline has passed`);
}

/** What has not ended. */
function waitingStill({ checker: { models } }: World): readonly string[] {
  const { approvals, escalations, shutdowns, work } = models;
  return [
    ...approvals.open().map(({ key }) => `the request ${key} is still open`),
    ...escalations.open().map(({ id, level }) => `the escalation ${id} still waits at ${level}`),
    ...shutdowns.rounds.filter(({ status }) => status === "open").map(({ id }) => `the round ${id} is still open`),
    ...[...work.tasks.values()].flatMap(({ task, claim }) =>
      claim === null ? [] : [`${claim.holder} still holds ${task}, and is silent`],
    ),
  ];
}

/** The person answers what waits without a deadline, and decides what has come to the user. */
async function speakAsOwner(world: World): Promise<void> {
  const { approvals, escalations } = world.checker.models;
  const owner = world.agents.find(({ name }) => name === "owner");
  if (owner === undefined) return;
  for (const { id, deadlineMs } of approvals.open()) {
    if (deadlineMs !== null) continue;
    await ask(
      world,
      owner,
      ownersAct(owner, { do: "answer", request: id, answer: { approved: false, reason: "late" } }),
    );
  }
  for (const { id, level } of escalations.open()) {
    if (level === "user")
      await ask(world, owner, ownersAct(owner, { do: "resolve", escalation: id, decision: "Go on" }));
  }
}

function ownersAct(owner: Agent, asked: Act["asked"]): Act {
  owner.given += 1;
  return { id: `owner-last-${owner.given}`, agent: owner.name, asked };
}
