/**
 * Shutdown rounds as they are kept: who was asked, what each answered, and the ways to find a round without looking at
 * all. The rules about them are `shutdowns.ts`.
 */
import { invariant } from "../../base/invariant.ts";
import { addDeadline, type Deadlines, dropEnded, passedDeadlines } from "../../perform/deadlines.ts";

/** Reasons for a shutdown, in the words of all dialects. */
export const shutdownReasons = ["phase_complete", "plan_complete", "user_abort", "timeout", "error"] as const;
export type ShutdownReason = (typeof shutdownReasons)[number];

/** In which state an agent leaves its work. */
export type WorkLeft = "clean" | "in_progress" | "error";

/** How an agent's part of a round ended; the words of the certificate. */
export type Ending = WorkLeft | "refused-then-clean" | "late" | "forced" | "not_addressed" | Passing;

/** Why nobody waits for an agent: its program has ended, or waits for input while the agent holds nothing. */
export type Passing = "gone" | "idle";

/** One agent's part of a round. */
export interface StoppingAgent {
  readonly agent: string;
  /** Its session: the one when it was asked, or the last that it began while the round waits for it. */
  readonly session: number;
  /** Null: the round waits for it. */
  readonly outcome: Ending | null;
  /** What it said of its work; null: it never said. */
  readonly status: WorkLeft | null;
  readonly pendingWork: readonly string[];
  /** Whether everything it wrote is committed, by its own word; null: it did not say. */
  readonly artifactsCommitted: boolean | null;
  /** How often it refused, and was asked again because it was silent. */
  readonly refusals: number;
  readonly silences: number;
  /** Tasks that it held when its part ended; they were released. */
  readonly claims: readonly string[];
  /** The asking that it has refused, so that it is asked again; 0: it was asked since, or did not refuse. */
  readonly refusedAt: number;
  /** The entry by which it joined the team during the round; absent: it was there when the round started. */
  readonly joinedSeq?: number;
  /** The entry that ended its part, and when; null: it goes on, or it was never asked. */
  readonly seq: number | null;
  readonly atMs: number | null;
}

/** Files that are not committed: how many, and the first of them. */
export interface UncommittedFiles {
  readonly count: number;
  readonly files: readonly string[];
  /** The commit that keeps those of the agent's own work tree; absent: none does. */
  readonly kept?: string;
}

/** What was not committed after a round: by agent, and what nobody had in hand. */
export interface Uncommitted {
  readonly agents: { readonly [agent: string]: UncommittedFiles };
  readonly others: UncommittedFiles;
}

/** What an agent left that the round does not hear from the agent itself. */
export interface WorkBehind {
  /** Tasks that it reported and that the repository contradicts. */
  readonly disputed: readonly string[];
  /** Tasks that it reported, that were verified, and whose work is not there any more. */
  readonly gone: readonly string[];
  /** Tasks that it reported and whose verdict is still to come, each with the entry of its report. */
  readonly unverified: readonly { readonly task: string; readonly report: number }[];
  /** Handoffs that it accepted, and neither completed nor handed on. */
  readonly handoffs: readonly string[];
  /** Messages that it had not acknowledged. */
  readonly unread: number;
}

/** One round: a request to stop, asked again of who refuses, until everybody has stopped or was made to. */
export interface ShutdownRound {
  /** The id that an answer names. */
  readonly requestId: string;
  readonly requester: string;
  readonly reason: string;
  /** The reason in the words of a first revision, where it was said so. */
  readonly stopReason: string | null;
  /** The reason in the requester's own words, where its program knows no closed list; absent: there are none. */
  readonly reasonText?: string;
  readonly teamName: string | null;
  /** The request named nobody, so an agent that joins is in the round too; absent: it named agents. */
  readonly everybody?: true;
  readonly phase: number | string | null;
  /** How long it waits for answers. */
  readonly deadlineMs: number;
  readonly startedAtMs: number;
  /** The most times that an agent was asked; the entries that asked, in order; and when the deadline is. */
  readonly asked: number;
  readonly seqs: readonly number[];
  readonly dueAtMs: number;
  readonly agents: ReadonlyMap<string, StoppingAgent>;
  /** How many agents it still waits for. */
  readonly waiting: number;
  readonly status: "open" | "complete" | "incomplete";
  readonly endedSeq: number | null;
  readonly endedAtMs: number | null;
  /** Absent: nobody looked, or there is no repository. */
  readonly uncommitted?: Uncommitted;
  /** What each agent left behind; absent: the round goes on. */
  readonly behind?: ReadonlyMap<string, WorkBehind>;
}

/** That an agent stopped in a round, and how. */
export interface Stop {
  readonly requestId: string;
  readonly session: number;
  readonly outcome: Ending;
  readonly seq: number;
  readonly atMs: number;
}

