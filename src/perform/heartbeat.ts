/**
 * Heartbeats: that an agent asked for its mail, or that its program is still there. They are outside the record, so
 * that an agent that only waits is known to be alive without an entry every half minute. Source:
 * docs/protocol/asking.md, sections 17 to 19.
 */
import { type Clock, steadyNow } from "../base/clock.ts";
import type { Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import { decideHeartbeat } from "../health/decide/disappearance.ts";
import { agentSessionOf } from "../health/view/breaker-scope.ts";
import { lengthenLeases } from "../tasks/decide/leases.ts";
import { awayMsMax, awayMsMin, beatMsOf, signsApartMsOf } from "../team/state/definition.ts";
import { replacedProblem } from "../team/view/session-endings.ts";
import { commitBehind } from "./commit.ts";
import { timerEntry } from "./content.ts";
import type { Actor, Pause, TeamContext } from "./context.ts";
import type { CoordinationEvent } from "./coordination-state.ts";
import type { TeamState } from "./state.ts";

/**
 * Keeps a heartbeat of the acting agent; of somebody who is not in the team, none. A journal that cannot be written,
 * such as that of a copied project, keeps none either, which is no error of the one who is alive. Refuses
 * `session-replaced`.
 */
export async function heartbeat(context: TeamContext, actor: Actor): Promise<Result<void, Problem>> {
  const { journal, team, clock } = context;
  if (journal.condition().condition !== "ready") return ok(undefined);
  const folded = await journal.state(team);
  if (!folded.ok) return folded;
  const { state } = folded.value;
  const { definition, roster } = state.team;
  if (!roster.has(actor.agent)) return ok(undefined);
  const replaced = replacedProblem(state, actor);
  if (replaced !== null) return err(replaced);
  if (isNews(context, state, actor)) {
    const recorded = await recordHeartbeat(context, actor);
    if (!recorded.ok) return recorded;
  }
  const signsApartMs = signsApartMsOf(definition);
  const known = await journal.heartbeats(team);
  if (!known.ok) return known;
  const now = steadyNow(clock);
  // A clock that was set back must not keep an agent silent until it has caught up.
  if (Math.abs(now - (known.value.get(actor.agent) ?? 0)) < signsApartMs) return ok(undefined);
  const kept = await journal.heartbeat(team, actor.agent, () => steadyNow(clock));
  const isStorage = !kept.ok && ["journal-read-only", "journal-copied", "journal-full"].includes(kept.error.code);
  return isStorage ? ok(undefined) : kept;
}

/**
 * Shows that the acting agent is there, then does something that may wait for as long as `waitMs`, and keeps heartbeats
 * meanwhile. Fails as `signOfLife` does; a later heartbeat that cannot be kept does not fail the wait: failures of the
 * journal show there too.
 */
export async function aliveWhile<Value>(
  context: TeamContext,
  actor: Actor,
  wait: { readonly waitMs?: number; readonly signal?: AbortSignal },
  act: () => Promise<Result<Value, Problem>>,
): Promise<Result<Value, Problem>> {
  const shown = await heartbeat(context, actor);
  if (!shown.ok) return shown;
  const { waitMs = 0, signal } = wait;
  if (waitMs <= 0) return act();
  const over = new AbortController();
  const beating = beat(
    context,
    actor,
    waitMs,
    signal === undefined ? over.signal : AbortSignal.any([over.signal, signal]),
  );
  try {
    return await act();
  } finally {
    over.abort();
    await beating;
  }
}

async function beat(context: TeamContext, actor: Actor, waitMs: number, signal: AbortSignal): Promise<void> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return;
  const stepMs = beatMsOf(folded.value.state.team.definition);
  for (let left = waitMs; left > 0; left -= stepMs) {
    await context.clock.wait(Math.min(stepMs, left), signal);
    if (signal.aborted) return;
    await heartbeat(context, actor);
  }
}

