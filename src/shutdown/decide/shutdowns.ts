/**
 * Shutdown rounds: every addressed agent is asked to stop, with a deadline; a refusal or silence is asked again; who
 * has not stopped by the last deadline is forced. So a round always ends, and its outcome is complete only where
 * nobody left work behind. One decider in parts: its start, answers and forcing are the neighbours, its state is
 * `shutdown-rounds.ts`, its fold `shutdowns.ts`.
 * Source: docs/protocol/asking.md, sections 14 to 16.
 */
import { unreachable } from "../../base/invariant.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import type { FactBodies } from "../../messages/fact-bodies.ts";
import type { Note } from "../../messages/message.ts";
import { type Decided, type Decider, nothing } from "../../perform/decider.ts";
import {
  type Claims,
  heldBy,
  type ShutdownAnswered,
  type ShutdownEvent,
  type ShutdownForced,
  type ShutdownInspected,
} from "../state.ts";
import {
  type EndAgents,
  endAgents,
  endedEvent,
  endingOf,
  type PassDeadline,
  passDeadline,
} from "./shutdown-forcing.ts";
import {
  closeRound,
  type Ending,
  keepAsking,
  keepInspection,
  keepJoined,
  keepPart,
  keepRound,
  latestRound,
  noShutdowns,
  partIn,
  roundAt,
  roundMeant,
  roundsWaitingFor,
  type ShutdownRound,
  type Shutdowns,
  type Uncommitted,
  type WorkLeft,
} from "./shutdown-rounds.ts";
import { type StartRound, startRound } from "./shutdown-start.ts";

/** Orders that shutdown rounds take. */
export type ShutdownCommand = StartRound | AnswerShutdown | PassDeadline | EndAgents | InspectRound;

/**
 * Refuses `id-taken` and `id-conflict`. An answer that nobody asked for, or that fits several rounds, is out of step
 * and noted. A deadline passes only by command: an answer that comes before it counts, even when it comes late.
 */
export const shutdowns: Decider<Shutdowns, ShutdownCommand, ShutdownEvent> = {
  name: "shutdowns",
  initial: noShutdowns,
  decide(command, state) {
    switch (command.command) {
      case "start-round":
        return startRound(command, state);
      case "answer-shutdown":
        return answerShutdown(command, state);
      case "pass-deadline":
        return ok(passDeadline(command, state));
      case "inspect-round":
        return inspectRound(command, state);
      case "end-agents":
        return ok(endAgents(command, state));
      default:
        return unreachable(command);
    }
  },
  evolve: evolveShutdowns,
};

/*
 * Agents' answers to requests to stop: which rounds one counts for, and what it says of the work that is left.
 * Source: docs/protocol/asking.md, sections 14 to 16.
 */

/** Answers a request to stop. `claims`: what the answerer holds. */
interface AnswerShutdown {
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
function answerShutdown(command: AnswerShutdown, state: Shutdowns): Outcome {
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

/* Folds what happened to shutdown rounds into what is kept of them, in place. */

/** The rounds after the event. */
function evolveShutdowns(state: Shutdowns, event: ShutdownEvent): Shutdowns {
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

/*
 * What was found uncommitted when a round was over: whose it is, once a round. Files of a shared work tree belong to
 * the agent that worked on them; those that nobody did are the team's. Source: docs/protocol/asking.md, section 16.
 */

/** Says what the repository shows after a round. */
export interface InspectRound {
  readonly command: "inspect-round";
  readonly requestId: string;
  readonly uncommitted: Uncommitted;
  readonly seq: number;
}

/** Kept once, and only of a round that is over: before, agents still work. */
function inspectRound(
  { requestId, uncommitted, seq }: InspectRound,
  state: Shutdowns,
): Result<Decided<ShutdownInspected>, readonly Problem[]> {
  const round = latestRound(state, requestId);
  if (round === null || round.standing === "open" || round.uncommitted !== undefined) {
    return nothing("out-of-step", `The round "${requestId}" takes no inspection now.`);
  }
  return ok({ events: [{ event: "shutdown-inspected", requestId, uncommitted, seq }], notes: [] });
}
