/**
 * Shutdown rounds: every addressed agent is asked to stop, with a deadline; a refusal or silence is asked again; who
 * has not stopped by the last deadline is forced. So a round always ends, and its outcome is complete only where
 * nobody left work behind.
 * Source: semantics.md section 3, Shutdown.
 */
import { invariant, unreachable } from "../base/invariant.ts";
import { type Problem, problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { FactBodies } from "../message/facts.ts";
import type { Note } from "../message/message.ts";
import type { Decided, Decider } from "./decider.ts";
import {
  closeRound,
  type Ending,
  firstRoundDue,
  keepAsking,
  keepPart,
  keepRound,
  latestRound,
  noShutdowns,
  roundAt,
  roundKey,
  roundMeant,
  roundsWaitingFor,
  type ShutdownRound,
  type Shutdowns,
  type StoppingAgent,
  stillWaiting,
  type WorkLeft,
} from "./shutdown-rounds.ts";

/** How often a round asks in all. */
export const askingsMax = 3;
/** How long an asking waits where nobody says, and at most: a round ends in bounded time. */
export const shutdownDeadlineMs = 30_000;
export const shutdownDeadlineMsMax = 24 * 3_600_000;

/** An agent of the team when a round starts. */
export interface AskedAgent {
  readonly agent: string;
  readonly session: number;
  /** False: its dialect knows no request to stop for its role, so it is not asked. */
  readonly addressed: boolean;
}

/** Tasks that agents hold, by agent; who holds none may be left out. */
type Claims = { readonly [agent: string]: readonly string[] };

/** Orders that shutdown rounds take. `claims`: what those hold whose part may end by the order. */
export type ShutdownCommand =
  | {
      readonly command: "start-round";
      readonly requestId: string;
      readonly requester: string;
      readonly body: Pick<FactBodies["shutdown-request"], "reason" | "stopReason" | "teamName">;
      readonly phase: number | string | null;
      /** Null: the usual one. */
      readonly deadlineMs: number | null;
      readonly agents: readonly AskedAgent[];
      readonly seq: number;
      readonly atMs: number;
    }
  | {
      readonly command: "answer-shutdown";
      readonly answerer: string;
      readonly body: FactBodies["shutdown-response"];
      readonly claims: Claims;
      readonly seq: number;
      readonly atMs: number;
    }
  /** The deadline that passed first, of one round: each is an entry of its own. */
  | { readonly command: "pass-deadline"; readonly claims: Claims; readonly seq: number; readonly atMs: number }
  /** Somebody else took the agent out of the team. */
  | {
      readonly command: "end-agent";
      readonly agent: string;
      readonly claims: Claims;
      readonly seq: number;
      readonly atMs: number;
    };

/** What happened to rounds. */
export type ShutdownEvent =
  | {
      readonly event: "shutdown-started";
      readonly round: Omit<ShutdownRound, "agents"> & { readonly agents: readonly StoppingAgent[] };
    }
  | {
      readonly event: "shutdown-answered";
      readonly requestId: string;
      readonly requester: string;
      readonly answerer: string;
      /** Null: it refused and works on. */
      readonly outcome: Ending | null;
      readonly status: WorkLeft | null;
      readonly pendingWork: readonly string[];
      readonly artifactsCommitted: boolean | null;
      readonly claims: readonly string[];
      readonly seq: number;
      readonly atMs: number;
    }
  | {
      readonly event: "shutdown-repeated";
      readonly requestId: string;
      readonly agents: readonly string[];
      readonly asked: number;
      readonly dueAtMs: number;
      readonly seq: number;
    }
  | {
      readonly event: "shutdown-forced";
      readonly requestId: string;
      readonly agents: readonly string[];
      readonly claims: Claims;
      readonly seq: number;
      readonly atMs: number;
    }
  | {
      readonly event: "shutdown-ended";
      readonly requestId: string;
      readonly outcome: "complete" | "incomplete";
      readonly seq: number;
      readonly atMs: number;
    };

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
        return passDeadline(command, state);
      case "end-agent":
        return ok({
          events: forcedIn(state, roundsWaitingFor(state, command.agent), [command.agent], command),
          notes: [],
        });
      default:
        return unreachable(command);
    }
  },
  evolve(state, event) {
    switch (event.event) {
      case "shutdown-started":
        return keepRound(state, {
          ...event.round,
          agents: new Map(event.round.agents.map((each) => [each.agent, each])),
        });
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
      default:
        return unreachable(event);
    }
  },
};

