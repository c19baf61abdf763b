/**
 * The start of a shutdown round: who is in it, and how long a request waits. Source: docs/protocol/asking.md,
 * sections 14 to 16.
 */
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { FactBodies } from "../../messages/fact-bodies.ts";
import type { Note } from "../../messages/message.ts";
import { type Decided, nothing } from "../../perform/decider.ts";
import type { ShutdownEvent } from "../state.ts";
import {
  latestRound,
  roundKey,
  roundsWaitingFor,
  roundsWithout,
  type ShutdownRound,
  type Shutdowns,
  type StoppingAgent,
} from "./shutdown-rounds.ts";

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

type Outcome = Result<Decided<ShutdownEvent>, readonly Problem[]>;

/**
 * Begins a round and asks for the first time; repeating the request changes nothing. Refuses `id-taken` and
 * `id-conflict`. Where nobody must be waited for, the round is over at once.
 */
export function startRound(command: StartRound, state: Shutdowns): Outcome {
  const { requestId, requester, seq, atMs, body } = command;
  const holder = latestRound(state, requestId);
  if (holder?.standing === "open" && holder.requester !== requester) {
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
    standing: "open" as const,
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
