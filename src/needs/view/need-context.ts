/**
 * What finding a need looks at: the state, the moment, which tasks wait for a task, and when a need is due. Pure.
 * Source: docs/protocol/asking.md, sections 11 and 12.
 */
import type { CoordinationState } from "../../perform/coordination-state.ts";
import type { Task } from "../../tasks/state/task-state.ts";
import { type Dependents, dependentsOf } from "../../tasks/view/dependencies.ts";
import { leaseEndOf } from "../../tasks/view/task-view.ts";
import type { FoundNeed, NeedsMoment } from "./need-ranking.ts";

/** What needs are found in, and the tasks that wait for each task, looked up once. */
export interface Known {
  readonly state: CoordinationState;
  readonly moment: NeedsMoment;
  readonly dependents: Map<string, Dependents>;
}

/** Tasks that wait for this one, by their ids; each task is looked up once. */
export function waitingFor({ state: { work }, dependents }: Known, task: Task | null): readonly string[] {
  if (task === null) return [];
  return dependentsOf(work, task.key, dependents).map((key) => work.tasks.get(key)?.task ?? key);
}

/** When a need is due, and what ends then. */
export type Due = Pick<FoundNeed, "dueAtMs" | "dueBy">;

/** The earlier of a deadline, by the clock of deadlines, and of the end of the lease of the task's claim. */
export function dueOf({ state: { work }, moment }: Known, task: Task | null, deadlineMs: number | null = null): Due {
  const lease = task === null ? null : leaseEndOf(work, task, moment.viewer);
  const deadline = deadlineMs === null ? null : deadlineMs + moment.aheadMs;
  if (deadline !== null && (lease === null || deadline <= lease)) return { dueAtMs: deadline, dueBy: "deadline" };
  return lease === null ? { dueAtMs: null, dueBy: null } : { dueAtMs: lease, dueBy: "lease" };
}

/** A time by the clock that people look at. */
export function wall({ moment: { aheadMs } }: Known, atMs: number | null): number | null {
  return atMs === null ? null : atMs + aheadMs;
}
