/**
 * Rules between health, tasks and breakers: an agent that disappears loses its claims and is counted; one that sends
 * heartbeats again is known to be there; a new one begins to work only if the breaker allows it. Source:
 * docs/protocol/asking.md, sections 17 to 19.
 */
import { invariant } from "../../base/invariant.ts";
import type { Problem } from "../../base/problem.ts";
import type { Result } from "../../base/result.ts";
import { type Escalations, heldUp } from "../../escalations/state.ts";
import { earliestSign, keepSignOf, settleWatch } from "../../perform/deadlines.ts";
import type { Decided } from "../../perform/decider.ts";
import { keepBack, passingOf, type Shutdowns } from "../../shutdown/decide/shutdown-rounds.ts";
import { releaseAll } from "../../tasks/decide/claims.ts";
import { leases, recordedSign, silentHolders, type WaitingTask } from "../../tasks/decide/leases.ts";
import { keepSign } from "../../tasks/state/claim-events.ts";
import type { WorkEvent } from "../../tasks/state/task-events.ts";
import { findTask, type Work } from "../../tasks/state/task-state.ts";
import type { BreakerLimits } from "../../team/state/definition.ts";
import type { AgentDisappeared, BreakerEvent, BreakerScope, HealthEvent } from "../state.ts";
import { type Breakers, barredBy, breakers } from "./breakers.ts";
import {
  type BeginProgram,
  dropVitals,
  type EndProgram,
  type Health,
  health,
  isExpected,
  isLost,
  keepActAfterEnd,
  keepStart,
  silentPrograms,
} from "./health.ts";

/** The part of the state that recovery is decided on. */
interface State {
  readonly health: Health;
  readonly breakers: Breakers;
  readonly escalations: Escalations;
  readonly work: Work;
  readonly shutdowns: Pick<Shutdowns, "stops">;
}

/** An agent as the roster has it. */
export interface AgentSession {
  readonly session: number;
  /** The breaker that counts it and lets it in; null: none does. */
  readonly scope: BreakerScope | null;
}

/** What silence is judged by. */
export interface SilenceMoment {
  readonly atMs: number;
  /** How long a holder must have been silent before its lease is over. */
  readonly silentMs: number;
  /** How long a program must have been silent before its agent has disappeared. */
  readonly unseenMs: number;
  /** Since when heartbeats could be received: silence before that does not count. Absent: always. */
  readonly listeningSinceMs?: number;
  readonly breakerLimits: BreakerLimits;
  readonly seq: number;
  /** An agent's last heartbeat outside the record. */
  signOf(agent: string): number | null;
  sessionOf(agent: string): AgentSession;
}

type RecoveryEvent = HealthEvent | BreakerEvent | WorkEvent;

/** Since when, by the record alone, the program is silent that is so for the longest; null: none is expected. */
export function longestUnseen(state: Pick<State, "health">): number | null {
  return earliestSign(state.health);
}

/** What silence brings: leases end, agents disappear, what they held is free, their breakers count them. */
export function decideSilence(state: State, moment: SilenceMoment): readonly RecoveryEvent[] {
  const leases = endLeases(state, moment);
  const expired = leases.flatMap((event) => (event.event === "leases-expired" ? event.holders : []));
  const kept = new Set(
    leases.flatMap((event) => (event.event === "claims-kept" ? event.holders.map(({ holder }) => holder) : [])),
  );
  // An agent whose claim is kept for a second lease has until then.
  const leaseOver = expired.map(({ holder }) => holder).filter((holder) => !kept.has(holder));
  const told = loseAgents(state, moment, leaseOver);
  const lost = told.filter((event) => event.event === "agent-disappeared");
  // Those whose lease is over too have lost that by it.
  const ended = new Set(expired.flatMap(({ tasks }) => tasks));
  const released = lost
    .flatMap(({ agent }) => releaseAll(state.work, agent, "disappeared"))
    .filter((event) => event.event === "files-freed" || !ended.has(event.key));
  return [...told, ...withoutLost(leases, lost), ...released, ...countLost(state, moment, lost)];
}

/** Nothing is kept for an agent that has disappeared. */
function withoutLost(leases: readonly WorkEvent[], lost: readonly AgentDisappeared[]): readonly WorkEvent[] {
  const isLostNow = new Set(lost.map(({ agent }) => agent));
  return leases.flatMap((event): readonly WorkEvent[] => {
    if (event.event !== "claims-kept") return [event];
    const holders = event.holders.filter(({ holder }) => !isLostNow.has(holder));
    return holders.length === 0 ? [] : [{ ...event, holders }];
  });
}

