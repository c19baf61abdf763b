/**
 * What happens to those who do not stop: they are asked again when a deadline passes, and forced by the last one. An
 * agent that is removed from the team is forced immediately. Source: docs/protocol/asking.md, sections 14 to 16.
 */
import type { Decided } from "../../perform/decider.ts";
import { type Claims, heldBy, type ShutdownEnded, type ShutdownEvent } from "../state.ts";
import {
  type Ending,
  firstRoundDue,
  roundsWaitingFor,
  type ShutdownRound,
  type Shutdowns,
  type StoppingAgent,
  stillWaiting,
  type WorkLeft,
} from "./shutdown-rounds.ts";

/** How often a round asks in all. */
export const askingsMax = 3;

/** The deadline that passed first, of one round: each is a separate entry. `claims`: what those hold who wait. */
export interface PassDeadline {
  readonly command: "pass-deadline";
  readonly claims: Claims;
  readonly seq: number;
  readonly atMs: number;
}

/** Somebody else took the agents out of the team. `claims`: what they hold. */
export interface EndAgents {
  readonly command: "end-agents";
  readonly agents: readonly string[];
  readonly claims: Claims;
  readonly seq: number;
  readonly atMs: number;
}

/** What the deadline that passed first brings, if one has: those who have not stopped are asked again, or forced. */
export function passDeadline(command: PassDeadline, state: Shutdowns): Decided<ShutdownEvent> {
  const { seq, atMs } = command;
  const round = firstRoundDue(state, atMs);
  if (round === null) return { events: [], notes: [] };
  const agents = stillWaiting(round).map(({ agent }) => agent);
  const { requestId, asked } = round;
  if (asked < askingsMax) {
    const dueAtMs = atMs + round.deadlineMs;
    return { events: [{ event: "shutdown-repeated", requestId, agents, asked: asked + 1, dueAtMs, seq }], notes: [] };
  }
  // Who is forced here has stopped for every other round that waits for it too.
  const rounds = new Set([round, ...agents.flatMap((agent) => roundsWaitingFor(state, agent))]);
  return { events: forcedIn(state, [...rounds], agents, command), notes: [] };
}

/** Ends the agents' parts of every round that waits for them. */
export function endAgents(command: EndAgents, state: Shutdowns): Decided<ShutdownEvent> {
  const { agents } = command;
  const rounds = new Set(agents.flatMap((agent) => roundsWaitingFor(state, agent)));
  return { events: forcedIn(state, [...rounds], agents, command), notes: [] };
}

function forcedIn(
  state: Shutdowns,
  rounds: readonly ShutdownRound[],
  agents: readonly string[],
  moment: Pick<PassDeadline, "claims" | "seq" | "atMs">,
): readonly ShutdownEvent[] {
  return rounds.flatMap((round): readonly ShutdownEvent[] => {
    const { requestId } = round;
    const here = agents.filter((agent) => state.asked.get(agent)?.has(requestId) === true);
    const { seq, atMs } = moment;
    const held = here.map((agent) => [agent, heldBy(moment.claims, agent)] as const);
    const claims = Object.fromEntries(held.filter(([, tasks]) => tasks.length > 0));
    const forced: ShutdownEvent = { event: "shutdown-forced", requestId, agents: here, claims, seq, atMs };
    if (here.length < round.waiting) return [forced];
    return [forced, endedEvent(round, new Map(here.map((agent) => [agent, "forced"])), moment)];
  });
}

/*
 * How an agent's part of a shutdown round ends, and the round: complete only where nobody left work behind.
 * Source: docs/protocol/asking.md, sections 14 to 16.
 */
type Moment = { readonly seq: number; readonly atMs: number; readonly claims: Claims };

/** Endings that leave nothing behind. */
const drained: readonly (Ending | null)[] = ["clean", "refused-then-clean", "late", "not_addressed"];

/** How the part of an agent that stops ends. Work left behind weighs more than how long the answer took. */
export function endingOf({ refusals, silences }: StoppingAgent, status: WorkLeft): Ending {
  if (status !== "clean") return status;
  if (refusals > 0) return "refused-then-clean";
  return silences > 0 ? "late" : "clean";
}

/** The end of a round whose `last` parts end by this very entry; `claims`: what those agents hold. */
export function endedEvent(round: ShutdownRound, last: ReadonlyMap<string, Ending>, moment: Moment): ShutdownEnded {
  const { seq, atMs } = moment;
  const isDrained = [...round.agents.values()].every((part) => {
    const ending = last.get(part.agent) ?? part.outcome;
    const claims = last.has(part.agent) ? heldBy(moment.claims, part.agent) : part.claims;
    return drained.includes(ending) && claims.length === 0;
  });
  const outcome = isDrained ? "complete" : "incomplete";
  return { event: "shutdown-ended", requestId: round.requestId, outcome, seq, atMs };
}