type Command<Name extends ShutdownCommand["command"]> = Extract<ShutdownCommand, { readonly command: Name }>;
type Event<Name extends ShutdownEvent["event"]> = Extract<ShutdownEvent, { readonly event: Name }>;
type Outcome = Result<Decided<ShutdownEvent>, readonly Problem[]>;
type Moment = { readonly seq: number; readonly atMs: number; readonly claims: Claims };

function startRound(command: Command<"start-round">, state: Shutdowns): Outcome {
  const { requestId, requester, seq, atMs, body } = command;
  const holder = latestRound(state, requestId);
  if (holder?.standing === "open" && holder.requester !== requester) {
    return refused("id-taken", `${holder.requester} has an open request with the id "${requestId}".`);
  }
  const before = state.rounds.get(roundKey(command));
  if (before !== undefined) return startedBefore(command, before);
  const { deadlineMs, notes } = deadlineOf(command.deadlineMs);
  const agents = command.agents.filter(({ agent }) => agent !== requester).map(partOf);
  const waiting = agents.filter(({ outcome }) => outcome === null).length;
  const round = {
    requestId,
    requester,
    reason: body.reason,
    stopReason: body.stopReason ?? null,
    teamName: body.teamName ?? null,
    phase: command.phase,
    deadlineMs,
    startedAtMs: atMs,
    asked: 1,
    seqs: [seq],
    dueAtMs: atMs + deadlineMs,
    agents,
    waiting,
    standing: "open" as const,
    endedSeq: null,
    endedAtMs: null,
  };
  const started: ShutdownEvent = { event: "shutdown-started", round };
  if (waiting > 0) return ok({ events: [started], notes });
  return ok({ events: [started, { event: "shutdown-ended", requestId, outcome: "complete", seq, atMs }], notes });
}

function startedBefore({ requestId, body }: Command<"start-round">, before: ShutdownRound): Outcome {
  const started = before.seqs[0] ?? 0;
  if (before.reason !== body.reason) {
    return refused("id-conflict", `The id "${requestId}" names another request to stop, at ${started}.`);
  }
  return nothing("request-unchanged", `The round "${requestId}" was started before, at ${started}.`);
}

function partOf({ agent, session, addressed }: AskedAgent): StoppingAgent {
  return {
    agent,
    session,
    outcome: addressed ? null : "not_addressed",
    status: null,
    pendingWork: [],
    artifactsCommitted: null,
    refusals: 0,
    silences: 0,
    claims: [],
    refusedAt: 0,
    seq: null,
    atMs: null,
  };
}

function deadlineOf(given: number | null): { readonly deadlineMs: number; readonly notes: readonly Note[] } {
  if (given === null) return { deadlineMs: shutdownDeadlineMs, notes: [] };
  if (given > 0 && given <= shutdownDeadlineMsMax) return { deadlineMs: Math.ceil(given), notes: [] };
  const deadlineMs = given > 0 ? shutdownDeadlineMsMax : shutdownDeadlineMs;
  const message = `A deadline is more than 0 s and at most ${shutdownDeadlineMsMax / 1000} s; taken as ${deadlineMs / 1000} s.`;
  return { deadlineMs, notes: [{ code: "deadline-changed", path: "$.body.deadlineSeconds", message }] };
}

function answerShutdown(command: Command<"answer-shutdown">, state: Shutdowns): Outcome {
  const { answerer, body } = command;
  const { requestId, approved } = body;
  const waiting = roundsWaitingFor(state, answerer);
  const meant = roundMeant(state, { answerer, requestId });
  if (waiting.length === 0) {
    return nothing("no-open-request", `No request to stop waits for ${answerer}; the answer is delivered as it is.`);
  }
  if (!approved) return refuseToStop(command, meant, waiting);
  // Who stops, stops for everybody who asked; the round it names comes first.
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
  command: Command<"answer-shutdown">,
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
  { answerer, body, claims, seq, atMs }: Command<"answer-shutdown">,
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
    claims: outcome === null ? [] : (entryOf(claims, answerer)[0]?.[1] ?? []),
    seq,
    atMs,
  };
}

