/** The board: every task as people and agents see it, and what may be begun. Source: docs/protocol/tasks.md. */
import type { StepBudget } from "../../base/paths/glob-overlap.ts";
import { type EditView, editViews } from "../decide/edit-claims.ts";
import { isOutsideContract } from "../state/contract-files.ts";
import { isDone, isToMerge } from "../state/report-status.ts";
import type { Work } from "../state/task-state.ts";
import { cycleAmong } from "./dependencies.ts";
import { boardStepsMax, type TaskView, taskViews, type Viewer } from "./task-view.ts";

/** The board: every task, and what may be begun. */
export interface Board {
  readonly tasks: readonly TaskView[];
  /** Ids of the tasks that may be claimed now. */
  readonly available: readonly string[];
  /** Ids of the tasks that are free, but have files that the contract of their plan does not allow. */
  readonly outsideContract: readonly string[];
  /** Ids of the tasks whose work is verified and not on the main branch. */
  readonly toMerge: readonly string[];
  /** Files that agents hold because they edit them. */
  readonly edits: readonly EditView[];
  /** How many developers have something to do at once. */
  readonly advisedDevelopers: number;
  /** Tasks and plans that wait for each other, the first one again at the end; null: none do. */
  readonly cycle: readonly string[] | null;
}

/** The whole board. */
export function boardOf(work: Work, viewer: Viewer, budget: StepBudget = { left: boardStepsMax }): Board {
  const tasks = taskViews(work, viewer, {}, budget);
  const free = tasks.filter(mayBegin);
  const { contracts } = viewer;
  const outside = new Set(
    contracts === undefined ? [] : free.filter((task) => isOutsideContract(contracts, task, budget)),
  );
  const available = free.filter((task) => !outside.has(task)).map(({ task }) => task);
  const outsideContract = [...outside].map(({ task }) => task);
  const toMerge = tasks.filter(isToMerge).map(({ task }) => task);
  const advisedDevelopers = Math.min(available.length, developersMax);
  const open = [...work.tasks.values()].flatMap((task) => (isDone(task) ? [] : [task.key]));
  const cycle = cycleAmong(work, open);
  return { tasks, available, outsideContract, toMerge, edits: editViews(work), advisedDevelopers, cycle };
}

/** Free and unhindered; what was found not to be done waits for somebody as what was never begun does. */
function mayBegin({ state, holder, blockedBy }: TaskView): boolean {
  const isRepairable = state === "disputed" && holder === null && blockedBy.length === 0;
  return state === "available" || isRepairable;
}

/** Most developers that are advised at once. */
const developersMax = 5;
