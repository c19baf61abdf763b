/**
 * Rules between shutdown rounds and tasks: an agent that stops, is forced or leaves holds nothing any more. The round
 * lists what it held, and what agents left behind is kept with the round: a certificate says what was so, whatever
 * happens afterwards. Only a verdict that was still to come is added, once.
 * Source: docs/protocol/asking.md, sections 14 to 16.
 */

import { type Approvals, approvals } from "../../approvals/decide/approvals.ts";
import type { ApprovalEvent } from "../../approvals/state.ts";
import { invariant } from "../../base/invariant.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import type { Health } from "../../health/decide/health.ts";
import type { HealthEvent } from "../../health/state.ts";
import type { FactBodies } from "../../messages/fact-bodies.ts";
import type { Decided } from "../../perform/decider.ts";
import { releaseAll } from "../../tasks/decide/claims.ts";
import { isReverted, refutedAmong, refutedReporter } from "../../tasks/state/report-status.ts";
import type { TaskJudged, WorkEvent } from "../../tasks/state/task-events.ts";
import type { Task, Work } from "../../tasks/state/task-state.ts";
import type { ShutdownEvent } from "../state.ts";
import { firstRoundDue, roundAt, roundKey, type Shutdowns, stillWaiting, type WorkBehind } from "./shutdown-rounds.ts";
import { type PassAgents, type ShutdownCommand, shutdowns } from "./shutdowns.ts";

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

/** Agents that a round need not wait for. They keep what they hold, and no more is expected of a program that has ended. */
export function decidePassing(
  state: State & { readonly health: Health },
  { agents, ...passing }: Pick<PassAgents, "requestId" | "agents" | "seq" | "atMs">,
): readonly (ShutdownEvent | HealthEvent)[] {
  const { seq, atMs } = passing;
  // Whoever took a task since it was looked at works.
  const waits = agents.filter(({ agent, outcome }) => outcome === "gone" || !state.work.held.has(agent));
  const names = waits.map(({ agent }) => agent);
  const claims = claimsOf(state.work, names);
  const decided = shutdowns.decide({ command: "pass-agents", ...passing, agents: waits, claims }, state.shutdowns);
  invariant(decided.ok, "passing an agent by is never refused");
  const gone = decided.value.events.flatMap((event) =>
    event.event === "shutdown-passed" && event.outcome === "gone" ? event.agents : [],
  );
  const ended = gone.flatMap((agent): readonly HealthEvent[] => {
    const known = state.health.programs.get(agent);
    if (known === undefined || known.ended !== null) return [];
    return [{ event: "program-ended", agent, program: known.program, isHolding: false, seq, atMs }];
  });
  return [...decided.value.events, ...ended];
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

/** The agent's reports up to that entry that do not count as done and whose task nobody else has claimed since. */
export function reportsBehind(work: Work, agent: string, until: number): Omit<WorkBehind, "handoffs" | "unread"> {
  const judged: Task[] = [];
  const unverified: { readonly task: string; readonly report: number }[] = [];
  for (const each of work.tasks.values()) {
    const { task, claim, report, verdict } = each;
    if (report === null || report.seq > until) continue;
    const isTheirs = report.status === "complete" ? report.reporter === agent : refutedReporter(each) === agent;
    if (!isTheirs) continue;
    if (claim !== null && claim.holder !== agent) continue;
    // Who took landed work back said what is to become of it.
    if (isReverted(each)) continue;
    judged.push(each);
    if (verdict === null && report.awaitsVerdict === true) unverified.push({ task, report: report.seq });
  }
  return { ...refutedAmong(judged), unverified };
}

/** Keeps what each agent of a round that has just ended left behind, in place. */
export function keepBehind(state: Shutdowns, requestId: string, behind: ReadonlyMap<string, WorkBehind>): void {
  const round = roundAt(state, requestId);
  state.rounds.set(roundKey(round), { ...round, behind });
  if ([...behind.values()].some(({ unverified }) => unverified.length > 0)) state.unsettled.set(roundKey(round), true);
}

/** A verdict that a round's certificate still waits for has come, in place; later ones of the same report change nothing. */
export function settleVerdict(state: Shutdowns, { event, task, report }: TaskJudged): void {
  for (const key of state.unsettled.keys()) {
    const round = state.rounds.get(key);
    const behind = new Map(
      [...(round?.behind ?? [])].map(([agent, left]): [string, WorkBehind] => {
        const unverified = left.unverified.filter((each) => each.report !== report || each.task !== task);
        const isSettled = unverified.length < left.unverified.length;
        const disputed = isSettled && event === "task-disputed" ? [...left.disputed, task] : left.disputed;
        const gone = isSettled && (event === "task-gone" || event === "task-stale") ? [...left.gone, task] : left.gone;
        return [agent, { ...left, disputed, gone, unverified }];
      }),
    );
    if (round !== undefined) state.rounds.set(key, { ...round, behind });
    if ([...behind.values()].every(({ unverified }) => unverified.length === 0)) state.unsettled.delete(key);
  }
}