/** All rounds, and what finds them without looking at each. */
export interface Shutdowns {
  /** Every round by requester, `/`, request id, in the order they came. Agents' names hold no `/`. */
  readonly rounds: Map<string, ShutdownRound>;
  /** Key of the latest round of a request's id. While one is open, no other principal may use its id. */
  readonly byId: Map<string, string>;
  /** Ids of the open rounds that wait for an agent, oldest first. */
  readonly asked: Map<string, Map<string, true>>;
  /** The last stop of each agent; of one that nobody waited for only until it acts again. */
  readonly stops: Map<string, Stop>;
  /** Deadlines of open rounds by `deadlineKey`, in the accepting machine's milliseconds. */
  readonly deadlines: Deadlines;
  /** Keys of rounds that are over and whose certificates wait for verdicts. */
  readonly unsettled: Map<string, true>;
}

/** No rounds yet. */
export function noShutdowns(): Shutdowns {
  return {
    rounds: new Map(),
    byId: new Map(),
    asked: new Map(),
    stops: new Map(),
    deadlines: [],
    unsettled: new Map(),
  };
}

/** Open rounds that wait for this agent, oldest first. */
export function roundsWaitingFor(state: Shutdowns, agent: string): readonly ShutdownRound[] {
  return [...(state.asked.get(agent)?.keys() ?? [])].map((id) => roundAt(state, id));
}

/**
 * The round that an answer means: the one it names; else the newest of those that wait for the answerer, where one
 * requester made them all. Null: none waits, or nobody can say which of several is meant.
 */
export function roundMeant(
  state: Shutdowns,
  answer: { readonly answerer: string; readonly requestId: string | undefined },
): ShutdownRound | null {
  const waiting = roundsWaitingFor(state, answer.answerer);
  const named = waiting.find(({ requestId }) => requestId === answer.requestId);
  if (named !== undefined) return named;
  const newest = waiting.at(-1);
  return newest !== undefined && waiting.every(({ requester }) => requester === newest.requester) ? newest : null;
}

/** That agent's part of a round that includes it. */
export function partIn(round: ShutdownRound, agent: string): StoppingAgent {
  const part = round.agents.get(agent);
  invariant(part !== undefined, `a round waits for agents that it asked: ${agent}`);
  return part;
}

/** Agents that a round waits for and that have refused, so that they are asked again at once. */
export function refusing(round: ShutdownRound): readonly StoppingAgent[] {
  return stillWaiting(round).filter(({ refusedAt }) => refusedAt > 0);
}

/** Agents that a round still waits for, in the order they were asked. */
export function stillWaiting(round: ShutdownRound): readonly StoppingAgent[] {
  return [...round.agents.values()].filter(({ outcome }) => outcome === null);
}

/** When the next deadline passes, in the accepting machine's milliseconds; null: no round is open. */
export function nextRoundDeadline(state: Shutdowns): number | null {
  return state.deadlines[0]?.[0] ?? null;
}

/** The round whose deadline passed first, at `atMs` or before; null: none has. */
export function firstRoundDue(state: Shutdowns, atMs: number): ShutdownRound | null {
  const due = passedDeadlines(state.deadlines, atMs)
    .flatMap((key) => roundOfDeadline(state, key) ?? [])
    .toSorted((a, b) => a.dueAtMs - b.dueAtMs || (a.seqs[0] ?? 0) - (b.seqs[0] ?? 0));
  return due[0] ?? null;
}

/** Keeps a new round and every way to find it, in place. */
export function keepRound(state: Shutdowns, round: ShutdownRound): Shutdowns {
  state.rounds.set(roundKey(round), round);
  state.byId.set(round.requestId, roundKey(round));
  for (const { agent } of stillWaiting(round)) {
    const ids = state.asked.get(agent) ?? new Map<string, true>();
    ids.set(round.requestId, true);
    state.asked.set(agent, ids);
  }
  addDeadline(state.deadlines, round.dueAtMs, deadlineKey(round));
  return state;
}

/** Changes one agent's part of a round, in place; one that ends it is a stop. */
export function keepPart(state: Shutdowns, requestId: string, part: StoppingAgent): Shutdowns {
  const round = roundAt(state, requestId);
  const agents = round.agents as Map<string, StoppingAgent>; // Ours: the state's own map, changed in place.
  const hadEnded = agents.get(part.agent)?.outcome !== null;
  agents.set(part.agent, part);
  const { agent, session, outcome, seq, atMs } = part;
  if (outcome === null || hadEnded) return state;
  state.rounds.set(roundKey(round), { ...round, waiting: round.waiting - 1 });
  // Who stops in several rounds at once stops by the first, which is the one that it answers.
  if (seq !== null && atMs !== null && state.stops.get(agent)?.seq !== seq)
    state.stops.set(agent, { requestId, session, outcome, seq, atMs });
  const ids = state.asked.get(agent);
  ids?.delete(requestId);
  if (ids?.size === 0) state.asked.delete(agent);
  return dropPassed(state);
}

/** Notes that an agent acts again for which nobody waited, in place. */
export function keepBack({ stops }: Pick<Shutdowns, "stops">, agent: string): void {
  if (passingOf({ stops }, agent) !== null) stops.delete(agent);
}

