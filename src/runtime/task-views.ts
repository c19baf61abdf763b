/**
 * Looking at the tasks. An agent that looks shows that it is there, as one does that asks for its mail.
 * Source: semantics.md section 3 (Tasks and claims).
 */
import type { Problem } from "../base/problem.ts";
import { ok, type Result } from "../base/result.ts";
import { type TaskFilter, type TaskView, taskViews, type Viewer } from "../coordination/board.ts";
import { leaseMsOf } from "../team/definition.ts";
import type { Actor, Context } from "./context.ts";
import { signOfLife } from "./life.ts";
import type { TeamState } from "./state.ts";

/** The tasks as the actor sees them, in the order in which they came. */
export function tasks(
  context: Context,
  actor: Actor,
  filter: TaskFilter = {},
): Promise<Result<readonly TaskView[], Problem>> {
  return looking(context, actor, (state, viewer) => taskViews(state.coordination.work, viewer, filter));
}

/** Something derived from the state at the head; it may share what is never changed, and nothing else. */
async function looking<Value>(
  context: Context,
  actor: Actor,
  look: (state: TeamState, viewer: Viewer) => Value,
): Promise<Result<Value, Problem>> {
  const shown = await signOfLife(context, actor);
  if (!shown.ok) return shown;
  const signs = await context.journal.signsOfLife(context.team);
  if (!signs.ok) return signs;
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { state } = folded.value;
  const viewer: Viewer = {
    agent: state.team.roster.has(actor.agent) ? actor.agent : null,
    signOf: (agent) => Math.max(Date.parse(state.lastActs.get(agent) ?? "") || 0, signs.value.get(agent) ?? 0),
    leaseMs: leaseMsOf(state.team.definition),
  };
  return ok(look(state, viewer));
}
