/**
 * Shutdown rounds: every addressed agent is asked to stop, with a deadline; who refuses is asked again at once, three more
 * times; who then has not stopped, or by the deadline, or is removed from the team, is forced. So a round always ends,
 * and its outcome is complete only where nobody left work behind. Source: docs/protocol/asking.md, sections 14 to 16.
 */
import { unreachable } from "../../base/invariant.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { FactBodies } from "../../messages/fact-bodies.ts";
import type { Note } from "../../messages/message.ts";
import { type Decided, type Decider, nothing } from "../../perform/decider.ts";
import {
  type Claims,
  heldBy,
  type ShutdownAnswered,
  type ShutdownEnded,
  type ShutdownEvent,
  type ShutdownForced,
  type ShutdownInspected,
  type ShutdownPassed,
} from "../state.ts";
import {
  closeRound,
  type Ending,
  firstRoundDue,
  keepAsking,
  keepInspection,
  keepJoined,
  keepPart,
  keepRefusal,
  keepRound,
  latestRound,
  noShutdowns,
  type Passing,
  partIn,
  refusing,
  roundAt,
  roundKey,
  roundMeant,
  roundsWaitingFor,
  roundsWithout,
  type ShutdownRound,
  type Shutdowns,
  type StoppingAgent,
  stillWaiting,
  type Uncommitted,
  type WorkLeft,
} from "./shutdown-rounds.ts";

