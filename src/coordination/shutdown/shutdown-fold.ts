/** Folds what happened to shutdown rounds into what is kept of them, in place. */
import { unreachable } from "../../base/invariant.ts";
import { heldBy, type ShutdownAnswered, type ShutdownEvent, type ShutdownForced } from "./shutdown-events.ts";
import {
  closeRound,
  keepAsking,
  keepInspection,
  keepJoined,
  keepPart,
  keepRound,
  partIn,
  roundAt,
  type Shutdowns,
} from "./shutdown-rounds.ts";

/** The rounds after the event. */
export function evolveShutdowns(state: Shutdowns, event: ShutdownEvent): Shutdowns {
  switch (event.event) {
    case "shutdown-started":
      return keepRound(state, {
        ...event.round,
        agents: new Map(event.round.agents.map((each) => [each.agent, each])),
      });
    case "shutdown-joined":
      for (const part of event.agents) keepJoined(state, event.requestId, part);
      return state;
    case "shutdown-answered":
      return keepAnswer(state, event);
    case "shutdown-repeated":
      for (const agent of event.agents) keepSilence(state, event.requestId, agent);
      return keepAsking(state, event.requestId, event);
    case "shutdown-forced":
      for (const agent of event.agents) keepForced(state, event, agent);
      return state;
    case "shutdown-ended":
      return closeRound(state, event.requestId, {
        standing: event.outcome,
        endedSeq: event.seq,
        endedAtMs: event.atMs,
      });
    case "shutdown-inspected":
      return keepInspection(state, event.requestId, event.uncommitted);
    default:
      return unreachable(event);
  }
}

function keepAnswer(state: Shutdowns, event: ShutdownAnswered): Shutdowns {
  const round = roundAt(state, event.requestId);
  const part = partIn(round, event.answerer);
  const { outcome, status, pendingWork, artifactsCommitted, claims, seq, atMs } = event;
  const said = { pendingWork, artifactsCommitted, claims };
  if (outcome !== null) return keepPart(state, event.requestId, { ...part, ...said, outcome, status, seq, atMs });
  const refusals = part.refusals + 1;
  return keepPart(state, event.requestId, { ...part, ...said, refusals, refusedAt: round.asked });
}

/** The asking passed: who had not even refused it was silent. */
function keepSilence(state: Shutdowns, requestId: string, agent: string): void {
  const round = roundAt(state, requestId);
  const part = partIn(round, agent);
  if (part.refusedAt !== round.asked) keepPart(state, requestId, { ...part, silences: part.silences + 1 });
}

function keepForced(state: Shutdowns, event: ShutdownForced, agent: string): void {
  const { requestId, seq, atMs } = event;
  const part = partIn(roundAt(state, requestId), agent);
  const claims = heldBy(event.claims, agent);
  keepPart(state, requestId, { ...part, outcome: "forced", claims, seq, atMs });
}