/** What time brings to breakers: they become half-open, or their probe has shown life, or has not. */
export function decideBreakersDue(state: State, moment: SilenceMoment): readonly BreakerEvent[] {
  const { seq, atMs, breakerLimits: limits, signOf } = moment;
  const probes = [...state.breakers.values()].flatMap(({ probe }) => probe ?? []);
  const signs = probes.map(({ agent }) => [agent, signOf(agent) ?? 0] as const);
  const passed = breakers.decide({ command: "pass-time", signs, limits, seq, atMs }, state.breakers);
  invariant(passed.ok, "time is never refused");
  return passed.value.events;
}

/** What follows from a heartbeat, beyond its own entry; nothing for an agent that is known to be there. */
export function decideHeartbeat(
  state: State,
  { agent, session, scope, atMs }: AgentSession & { readonly agent: string; readonly atMs: number },
): readonly (HealthEvent | BreakerEvent)[] {
  const breaker = scope === null ? undefined : state.breakers.get(scope);
  const isWaiting = breaker !== undefined && breaker.state !== "closed" && isNewSince(state, agent, breaker.sinceSeq);
  if (!isLost(state.health, agent) && !isWaiting) return [];
  const returned = health.decide({ command: "return-agent", agent, session, atMs }, state.health);
  const shown =
    scope === null || !isWaiting
      ? null
      : breakers.decide({ command: "show-agent", scope, agent, atMs }, state.breakers);
  invariant(returned.ok && shown?.ok !== false, "being heard is never refused");
  return [...returned.value.events, ...(shown?.value.events ?? [])];
}

/** A program takes its agent's place; no events where it has it. */
export function beginProgram(state: Pick<State, "health">, begun: Omit<BeginProgram, "command">): Decided<HealthEvent> {
  const decided = health.decide({ command: "begin-program", ...begun }, state.health);
  invariant(decided.ok, "a program's beginning is never refused");
  return decided.value;
}

/** A program leaves its agent's place; in mid-work its agent is expected to show itself by another way. */
export function endProgram(
  state: Pick<State, "health" | "work">,
  ended: Omit<EndProgram, "command" | "isHolding">,
): Decided<HealthEvent> {
  const isHolding = state.work.held.has(ended.agent);
  const decided = health.decide({ command: "end-program", ...ended, isHolding }, state.health);
  invariant(decided.ok, "a program's end is never refused");
  return decided.value;
}

/**
 * Whether a new agent may be registered. Refuses `breaker-open`; the one that is let in by a half-open breaker is its
 * probe.
 */
export function decideAdmission(
  state: State,
  admission: {
    readonly agent: string;
    readonly scope: BreakerScope;
    readonly byPerson?: boolean;
    readonly limits: BreakerLimits;
    readonly atMs: number;
  },
): Result<Decided<BreakerEvent>, readonly Problem[]> {
  return breakers.decide({ command: "admit-agent", ...admission }, state.breakers);
}

/** Why the agent may not claim anything; null: its breaker lets it, or none counts it (`scope` null or absent). */
export function barOf(
  state: Pick<State, "health" | "breakers">,
  agent: string,
  scope: BreakerScope | null | undefined,
): Problem | null {
  if (scope === null || scope === undefined) return null;
  return barredBy(state.breakers.get(scope), agent, state.health.agents.get(agent)?.startedSeq ?? null);
}

/** An entry of an agent's own. */
export interface OwnAct {
  readonly agent: string;
  /** Its present session; null: it is not one of the team, or not active. */
  readonly session: number | null;
  readonly seq: number;
  readonly atMs: number;
  /** It says that its program ends, or answers a stop that is over, or was refused. */
  readonly isEnd?: boolean;
}

/** Notes that an entry of the agent's own was recorded, which shows that it is there. In place. */
export function keepAct(state: State, { agent, session, seq, atMs, isEnd = false }: OwnAct): void {
  if (state.work.held.has(agent)) keepSign(state.work, agent, atMs);
  // Whose program ends after the stop of the day, or answers that too late, has not begun again.
  if (!isEnd) keepBack(state.shutdowns, agent);
  if (session !== null) {
    keepStart(state.health, agent, { session, startedSeq: seq });
    keepActAfterEnd(state.health, agent, seq);
  }
  if (state.health.silence.length === 0) return;
  const isAwaited = awaited(state);
  if (isAwaited(agent)) keepSignOf(state.health, isAwaited, agent, atMs);
  else settleWatch(state.health, isAwaited);
}

/** Forgets the health of everybody who is gone or began a new session. `sessionOf`: null for who is not active. In place. */
export function keepRoster(state: Pick<State, "health">, sessionOf: (agent: string) => number | null): void {
  for (const [agent, { session }] of state.health.agents)
    if (sessionOf(agent) !== session) dropVitals(state.health, agent);
}

