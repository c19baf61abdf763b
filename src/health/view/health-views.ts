/**
 * The state of agents and breakers, as callers see it.
 * Rules: docs/guides/tasks.md, Agents that disappear.
 */

import { aheadMsOf, timestampOf } from "../../base/clock.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import type { TeamContext } from "../../perform/context.ts";
import type { CoordinationState } from "../../perform/coordination-state.ts";
import type { TeamState } from "../../perform/state.ts";
import { passingOf } from "../../shutdown/decide/shutdown-rounds.ts";
import { isReturned } from "../../tasks/state/report-status.ts";
import type { Member } from "../../team/state/roster.ts";
import { type Breaker, closedBreaker, maySpawn } from "../decide/breakers.ts";
import { type HealthState, healthOf } from "../decide/health.ts";
import type { BreakerView } from "../operations.ts";
import type { BreakerScope } from "../state.ts";
import { breakerScopeOf } from "./breaker-scope.ts";

/** The breakers of a team: of each department that has agents, and each to which something has happened. */
export async function breakers(context: TeamContext): Promise<Result<readonly BreakerView[], Problem>> {
  const folded = await context.journal.state(context.team);
  return folded.ok ? ok(breakersOf(context, folded.value.state)) : folded;
}

/** The same of a state. */
export function breakersOf(
  { clock }: Pick<TeamContext, "clock">,
  { team: { roster, definition }, coordination }: TeamState,
): readonly BreakerView[] {
  const aheadMs = aheadMsOf(clock);
  const scopes = new Set<BreakerScope>(coordination.breakers.keys());
  for (const member of roster.values()) {
    const scope = member.status === "active" ? breakerScopeOf(member, roster, definition) : null;
    if (scope !== null) scopes.add(scope);
  }
  const breakerAt = (scope: BreakerScope) => coordination.breakers.get(scope) ?? closedBreaker(scope);
  return [...scopes].toSorted().map((scope) => breakerView(breakerAt(scope), aheadMs));
}

/** The state of an agent; `signMs`: its last heartbeat outside the record. */
export function healthIn({ coordination }: TeamState, member: Member, signMs: number | undefined): HealthState {
  if (member.status === "retired" || isAway(coordination, member.agent, signMs)) return "stop";
  return healthOf(coordination.health, member.agent, {
    hasShown: signMs !== undefined && member.session === 1,
    isHolding: coordination.work.held.has(member.agent),
  });
}

/** Whether nobody waited for it when the day was stopped, and no program of its has shown itself since. */
function isAway({ health, shutdowns, work }: CoordinationState, agent: string, signMs = 0): boolean {
  const stop = passingOf(shutdowns, agent);
  if (stop === null || work.held.has(agent)) return false;
  return signMs <= stop.atMs || (health.programs.get(agent)?.ended?.seq ?? 0) > stop.seq;
}

/**
 * Tasks, as written, that an agent holds and does nothing for, because its program has ended: those it had in hand, and
 * those that came back to it since. What it kept when the day was ended waits for the next day.
 */
export function heldAfterEnd({ health, shutdowns, work }: CoordinationState, agent: string): readonly string[] {
  const end = health.programs.get(agent)?.ended ?? null;
  const stop = passingOf(shutdowns, agent);
  if (end === null) return [];
  return [...(work.held.get(agent)?.keys() ?? [])].flatMap((key) => {
    const task = work.tasks.get(key);
    if (task?.claim === undefined || task.claim === null) return [];
    const { token } = task.claim;
    const isLeft = stop === null && token < end.seq;
    return isLeft || (isReturned(task) && token > (stop?.seq ?? end.seq)) ? [task.task] : [];
  });
}

/** `aheadMs`: how far people's clock is ahead of the one by which breakers count. */
function breakerView(breaker: Breaker, aheadMs: number): BreakerView {
  const { scope: department, state, failures, openedAtMs, lastProbeAtMs, probe, dueAtMs } = breaker;
  return {
    department,
    state,
    failures: failures.length,
    openedAt: timeOf(openedAtMs, aheadMs),
    lastProbeAt: timeOf(lastProbeAtMs, aheadMs),
    probe: probe?.agent ?? null,
    until: timeOf(dueAtMs, aheadMs),
    spawn: maySpawn(breaker) ? "teammate" : "task",
  };
}

function timeOf(atMs: number | null, aheadMs: number): string | null {
  return atMs === null ? null : timestampOf(atMs + aheadMs);
}
