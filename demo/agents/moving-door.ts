/**
 * The door of an agent that knows several hubs of one journal: where its hub does not answer any more, it goes on at the
 * next one. Nothing is remembered for that, because its token, its mail and its ids are the journal's.
 */
import { systemClock } from "../../src/base/clock.ts";
import type { AgentDoor, Planning } from "./agent-door.ts";
import type { HubAccess } from "./http-door.ts";

/** How long a hub may take to say that it is there, in milliseconds. */
const healthMsMax = 2_000;

/** How often a hub is asked for a door before the agent gives up, and the pause in between. */
const triesMax = 100;
const betweenTriesMs = 300;

/** Opens a door at the first hub that lets it in; with one hub, exactly the door that `open` makes. */
export async function movingDoor(
  { hub, otherHubs }: Pick<HubAccess, "hub" | "otherHubs">,
  open: (hub: string) => AgentDoor | Promise<AgentDoor>,
): Promise<AgentDoor> {
  if (otherHubs.length === 0) return await open(hub);
  const hubs = [hub, ...otherHubs];
  let at = 0;
  const enter = async (): Promise<AgentDoor> => {
    for (let tries = 1; ; tries++) {
      at = await firstThere(hubs, at);
      try {
        return await open(hubs[at] ?? hub);
      } catch (fault) {
        // A hub whose journal takes nothing lets nobody in, and does so again once it is back.
        if (tries === triesMax) throw fault;
      }
      await systemClock.wait(betweenTriesMs);
    }
  };
  let door = await enter();
  const move = async (): Promise<void> => {
    if ((await firstThere(hubs, at)) === at) return;
    await door[Symbol.asyncDispose]();
    door = await enter();
  };
  /** An operation that failed is the caller's to repeat; where the hub is gone, at the next one. */
  const act = async <Told extends { readonly outcome: string }>(ask: () => Promise<Told>): Promise<Told> => {
    const answer = await ask();
    if (answer.outcome === "failed") await move();
    return answer;
  };
  const look = async <Found>(ask: () => Promise<Found>): Promise<Found> => {
    try {
      return await ask();
    } catch (fault) {
      await move();
      throw fault;
    }
  };
  const planned = (): Planning => {
    if (door.planning === null) throw new Error("this door plans nothing");
    return door.planning;
  };
  return {
    kind: door.kind,
    read: (signal) => look(() => door.read(signal)),
    send: (outgoing) => act(() => door.send(outgoing)),
    acknowledge: (seq) => act(() => door.acknowledge(seq)),
    claim: (task, id) => act(() => door.claim(task, id)),
    available: () => look(() => door.available()),
    planning:
      door.planning === null
        ? null
        : {
            contract: (planId) => look(() => planned().contract(planId)),
            addTask: (task, id) => act(() => planned().addTask(task, id)),
            tasks: () => look(() => planned().tasks()),
            summary: (planId) => look(() => planned().summary(planId)),
          },
    [Symbol.asyncDispose]: () => door[Symbol.asyncDispose](),
  };
}

/** The place of the first hub from `from` on that answers; `from` where none does. */
async function firstThere(hubs: readonly string[], from: number): Promise<number> {
  for (let step = 0; step < hubs.length; step++) {
    const index = (from + step) % hubs.length;
    if (await answers(hubs[index] ?? "")) return index;
  }
  return from;
}

async function answers(hub: string): Promise<boolean> {
  try {
    return (await fetch(`${hub}/healthz`, { signal: AbortSignal.timeout(healthMsMax) })).ok;
  } catch {
    // No answer is what is asked about.
    return false;
  }
}
