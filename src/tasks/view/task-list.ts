/**
 * Looking at the tasks: the list, the board, a plan's summary, and how many tasks are in each state. An agent that looks
 * shows that it is there, as one does that asks for its mail. Source: docs/protocol/tasks.md.
 */
import { timestampOf } from "../../base/clock.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Actor, TeamContext } from "../../perform/context.ts";
import { heartbeat } from "../../perform/heartbeat.ts";
import { entryAt } from "../../perform/reply.ts";
import type { TeamState } from "../../perform/state.ts";
import type { TeamStatus } from "../../team/operations/status.ts";
import { landsFirstIn, leaseMsOf } from "../../team/state/definition.ts";
import type { PlanReport } from "../operations/task-shapes.ts";
import { summaryViewOf } from "../state/plan-summary.ts";
import { type Board, boardOf } from "./board.ts";
import { type TaskFilter, type TaskState, type TaskView, taskStates, taskViews, type Viewer } from "./task-view.ts";

/** The tasks as the actor sees them, in the order in which they came. */
export function tasks(
  context: TeamContext,
  actor: Actor,
  filter: TaskFilter = {},
): Promise<Result<readonly TaskView[], Problem>> {
  return looking(context, actor, (state, viewer) => taskViews(state.coordination.work, viewer, filter));
}

/** The board as the actor sees it. */
export function board(context: TeamContext, actor: Actor): Promise<Result<Board, Problem>> {
  return looking(context, actor, ({ coordination: { work, contracts } }, viewer) =>
    boardOf(work, { ...viewer, contracts }),
  );
}

/** What became of a plan. Refuses `not-found`. */
export async function summary(context: TeamContext, actor: Actor, plan: string): Promise<Result<PlanReport, Problem>> {
  const looked = await looking(context, actor, (state) => summaryViewOf(state.coordination, plan));
  if (!looked.ok) return looked;
  const view = looked.value;
  if (view === null) {
    return err(
      makeProblem("not-found", plan, `There is no plan "${plan}" with tasks.`, {
        hint: "`baton task list` shows the tasks with their plans.",
      }),
    );
  }
  if (view.seq === null) return ok({ ...view, date: timestampOf(context.clock.now()) });
  const entry = await entryAt(context, view.seq);
  if (!entry.ok) return entry;
  return ok({ ...view, date: entry.value?.recordedAt ?? timestampOf(context.clock.now()) });
}

/** Every task, as somebody sees it who claims nothing. */
export function allTasks({ hasRepository }: TeamContext, { coordination, team }: TeamState): readonly TaskView[] {
  const landsFirst = landsFirstIn(team.definition);
  const viewer = { agent: null, signOf: () => 0, leaseMs: 0, hasRepository: hasRepository !== false, landsFirst };
  return taskViews(coordination.work, viewer);
}

/** How many of these tasks are in each state, and how many reports are not verified. */
export function taskCounts(views: readonly Pick<TaskView, "state" | "verdict">[]): {
  readonly tasks: Readonly<Record<TaskState, number>>;
  readonly unverified: TeamStatus["unverified"];
} {
  const counts = Object.fromEntries(taskStates.map((each) => [each, 0])) as Record<TaskState, number>; // each of them
  const unverified = { awaited: 0, unavailable: 0 };
  for (const { state, verdict } of views) {
    counts[state] += 1;
    if (verdict === "awaited" || verdict === "unavailable") unverified[verdict] += 1;
  }
  return { tasks: counts, unverified };
}

/** Something derived from the state at the head; it may share what is never changed, and nothing else. */
export async function looking<Value>(
  context: TeamContext,
  actor: Actor,
  look: (state: TeamState, viewer: Viewer, seq: number) => Value,
): Promise<Result<Value, Problem>> {
  const shown = await heartbeat(context, actor);
  if (!shown.ok) return shown;
  const signs = await context.journal.heartbeats(context.team);
  if (!signs.ok) return signs;
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { head, state } = folded.value;
  const viewer: Viewer = {
    agent: state.team.roster.has(actor.agent) ? actor.agent : null,
    signOf: (agent) => Math.max(Date.parse(state.lastActs.get(agent) ?? "") || 0, signs.value.get(agent) ?? 0),
    leaseMs: leaseMsOf(state.team.definition),
    hasRepository: context.hasRepository !== false,
    landsFirst: landsFirstIn(state.team.definition),
  };
  return ok(look(state, viewer, head.seq));
}
