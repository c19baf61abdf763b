/**
 * That an agent is heard again, where that says something new: it had disappeared, or its breaker waits for a sign of it.
 * Recorded before whatever it does next, as a fact of its own.
 * Source: docs/protocol/health.md.
 */
import { steadyNow } from "../../base/clock.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { type CoordinationEvent, decideHeard } from "../../coordination/deciders.ts";
import type { Actor, Context } from "../context.ts";
import { timerEntry } from "../record/timer-entry.ts";
import type { TeamState } from "../state.ts";
import { replacedFault } from "../team/replaced.ts";
import { standingOf } from "./standing.ts";

/** Who is heard. */
export type Heard = Pick<Actor, "agent" | "program">;

/** Whether hearing this actor says something new. */
export function isNews(context: Context, state: TeamState, actor: Heard): boolean {
  return newsOf(context, state, actor).length > 0;
}

/** Records what is new in hearing the actor; another process may have recorded it meanwhile. */
export async function recordHeard(context: Context, actor: Heard): Promise<Result<void, Problem>> {
  const committed = await context.journal.commit(context.team, {
    once: null,
    decide(state) {
      const events = newsOf(context, state, actor);
      return events.length === 0 ? { decline: [] } : timerEntry({ events });
    },
  });
  return committed.ok ? ok(undefined) : committed;
}

/** Of who left the team, and of a program that was replaced, nothing is heard. */
function newsOf(context: Context, state: TeamState, actor: Heard): readonly CoordinationEvent[] {
  const { agent } = actor;
  if (state.team.roster.get(agent)?.status !== "active" || replacedFault(state, actor) !== null) return [];
  return decideHeard(state.coordination, { agent, ...standingOf(state, agent), atMs: steadyNow(context.clock) });
}
