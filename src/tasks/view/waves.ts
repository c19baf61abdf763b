/**
 * Which open tasks can run in parallel: groups that go one after the other, in none of which two touch the same file.
 * Source: docs/protocol/tasks.md.
 */
import type { StepBudget } from "../../base/paths/glob-overlap.ts";
import { isDone } from "../state/report-status.ts";
import type { Plan, Task, Work } from "../state/task-state.ts";
import { freeWave, nothingCovered, takeWave } from "./covered-waves.ts";
import { cycleAmong, isPlanDone, isTaskDone, plansBefore } from "./dependencies.ts";

/** Groups of tasks, ids as first written. */
export interface Waves {
  readonly waves: readonly (readonly string[])[];
  /** Tasks and plans that wait for each other, the first one again at the end; null: none do. */
  readonly cycle: readonly string[] | null;
}

/** Work that comparing the files of all tasks may take where no budget is given. */
const wavesStepsMax = 2_000_000;

/**
 * The tasks that are not done, in waves: each in the earliest that it can be in. Tasks whose files could not be compared
 * within `budget` are not put into one wave.
 */
export function wavesOf(work: Work, budget: StepBudget = { left: wavesStepsMax }): Waves {
  const open = [...work.tasks.values()].filter((task) => !isDone(task));
  const placed = place(work, open, budget);
  const waves: string[][] = [];
  for (const task of open) {
    const at = placed.get(task.key);
    if (at === undefined) continue;
    while (waves.length <= at) waves.push([]);
    waves[at]?.push(task.task);
  }
  const left = open.filter(({ key }) => !placed.has(key)).map(({ key }) => key);
  return { waves: waves.filter((wave) => wave.length > 0), cycle: cycleAmong(work, left) };
}

/** A task or plan that is not done, as it is put into waves. Plans are between tasks: a plan is done once its tasks are. */
interface Step {
  readonly of: Task | Plan;
  /** How much it still waits for; what is unknown is never met. */
  left: number;
  /** The first wave that it can be in, by what it waited for. */
  earliest: number;
}

interface Steps {
  readonly tasks: ReadonlyMap<string, Step>;
  readonly plans: ReadonlyMap<string, Step>;
}

/** The wave of each task that gets one. */
function place(work: Work, open: readonly Task[], budget: StepBudget): ReadonlyMap<string, number> {
  const steps = stepsOf(work, open);
  const ready = readySteps(steps);
  const placed = new Map<string, number>();
  const covered = nothingCovered();
  for (let next = ready[0], at = 1; next !== undefined; next = ready[at++]) {
    const { of, earliest } = next;
    const isTask = "claim" in of;
    const wave = isTask ? freeWave(covered, filesOf(of), earliest, budget) : earliest;
    if (isTask) {
      placed.set(of.key, wave);
      takeWave(covered, filesOf(of), wave);
    }
    const done = isTask ? wave + 1 : wave;
    for (const later of behind(work, steps, of)) {
      later.left -= 1;
      later.earliest = Math.max(later.earliest, done);
      if (later.left === 0) ready.push(later);
    }
  }
  return placed;
}

/**
 * What waits for nothing. What somebody works on comes first: then the others are compared with it, and these answers are
 * kept for the board.
 */
function readySteps({ tasks, plans }: Steps): Step[] {
  const claimed: Step[] = [];
  const others: Step[] = [];
  for (const step of tasks.values())
    if (step.left === 0) (("claim" in step.of ? step.of.claim : null) === null ? others : claimed).push(step);
  for (const step of plans.values()) if (step.left === 0) others.push(step);
  return [...claimed, ...others];
}

/** Each open task, and each plan that others wait for. */
function stepsOf(work: Work, open: readonly Task[]): Steps {
  const tasks = new Map<string, Step>();
  for (const task of open) tasks.set(task.key, { of: task, left: openNeeds(work, task), earliest: 0 });
  const plans = new Map<string, Step>();
  for (const key of work.neededBy.plans.keys()) {
    const plan = work.plans.get(key);
    // A plan without tasks has not begun, so it is waited for in vain; one that is done is waited for no more.
    if (plan !== undefined && plan.open.size > 0) plans.set(key, { of: plan, left: plan.open.size, earliest: 0 });
  }
  return { tasks, plans };
}

function openNeeds(work: Work, task: Task): number {
  let count = 0;
  for (const key of task.needs) if (!isTaskDone(work, key)) count += 1;
  for (const key of plansBefore(work, task)) if (!isPlanDone(work, key)) count += 1;
  return count;
}

/** What waits for a task or plan: tasks that name it, its plan; all tasks of plans that wait for a plan. */
function behind(work: Work, { tasks, plans }: Steps, of: Task | Plan): readonly Step[] {
  const found: Step[] = [];
  const add = (step: Step | undefined) => {
    if (step !== undefined) found.push(step);
  };
  if ("claim" in of) {
    for (const key of work.neededBy.tasks.get(of.key)?.keys() ?? []) add(tasks.get(key));
    if (of.plan !== null) add(plans.get(of.plan));
    return found;
  }
  for (const key of work.neededBy.plans.get(of.key)?.keys() ?? [])
    for (const task of work.plans.get(key)?.open.keys() ?? []) add(tasks.get(task));
  return found;
}

function filesOf(task: Task): readonly string[] {
  return task.claim?.files ?? task.files;
}