function endLeases(state: State, moment: SilenceMoment): readonly WorkEvent[] {
  const { atMs, silentMs } = moment;
  const silent = silentHolders(state.work, atMs, silentMs);
  const signs = silent.map((agent) => [agent, signWhileGone(state, moment, agent)] as const);
  const waiting = silent.map((agent) => [agent, waitingTasks(state, agent)] as const);
  return leases.expire({ signs, waiting, atMs, silentMs }, state.work);
}

/** An agent whose program had ended when the team stopped keeps its tasks until the next hub, which waits for a lease. */
function signWhileGone(
  { shutdowns }: Pick<State, "shutdowns">,
  { atMs, listeningSinceMs = 0, signOf }: SilenceMoment,
  agent: string,
): number {
  const signMs = signOf(agent) ?? 0;
  const stop = passingOf(shutdowns, agent);
  if (stop === null || signMs > stop.atMs) return signMs;
  return listeningSinceMs > stop.atMs ? listeningSinceMs : atMs;
}

/** The tasks in the agent's hands for which it waits for a decision, or has one and has not gone on. */
function waitingTasks(state: Pick<State, "escalations" | "work">, agent: string): readonly WaitingTask[] {
  return heldUp(state.escalations, agent).flatMap(({ id, task, plan, decision }) => {
    const known = task === null ? null : findTask(state.work, task, plan);
    if (known?.claim?.holder !== agent) return [];
    return [{ key: known.key, task: known.task, escalation: id, decidedAtMs: decision?.atMs ?? null }];
  });
}

function loseAgents(state: State, moment: SilenceMoment, expired: readonly string[]): readonly HealthEvent[] {
  const { atMs, unseenMs, listeningSinceMs = 0, signOf, sessionOf } = moment;
  const isAwaited = awaited(state);
  const isTold = listeningSinceMs + unseenMs <= atMs;
  const silent = isTold ? silentPrograms(state.health, isAwaited, { atMs, silentMs: unseenMs }) : [];
  const leaseOver = expired.filter((agent) => !isAwaited(agent));
  if (silent.length === 0 && leaseOver.length === 0) return [];
  const asked = silent.length === 0 ? leaseOver : [...state.health.signs.keys()].filter(isAwaited);
  const signs = [...new Set([...asked, ...leaseOver])].map(
    (agent) => [agent, lastSignOf(state, agent, signOf)] as const,
  );
  const sessions = Object.fromEntries(
    [...silent, ...leaseOver].map((agent) => {
      const { session } = sessionOf(agent);
      return [agent, { session, tasks: tasksOf(state.work, agent) }] as const;
    }),
  );
  const passed = health.decide(
    { command: "pass-silence", signs, silent, unseenMs, leaseOver, sessions, atMs },
    state.health,
  );
  invariant(passed.ok, "silence is never refused");
  return passed.value.events;
}

function countLost(
  state: State,
  { seq, atMs, breakerLimits: limits, sessionOf }: SilenceMoment,
  lost: readonly AgentDisappeared[],
): readonly BreakerEvent[] {
  const byScope = new Map<BreakerScope, string[]>();
  for (const { agent } of lost) {
    const { scope } = sessionOf(agent);
    if (scope !== null) byScope.set(scope, [...(byScope.get(scope) ?? []), agent]);
  }
  return [...byScope].flatMap(([scope, agents]) => {
    const counted = breakers.decide({ command: "count-failures", scope, agents, limits, seq, atMs }, state.breakers);
    invariant(counted.ok, "counting is never refused");
    return counted.value.events;
  });
}

/** The heartbeat outside the record, or the last recorded one if that is later. */
function lastSignOf({ health, work }: State, agent: string, signOf: SilenceMoment["signOf"]): number {
  return Math.max(signOf(agent) ?? 0, health.signs.get(agent) ?? 0, recordedSign(work, agent));
}

function isNewSince({ health }: Pick<State, "health">, agent: string, sinceSeq: number | null): boolean {
  const started = health.agents.get(agent)?.startedSeq ?? null;
  return started === null || started > (sinceSeq ?? 0);
}

/** Nothing is expected of whom the end of the day passed over, until it acts again. */
function awaited({
  health,
  shutdowns,
  work,
}: Pick<State, "health" | "shutdowns" | "work">): (agent: string) => boolean {
  return (agent) => passingOf(shutdowns, agent) === null && isExpected(health, agent, work.held.has(agent));
}

/** What the agent holds, as written. */
function tasksOf(state: Work, agent: string): readonly string[] {
  return [...(state.held.get(agent)?.keys() ?? [])].map((key) => state.tasks.get(key)?.task ?? key);
}
