/**
 * Rules between shutdown rounds and tasks: an agent that stops, is forced or leaves holds nothing any more, and the
 * round lists what it held. Source: docs/protocol/shutdown.md.
 */
import { invariant } from "../../base/invariant.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import type { FactBodies } from "../../message/fact-bodies.ts";
import type { ApprovalEvent } from "../approvals/approval-store.ts";
import { type Approvals, approvals } from "../approvals/approvals.ts";
import type { Decided } from "../decider.ts";
import { releaseAll } from "../tasks/claims.ts";
import type { WorkEvent } from "../tasks/task-events.ts";
import type { Work } from "../tasks/task-state.ts";
import type { ShutdownEvent } from "./shutdown-events.ts";
import { firstRoundDue, type Shutdowns, stillWaiting } from "./shutdown-rounds.ts";
import { type ShutdownCommand, shutdowns } from "./shutdowns.ts";

/** The part of the state that endings are decided on. */
interface State {
  readonly approvals: Approvals;
  readonly shutdowns: Shutdowns;
  readonly work: Work;
}

type EndingEvent = ApprovalEvent | ShutdownEvent | WorkEvent;
type Outcome = Result<Decided<EndingEvent>, readonly Problem[]>;
type Moment = { readonly seq: number; readonly atMs: number };

/** An agent's answer to a request to stop. Refuses what `shutdowns.ts` refuses. */
export function decideStop(
  state: State,
  answer: Moment & { readonly answerer: string; readonly body: FactBodies["shutdown-response"] },
): Outcome {
  const claims = claimsOf(state.work, [answer.answerer]);
  return withReleases(state, { command: "answer-shutdown", ...answer, claims });
}

/** Agents are taken out of the team: no round waits for them, and what they held is free. */
export function decideDeparture(
  state: State,
  departure: Moment & { readonly agents: readonly string[] },
): readonly EndingEvent[] {
  const { agents } = departure;
  const decided = shutdowns.decide(
    { command: "end-agents", ...departure, claims: claimsOf(state.work, agents) },
    state.shutdowns,
  );
  invariant(decided.ok, "a departure is never refused");
  const released = agents.flatMap((agent) => releaseAll(state.work, agent));
  return [...decided.value.events, ...released, ...closeRequests(state, agents, departure.atMs)];
}

function closeRequests(state: State, agents: readonly string[], atMs: number): readonly ApprovalEvent[] {
  const closed = approvals.decide({ command: "close-requests", agents, atMs }, state.approvals);
  invariant(closed.ok, "closing requests is never refused");
  return closed.value.events;
}

/** The deadline of a round that passed first, if one has. */
export function decideRoundDue(state: State, moment: Moment): readonly EndingEvent[] {
  const round = firstRoundDue(state.shutdowns, moment.atMs);
  if (round === null) return [];
  const waiting = stillWaiting(round).map(({ agent }) => agent);
  const decided = withReleases(state, { command: "pass-deadline", ...moment, claims: claimsOf(state.work, waiting) });
  invariant(decided.ok, "passing a deadline is never refused");
  return decided.value.events;
}

function withReleases(state: State, command: ShutdownCommand & { readonly atMs: number }): Outcome {
  const { atMs } = command;
  const decided = shutdowns.decide(command, state.shutdowns);
  if (!decided.ok) return decided;
  const { events, notes } = decided.value;
  const gone = stopped(events);
  const released = gone.flatMap((agent) => releaseAll(state.work, agent));
  return ok({ events: [...events, ...released, ...closeRequests(state, gone, atMs)], notes });
}

/** Agents that stop by these events, each once. */
function stopped(events: readonly ShutdownEvent[]): readonly string[] {
  const agents = events.flatMap((event) => {
    if (event.event === "shutdown-forced") return event.agents;
    return event.event === "shutdown-answered" && event.outcome !== null ? [event.answerer] : [];
  });
  return [...new Set(agents)];
}

/** The tasks that these agents hold, as written. */
function claimsOf(work: Work, agents: readonly string[]): { readonly [agent: string]: readonly string[] } {
  const held = agents.map((agent) => {
    const keys = [...(work.held.get(agent)?.keys() ?? [])];
    return [agent, keys.flatMap((key) => work.tasks.get(key)?.task ?? [])] as const;
  });
  return Object.fromEntries(held.filter(([, tasks]) => tasks.length > 0));
}