/** The stop of an agent for which nobody waited, and that has not acted since; null: there is none. */
export function passingOf({ stops }: Pick<Shutdowns, "stops">, agent: string): Stop | null {
  const stop = stops.get(agent);
  return stop?.outcome === "gone" || stop?.outcome === "idle" ? stop : null;
}

/** Keeps a refusal, in place: its agent is asked again from now on. */
export function keepRefusal(state: Shutdowns, requestId: string, part: StoppingAgent, atMs: number): Shutdowns {
  addDeadline(state.deadlines, atMs, `${againMark}${roundKey(roundAt(state, requestId))}`);
  return keepPart(state, requestId, part);
}

/** Keeps an agent that joined during a round, in place. It is not asked, so the round does not wait for it. */
export function keepJoined(state: Shutdowns, requestId: string, part: StoppingAgent): Shutdowns {
  const agents = roundAt(state, requestId).agents as Map<string, StoppingAgent>; // Ours: the state's own map.
  agents.set(part.agent, part);
  return state;
}

/** Open rounds of everybody in which this agent does not belong, though it did not ask for them either. */
export function roundsWithout(state: Shutdowns, agent: string): readonly ShutdownRound[] {
  // The deadlines name every open round, and no other.
  const open = new Set(state.deadlines.flatMap(([, key]) => roundOfDeadline(state, key) ?? []));
  return [...open].filter((round) => round.everybody === true && round.requester !== agent && !round.agents.has(agent));
}

/** Asks again, in place; in an older journal with a new deadline. */
export function keepAsking(
  state: Shutdowns,
  requestId: string,
  { asked, dueAtMs, seq }: Pick<ShutdownRound, "asked" | "dueAtMs"> & { readonly seq: number },
): Shutdowns {
  const round = roundAt(state, requestId);
  const again = { ...round, asked: Math.max(round.asked, asked), dueAtMs, seqs: [...round.seqs, seq] };
  state.rounds.set(roundKey(round), again);
  if (dueAtMs !== round.dueAtMs) addDeadline(state.deadlines, dueAtMs, deadlineKey(again));
  return dropPassed(state);
}

/** Ends a round, in place; it is found by its id only, from then on. */
export function closeRound(
  state: Shutdowns,
  requestId: string,
  end: Pick<ShutdownRound, "status" | "endedSeq" | "endedAtMs">,
): Shutdowns {
  const round = roundAt(state, requestId);
  state.rounds.set(roundKey(round), { ...round, ...end });
  return dropPassed(state);
}

/** An agent that a round waits for began a new session: it is that one that the round stops. In place. */
export function keepSessions(state: Shutdowns, sessionOf: (agent: string) => number | null): void {
  for (const agent of state.asked.keys()) {
    const session = sessionOf(agent);
    for (const round of session === null ? [] : roundsWaitingFor(state, agent)) {
      const part = partIn(round, agent);
      if (session !== null && part.session !== session) keepPart(state, round.requestId, { ...part, session });
    }
  }
}

/** Keeps what was found after a round, in place. */
export function keepInspection(state: Shutdowns, requestId: string, uncommitted: Uncommitted): Shutdowns {
  const round = roundAt(state, requestId);
  state.rounds.set(roundKey(round), { ...round, uncommitted });
  return state;
}

/** The latest round of that id, or null: none was started. */
export function latestRound(state: Shutdowns, requestId: string): ShutdownRound | null {
  return state.rounds.get(state.byId.get(requestId) ?? "") ?? null;
}

/** The key of a round: agents' names hold no `/`, so two rounds never share one. */
export function roundKey({ requester, requestId }: Pick<ShutdownRound, "requester" | "requestId">): string {
  return `${requester}/${requestId}`;
}

/** The latest round of that id, which is kept. */
export function roundAt(state: Shutdowns, requestId: string): ShutdownRound {
  const round = latestRound(state, requestId) ?? undefined;
  invariant(round !== undefined, `an index of shutdown rounds names one that is kept: ${requestId}`);
  return round;
}

/**
 * Names one deadline of one round: an earlier one means nothing any more, nor does one of another requester's round that
 * had the same id and is over.
 */
function deadlineKey(round: ShutdownRound): string {
  return `${round.dueAtMs}/${roundKey(round)}`;
}

/** What begins the key of a round in which somebody who refused is to be asked again. */
const againMark = "again/";

function roundOfDeadline(state: Shutdowns, key: string): ShutdownRound | null {
  const round = state.rounds.get(key.slice(key.indexOf("/") + 1));
  if (round?.status !== "open") return null;
  return deadlineKey(round) === key || (key.startsWith(againMark) && refusing(round).length > 0) ? round : null;
}

function dropPassed(state: Shutdowns): Shutdowns {
  dropEnded(state.deadlines, (key) => roundOfDeadline(state, key) !== null);
  return state;
}
