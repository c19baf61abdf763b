/**
 * Agents' answers to requests to stop: which rounds one counts for, and what it says of the work that is left.
 * Source: docs/protocol/shutdown.md.
 */
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import type { FactBodies } from "../../message/fact-bodies.ts";
import type { Note } from "../../message/message.ts";
import { type Decided, nothing } from "../decider.ts";
import { type Claims, heldBy, type ShutdownEvent } from "./shutdown-events.ts";
import { endedEvent, endingOf } from "./shutdown-outcome.ts";
import {
  type Ending,
  latestRound,
  partIn,
  roundMeant,
  roundsWaitingFor,
  type ShutdownRound,
  type Shutdowns,
  type WorkLeft,
} from "./shutdown-rounds.ts";

/** Answers a request to stop. `claims`: what the answerer holds. */
export interface AnswerShutdown {
  readonly command: "answer-shutdown";
  readonly answerer: string;
  readonly body: FactBodies["shutdown-response"];
  readonly claims: Claims;
  readonly seq: number;
  readonly atMs: number;
}

type Outcome = Result<Decided<ShutdownEvent>, readonly Problem[]>;

/**
 * Who stops, stops for everybody who asked; who refuses works on, and says which request it refuses. Never refused: an
 * answer that nobody asked for, or a refusal that fits several rounds, is out of step and noted.
 */
export function answerShutdown(command: AnswerShutdown, state: Shutdowns): Outcome {
  const { answerer, body } = command;
  const { requestId, approved } = body;
  const waiting = roundsWaitingFor(state, answerer);
  const meant = roundMeant(state, { answerer, requestId });
  if (waiting.length === 0) {
    return nothing("no-open-request", `No request to stop waits for ${answerer}; the answer is delivered as it is.`);
  }
  const named = requestId === undefined ? null : latestRound(state, requestId);
  if (named !== null && named.standing !== "open" && named.agents.has(answerer)) {
    const message = `The round "${named.requestId}" is over; what is said of it answers no other.`;
    return nothing("no-open-request", message);
  }
  if (!approved) return refuseToStop(command, meant, waiting);
  // The round it names comes first.
  const rounds = meant === null ? waiting : [meant, ...waiting.filter((round) => round !== meant)];
  const events = rounds.flatMap((round) => {
    const part = partIn(round, answerer);
    const outcome = endingOf(part, workLeft(body));
    const answered = answeredEvent(command, round, outcome);
    return round.waiting > 1 ? [answered] : [answered, endedEvent(round, new Map([[answerer, outcome]]), command)];
  });
  return ok({ events, notes: stopNotes(body, rounds, meant, answerer) });
}

function stopNotes(
  { requestId }: FactBodies["shutdown-response"],
  rounds: readonly ShutdownRound[],
  meant: ShutdownRound | null,
  answerer: string,
): readonly Note[] {
  if (meant !== null) return matchNotes(requestId, meant, answerer);
  const ids = rounds.map((round) => round.requestId).join(", ");
  const message = `Several requests to stop wait for ${answerer} (${ids}); who stops has answered all.`;
  return [{ code: "ambiguous-request", path: "$", message }];
}

/** A refusal counts once an asking; the agent works on and is asked again when the deadline passes. */
function refuseToStop(
  command: AnswerShutdown,
  meant: ShutdownRound | null,
  waiting: readonly ShutdownRound[],
): Outcome {
  const { answerer, body } = command;
  if (meant === null) {
    const ids = waiting.map(({ requestId }) => requestId).join(", ");
    return nothing("ambiguous-request", `Several requests to stop wait for ${answerer}: ${ids}. Name the one refused.`);
  }
  if (partIn(meant, answerer).refusedAt === meant.asked) {
    return nothing("answer-unchanged", `${answerer} refused "${meant.requestId}" before; it is asked again in time.`);
  }
  return ok({ events: [answeredEvent(command, meant, null)], notes: matchNotes(body.requestId, meant, answerer) });
}

function matchNotes(requestId: string | undefined, meant: ShutdownRound | null, answerer: string): readonly Note[] {
  if (meant === null || requestId === undefined || requestId === meant.requestId) return [];
  const message = `No request "${requestId}" waits for ${answerer}; the answer was taken for "${meant.requestId}".`;
  return [{ code: "request-matched", path: "$.body.requestId", message }];
}

function answeredEvent(
  { answerer, body, claims, seq, atMs }: AnswerShutdown,
  { requestId, requester }: ShutdownRound,
  outcome: Ending | null,
): ShutdownEvent {
  const { pendingItems, pendingWork = "", artifactsCommitted = null } = body;
  return {
    event: "shutdown-answered",
    requestId,
    requester,
    answerer,
    outcome,
    status: outcome === null ? null : workLeft(body),
    pendingWork: pendingItems ?? (pendingWork === "" ? [] : [pendingWork]),
    artifactsCommitted,
    claims: outcome === null ? [] : heldBy(claims, answerer),
    seq,
    atMs,
  };
}

/** The state that an approving answer leaves the work in; of the revisions only the first can say `error`. */
function workLeft({ stopStatus, finalStatus }: FactBodies["shutdown-response"]): WorkLeft {
  if (stopStatus === "error") return "error";
  return finalStatus === "in_progress" ? "in_progress" : "clean";
}
