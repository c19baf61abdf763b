/**
 * How an agent's part of a shutdown round ends, and the round: complete only where nobody left work behind.
 * Source: docs/protocol/shutdown.md.
 */
import { type Claims, heldBy, type ShutdownEnded } from "./shutdown-events.ts";
import type { Ending, ShutdownRound, StoppingAgent, WorkLeft } from "./shutdown-rounds.ts";

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