/** The state that an approving answer leaves the work in; of the revisions only the first can say `error`. */
function workLeft({ stopStatus, finalStatus }: FactBodies["shutdown-response"]): WorkLeft {
  if (stopStatus === "error") return "error";
  return finalStatus === "in_progress" ? "in_progress" : "clean";
}

/** Work left behind weighs more than how long the answer took. */
function endingOf({ refusals, silences }: StoppingAgent, status: WorkLeft): Ending {
  if (status !== "clean") return status;
  if (refusals > 0) return "refused-then-clean";
  return silences > 0 ? "late" : "clean";
}

function passDeadline(command: Command<"pass-deadline">, state: Shutdowns): Outcome {
  const { seq, atMs } = command;
  const round = firstRoundDue(state, atMs);
  if (round === null) return ok({ events: [], notes: [] });
  const agents = stillWaiting(round).map(({ agent }) => agent);
  const { requestId, asked } = round;
  if (asked < askingsMax) {
    const dueAtMs = atMs + round.deadlineMs;
    return ok({
      events: [{ event: "shutdown-repeated", requestId, agents, asked: asked + 1, dueAtMs, seq }],
      notes: [],
    });
  }
  // Who is forced here has stopped for every other round that waits for it too.
  const rounds = new Set([round, ...agents.flatMap((agent) => roundsWaitingFor(state, agent))]);
  return ok({ events: forcedIn(state, [...rounds], agents, command), notes: [] });
}

function forcedIn(
  state: Shutdowns,
  rounds: readonly ShutdownRound[],
  agents: readonly string[],
  moment: Moment,
): readonly ShutdownEvent[] {
  return rounds.flatMap((round): readonly ShutdownEvent[] => {
    const { requestId } = round;
    const here = agents.filter((agent) => state.asked.get(agent)?.has(requestId) === true);
    const { seq, atMs } = moment;
    const claims = Object.fromEntries(here.flatMap((agent) => entryOf(moment.claims, agent)));
    const forced: ShutdownEvent = { event: "shutdown-forced", requestId, agents: here, claims, seq, atMs };
    if (here.length < round.waiting) return [forced];
    return [forced, endedEvent(round, new Map(here.map((agent) => [agent, "forced"])), moment)];
  });
}

/** What the agent holds, as entries of an object: one, or none. Agents' names may be those of an object's own parts. */
function entryOf(claims: Claims, agent: string): readonly (readonly [string, readonly string[]])[] {
  const held = Object.hasOwn(claims, agent) ? (claims[agent] ?? []) : [];
  return held.length === 0 ? [] : [[agent, held]];
}

/** Endings that leave nothing behind. */
const drained: readonly (Ending | null)[] = ["clean", "refused-then-clean", "late", "not_addressed"];

function endedEvent(round: ShutdownRound, last: ReadonlyMap<string, Ending>, moment: Moment): ShutdownEvent {
  const { seq, atMs } = moment;
  const isDrained = [...round.agents.values()].every((part) => {
    const ending = last.get(part.agent) ?? part.outcome;
    const claims = last.has(part.agent) ? entryOf(moment.claims, part.agent) : part.claims;
    return drained.includes(ending) && claims.length === 0;
  });
  const outcome = isDrained ? "complete" : "incomplete";
  return { event: "shutdown-ended", requestId: round.requestId, outcome, seq, atMs };
}

function keepAnswer(state: Shutdowns, event: Event<"shutdown-answered">): Shutdowns {
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

function keepForced(state: Shutdowns, event: Event<"shutdown-forced">, agent: string): void {
  const { requestId, seq, atMs } = event;
  const part = partIn(roundAt(state, requestId), agent);
  const claims = entryOf(event.claims, agent)[0]?.[1] ?? [];
  keepPart(state, requestId, { ...part, outcome: "forced", claims, seq, atMs });
}

function partIn(round: ShutdownRound, agent: string): StoppingAgent {
  const part = round.agents.get(agent);
  invariant(part !== undefined, `a round waits for agents that it asked: ${agent}`);
  return part;
}

function refused(code: Problem["code"], message: string): Outcome {
  return err([problem(code, "$.id", message, { hint: "Send the request with another id." })]);
}

function nothing(code: string, message: string): Outcome {
  return ok({ events: [], notes: [{ code, path: "$", message }] });
}