/** Orders that shutdown rounds take. */
export type ShutdownCommand = StartRound | AnswerShutdown | PassDeadline | EndAgents | PassAgents | InspectRound;

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
      case "pass-agents":
        return ok({ events: passAgents(command, state), notes: [] });
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
    return nothing("no-open-request", `No request to stop waits for ${answerer}.`);
  }
  const named = requestId === undefined ? null : latestRound(state, requestId);
  if (named !== null && named.status !== "open" && named.agents.has(answerer)) {
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

/** A refusal counts once an asking; the agent works on and is asked again. */
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
  if (partIn(meant, answerer).refusedAt > 0)
    return nothing("answer-unchanged", `${answerer} refused "${meant.requestId}" before; it is asked again.`);
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
      for (const agent of event.agents) keepAgain(state, event.requestId, agent);
      return keepAsking(state, event.requestId, event);
    case "shutdown-forced":
      for (const agent of event.agents) keepEnd(state, event, agent, "forced");
      return state;
    case "shutdown-passed":
      for (const agent of event.agents) keepEnd(state, event, agent, event.outcome);
      return state;
    case "shutdown-ended":
      return closeRound(state, event.requestId, {
        status: event.outcome,
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
  const part = partIn(roundAt(state, event.requestId), event.answerer);
  const { outcome, status, pendingWork, artifactsCommitted, claims, seq, atMs } = event;
  const said = { pendingWork, artifactsCommitted, claims };
  if (outcome !== null) return keepPart(state, event.requestId, { ...part, ...said, outcome, status, seq, atMs });
  const refusals = part.refusals + 1;
  return keepRefusal(state, event.requestId, { ...part, ...said, refusals, refusedAt: askingsOf(part) }, atMs);
}

/** Asked again; in an older journal also who had not even refused, and was silent. */
function keepAgain(state: Shutdowns, requestId: string, agent: string): void {
  const part = partIn(roundAt(state, requestId), agent);
  const silences = part.refusedAt === 0 ? part.silences + 1 : part.silences;
  keepPart(state, requestId, { ...part, silences, refusedAt: 0 });
}

/** How often an agent was asked. */
function askingsOf({ refusals, silences }: StoppingAgent): number {
  return 1 + refusals + silences;
}

function keepEnd(
  state: Shutdowns,
  event: Pick<ShutdownForced, "requestId" | "claims" | "seq" | "atMs">,
  agent: string,
  outcome: Ending,
): void {
  const { requestId, seq, atMs } = event;
  const part = partIn(roundAt(state, requestId), agent);
  const claims = heldBy(event.claims, agent);
  keepPart(state, requestId, { ...part, outcome, claims, seq, atMs });
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
  if (round === null || round.status === "open" || round.uncommitted !== undefined) {
    return nothing("out-of-step", `The round "${requestId}" takes no inspection now.`);
  }
  return ok({ events: [{ event: "shutdown-inspected", requestId, uncommitted, seq }], notes: [] });
}

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

/** Asks agents to stop. */
export interface StartRound {
  readonly command: "start-round";
  readonly requestId: string;
  readonly requester: string;
  readonly body: Pick<FactBodies["shutdown-request"], "reason" | "stopReason" | "teamName">;
  /** Its own words for the reason, next to the protocol's; absent: none. */
  readonly reasonText?: string;
  readonly phase: number | string | null;
  /** Null: the usual one. */
  readonly deadlineMs: number | null;
  readonly agents: readonly AskedAgent[];
  /** The request names nobody: who joins during the round is in it. */
  readonly everybody?: boolean;
  readonly seq: number;
  readonly atMs: number;
}

/**
 * Begins a round and asks for the first time; repeating the request changes nothing. Refuses `id-taken` and
 * `id-conflict`. Where nobody must be waited for, the round is over at once.
 */
function startRound(command: StartRound, state: Shutdowns): Outcome {
  const { requestId, requester, seq, atMs, body } = command;
  const holder = latestRound(state, requestId);
  if (holder?.status === "open" && holder.requester !== requester) {
    return refused("id-taken", `${holder.requester} has an open request with the id "${requestId}".`);
  }
  const before = state.rounds.get(roundKey(command));
  if (before !== undefined) return startedBefore(command, before);
  const { deadlineMs, notes: ofDeadline } = deadlineOf(command.deadlineMs);
  const notes = [...ofDeadline, ...besides(command, state)];
  const agents = command.agents.filter(({ agent }) => agent !== requester).map(partOf);
  const waiting = agents.filter(({ outcome }) => outcome === null).length;
  const round = {
    requestId,
    requester,
    reason: body.reason,
    stopReason: body.stopReason ?? null,
    ...(command.reasonText === undefined ? {} : { reasonText: command.reasonText }),
    teamName: body.teamName ?? null,
    ...(command.everybody === true ? { everybody: true as const } : {}),
    phase: command.phase,
    deadlineMs,
    startedAtMs: atMs,
    asked: 1,
    seqs: [seq],
    dueAtMs: atMs + deadlineMs,
    agents,
    waiting,
    status: "open" as const,
    endedSeq: null,
    endedAtMs: null,
  };
  const started: ShutdownEvent = { event: "shutdown-started", round };
  if (waiting > 0) return ok({ events: [started], notes });
  return ok({ events: [started, { event: "shutdown-ended", requestId, outcome: "complete", seq, atMs }], notes });
}

function startedBefore({ requestId, body }: StartRound, before: ShutdownRound): Outcome {
  const started = before.seqs[0] ?? 0;
  if (before.reason !== body.reason) {
    return refused("id-conflict", `The id "${requestId}" names another request to stop, at entry ${started}.`);
  }
  return nothing("request-unchanged", `The round "${requestId}" was started before, at entry ${started}.`);
}

/**
 * What follows in open rounds of everybody for agents that join the team: they are in the certificate and are not
 * asked, because the request was made before they came. Rule: docs/protocol/asking.md, section 14.
 */
export function joinRounds(
  state: Shutdowns,
  joined: readonly Pick<AskedAgent, "agent" | "session">[],
  seq: number,
): readonly ShutdownEvent[] {
  const byRound = new Map<string, StoppingAgent[]>();
  for (const each of joined)
    for (const { requestId } of roundsWithout(state, each.agent)) {
      const part = { ...partOf({ ...each, addressed: false }), joinedSeq: seq };
      byRound.set(requestId, [...(byRound.get(requestId) ?? []), part]);
    }
  return [...byRound].map(([requestId, agents]) => ({ event: "shutdown-joined", requestId, agents }));
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

/** A caller that repeats it under another id may not know that the agents are being asked already. */
function besides({ agents, requester }: StartRound, state: Shutdowns): readonly Note[] {
  const asked = agents.filter(({ agent, addressed }) => addressed && agent !== requester);
  const open = new Set(asked.flatMap(({ agent }) => roundsWaitingFor(state, agent).map(({ requestId }) => requestId)));
  return [...open].map((requestId) => ({
    code: "asked-already",
    path: "$.id",
    message: `The round "${requestId}" still waits for some of these agents, and continues next to this one.`,
  }));
}

function deadlineOf(given: number | null): { readonly deadlineMs: number; readonly notes: readonly Note[] } {
  if (given === null) return { deadlineMs: shutdownDeadlineMs, notes: [] };
  if (given > 0 && given <= shutdownDeadlineMsMax) return { deadlineMs: Math.ceil(given), notes: [] };
  const deadlineMs = given > 0 ? shutdownDeadlineMsMax : shutdownDeadlineMs;
  const message = `A deadline is more than 0 s and at most ${shutdownDeadlineMsMax / 1000} s; taken as ${deadlineMs / 1000} s.`;
  return { deadlineMs, notes: [{ code: "deadline-changed", path: "$.body.deadlineSeconds", message }] };
}

function refused(code: Problem["code"], message: string): Outcome {
  return err([makeProblem(code, "$.id", message, { hint: "Send the request with another id." })]);
}

/** How often an agent is asked that refuses: once, and three more times. */
export const askingsMax = 4;

/** What is due first, of one round: each is a separate entry. `claims`: what those hold who wait. */
interface PassDeadline {
  readonly command: "pass-deadline";
  readonly claims: Claims;
  readonly seq: number;
  readonly atMs: number;
}

/** Somebody else took the agents out of the team. `claims`: what they hold. */
interface EndAgents {
  readonly command: "end-agents";
  readonly agents: readonly string[];
  readonly claims: Claims;
  readonly seq: number;
  readonly atMs: number;
}

/** What is due first, if anything is: who has refused is asked again, or forced, and at the deadline everybody. */
function passDeadline(command: PassDeadline, state: Shutdowns): Decided<ShutdownEvent> {
  const { seq, atMs } = command;
  const round = firstRoundDue(state, atMs);
  if (round === null) return { events: [], notes: [] };
  const { requestId, dueAtMs } = round;
  const [refuser] = dueAtMs <= atMs ? [] : refusing(round);
  if (refuser !== undefined && refuser.refusals < askingsMax) {
    const again = { agents: [refuser.agent], asked: askingsOf(refuser), dueAtMs };
    return { events: [{ event: "shutdown-repeated", requestId, ...again, seq }], notes: [] };
  }
  const agents = refuser === undefined ? stillWaiting(round).map(({ agent }) => agent) : [refuser.agent];
  // Who is forced here has stopped for every other round that waits for it too.
  const rounds = new Set([round, ...agents.flatMap((agent) => roundsWaitingFor(state, agent))]);
  return { events: forcedIn(state, [...rounds], agents, command), notes: [] };
}

/** Ends the agents' parts of every round that waits for them. */
function endAgents(command: EndAgents, state: Shutdowns): Decided<ShutdownEvent> {
  const { agents } = command;
  const rounds = new Set(agents.flatMap((agent) => roundsWaitingFor(state, agent)));
  return { events: forcedIn(state, [...rounds], agents, command), notes: [] };
}

/** Agents that nobody has to wait for. `claims`: what they hold. */
export interface PassAgents {
  readonly command: "pass-agents";
  readonly requestId: string;
  readonly agents: readonly { readonly agent: string; readonly outcome: Passing }[];
  readonly claims: Claims;
  readonly seq: number;
  readonly atMs: number;
}

/** Ends the parts of those for whom the round still waits. */
function passAgents(
  { requestId, agents, claims, seq, atMs }: PassAgents,
  state: Shutdowns,
): readonly (ShutdownPassed | ShutdownEnded)[] {
  const here = agents.filter(({ agent }) => state.asked.get(agent)?.has(requestId) === true);
  const outcomes = [...new Set(here.map(({ outcome }) => outcome))];
  const passed = outcomes.map((outcome): ShutdownPassed => {
    const names = here.flatMap((each) => (each.outcome === outcome ? [each.agent] : []));
    const held = names.map((agent) => [agent, heldBy(claims, agent)] as const);
    const theirs = Object.fromEntries(held.filter(([, tasks]) => tasks.length > 0));
    return { event: "shutdown-passed", requestId, agents: names, outcome, claims: theirs, seq, atMs };
  });
  const round = latestRound(state, requestId);
  if (round === null || here.length === 0 || here.length < round.waiting) return passed;
  const last = new Map(here.map(({ agent, outcome }) => [agent, outcome]));
  return [...passed, endedEvent(round, last, { seq, atMs, claims })];
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
const drained: readonly (Ending | null)[] = ["clean", "refused-then-clean", "late", "not_addressed", "gone", "idle"];

/** How the part of an agent that stops ends. Work left behind weighs more than how long the answer took. */
function endingOf({ refusals, silences }: StoppingAgent, status: WorkLeft): Ending {
  if (status !== "clean") return status;
  if (refusals > 0) return "refused-then-clean";
  return silences > 0 ? "late" : "clean";
}

/** The end of a round whose `last` parts end by this very entry; `claims`: what those agents hold. */
function endedEvent(round: ShutdownRound, last: ReadonlyMap<string, Ending>, moment: Moment): ShutdownEnded {
  const { seq, atMs } = moment;
  const isDrained = [...round.agents.values()].every((part) => {
    const ending = last.get(part.agent) ?? part.outcome;
    const claims = last.has(part.agent) ? heldBy(moment.claims, part.agent) : part.claims;
    return drained.includes(ending) && claims.length === 0;
  });
  const outcome = isDrained ? "complete" : "incomplete";
  return { event: "shutdown-ended", requestId: round.requestId, outcome, seq, atMs };
}