/*
 * Records that an agent sends heartbeats again, if it had disappeared or its breaker waits for it. This separate fact
 * comes before anything else that it does. Source: docs/protocol/asking.md, sections 17 to 19.
 */

/** The agent. */
export type HeartbeatSender = Pick<Actor, "agent" | "program">;

/** Whether hearing this actor says something new. */
export function isNews(context: TeamContext, state: TeamState, actor: HeartbeatSender): boolean {
  return newsOf(context, state, actor).length > 0;
}

/** Records what is new in hearing the actor; another process may have recorded it meanwhile. */
export async function recordHeartbeat(context: TeamContext, actor: HeartbeatSender): Promise<Result<void, Problem>> {
  const committed = await commitBehind(context, [], {
    once: null,
    decide(state) {
      const events = newsOf(context, state, actor);
      return events.length === 0 ? { decline: [] } : timerEntry({ events });
    },
  });
  return committed.ok ? ok(undefined) : committed;
}

/** Heartbeats of an agent that left the team, and of a superseded program, do not count. */
function newsOf(context: TeamContext, state: TeamState, actor: HeartbeatSender): readonly CoordinationEvent[] {
  const { agent } = actor;
  if (state.team.roster.get(agent)?.status !== "active" || replacedProblem(state, actor) !== null) return [];
  return decideHeartbeat(state.coordination, {
    agent,
    ...agentSessionOf(state, agent),
    atMs: steadyNow(context.clock),
  });
}

/** Records that the claims of all who hold some last longer by a pause; those who were seen since have theirs anyway. */
export async function recordPause(context: TeamContext, pause: Pause): Promise<Result<void, Problem>> {
  const committed = await commitBehind(context, [], {
    once: null,
    decide({ coordination: { work } }, { heartbeat: signOf }) {
      const event = lengthenLeases(work, pause, signOf);
      return event === null ? { decline: [] } : timerEntry({ events: [event] });
    },
  });
  return committed.ok ? ok(undefined) : committed;
}

/*
 * Since when a hub receives heartbeats. It checks deadlines every second; when it comes back late, it was stopped or
 * held up, and has received none meanwhile. While its journal takes no entries it cannot keep any, so these looks do not
 * count. How late is too late depends on the team: see `awayMsOf`. Source: docs/protocol/asking.md, sections 17 to 19.
 */
export interface Listening {
  /** The last time in which the hub stood still, as in a machine that slept; null: it did not. */
  pause(): Pause | null;
  /** Since when nobody was missed, where a hub counts as away that did not look for longer than `awayMs`. */
  sinceMs(awayMs: number): number;
  /** The hub looks at deadlines. */
  look(): void;
}

/** Listens from now on. `keeps`: whether a heartbeat could be kept at this moment. */
export function listen(clock: Clock, keeps: () => boolean): Listening {
  const begunMs = steadyNow(clock);
  let lookedMs = begunMs;
  /** Times without a look, each longer than all that came after it. */
  let absences: readonly Pause[] = [];
  let pause: Pause | null = null;
  const look = (): void => {
    if (!keeps()) return;
    const nowMs = steadyNow(clock);
    if (nowMs - lookedMs > awayMsMax) pause = { endMs: nowMs, forMs: nowMs - lookedMs };
    // Beyond the longest that anybody asks about they are all the same.
    const forMs = Math.min(nowMs - lookedMs, awayMsMax + 1);
    lookedMs = nowMs;
    if (forMs <= awayMsMin) return;
    absences = [...absences.filter((each) => each.forMs > forMs), { endMs: nowMs, forMs }];
  };
  return {
    look,
    pause: () => {
      look();
      return pause;
    },
    // Whatever asks may come before the next look.
    sinceMs: (awayMs) => {
      if (!keeps()) return steadyNow(clock);
      look();
      return absences.findLast(({ forMs }) => forMs > awayMs)?.endMs ?? begunMs;
    },
  };
}
