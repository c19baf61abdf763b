/**
 * Waves: the tasks that are left, in groups that can be worked on at the same time. A task comes after what it waits for,
 * and never beside one that may touch the same files. Tasks that wait for each other are in no wave, and are named.
 * Source: docs/protocol/tasks.md.
 */
import type { StepBudget } from "../../base/paths/glob-sets.ts";
import { addGlob, type ClaimIndex, type Comparing, emptyIndex, globsOf, tasksMeeting } from "./claim-index.ts";
import { cycleAmong, isPlanDone, isTaskDone } from "./dependencies.ts";
import { isDone, type Task, type Work } from "./work-state.ts";

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

/** The wave of each task that gets one. Plans stand between tasks: a plan is done once all its tasks are. */
function place(work: Work, open: readonly Task[], budget: StepBudget): ReadonlyMap<string, number> {
  const comparing: Comparing = {
    budget,
    filesOf: (key) => {
      const task = work.tasks.get(key);
      return task === undefined ? undefined : filesOf(task);
    },
  };
  const waiting = countsOf(work, open);
  // What somebody works on comes first: then the others are compared with it, and these answers are kept for the board.
  const isClaimed = (node: string) => (work.tasks.get(node.slice(5))?.claim ?? null) !== null;
  const free = [...waiting].flatMap(([node, count]) => (count === 0 ? [node] : []));
  const ready = [...free.filter(isClaimed), ...free.filter((node) => !isClaimed(node))];
  const placed = new Map<string, number>();
  const earliest = new Map<string, number>();
  const covered = emptyIndex();
  for (let next = 0; next < ready.length; next += 1) {
    const node = ready[next] ?? "";
    const task = node.startsWith("task ") ? work.tasks.get(node.slice(5)) : undefined;
    const at = task === undefined ? null : waveFor(task, earliest.get(node) ?? 0, { covered, placed, comparing });
    if (task !== undefined && at !== null) {
      placed.set(task.key, at);
      for (const { text: glob } of globsOf(filesOf(task))) addGlob(covered, { task: task.key, holder: task.key, glob });
    }
    const done = at === null ? (earliest.get(node) ?? 0) : at + 1;
    for (const later of nodesBehind(work, node)) {
      const left = waiting.get(later);
      if (left === undefined) continue;
      waiting.set(later, left - 1);
      earliest.set(later, Math.max(earliest.get(later) ?? 0, done));
      if (left === 1) ready.push(later);
    }
  }
  return placed;
}

/** The first wave from `from` on in which nobody may touch the task's files. */
function waveFor(
  task: Task,
  from: number,
  {
    covered,
    placed,
    comparing,
  }: {
    readonly covered: ClaimIndex;
    readonly placed: ReadonlyMap<string, number>;
    readonly comparing: Comparing;
  },
): number {
  const met = tasksMeeting(covered, filesOf(task), { except: task.key, most: Number.POSITIVE_INFINITY, comparing });
  const taken = new Set([...met].map((other) => placed.get(other) ?? 0));
  let at = from;
  while (taken.has(at)) at += 1;
  return at;
}

/** For each open task, and each plan that others wait for, how much it waits for; unknown needs are never met. */
function countsOf(work: Work, open: readonly Task[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const task of open) {
    const plan = task.plan === null ? undefined : work.plans.get(task.plan);
    const tasks = task.needs.filter((key) => !isTaskDone(work, key)).length;
    const plans = (plan?.needs ?? []).filter((key) => !isPlanDone(work, key)).length;
    counts.set(`task ${task.key}`, tasks + plans);
  }
  for (const key of work.neededBy.plans.keys()) {
    const plan = work.plans.get(key);
    // A plan without tasks has not begun, so it is waited for in vain; one that is done is waited for no more.
    if (plan !== undefined && plan.open.size > 0) counts.set(`plan ${key}`, plan.open.size);
  }
  return counts;
}

/** What waits for a task or plan: tasks that name it, its plan; all tasks of plans that wait for a plan. */
function nodesBehind(work: Work, node: string): readonly string[] {
  const key = node.slice(5);
  if (node.startsWith("task ")) {
    const plan = work.tasks.get(key)?.plan ?? null;
    const named = [...(work.neededBy.tasks.get(key)?.keys() ?? [])].map((task) => `task ${task}`);
    return plan === null ? named : [...named, `plan ${plan}`];
  }
  return [...(work.neededBy.plans.get(key)?.keys() ?? [])].flatMap((plan) =>
    [...(work.plans.get(plan)?.open.keys() ?? [])].map((task) => `task ${task}`),
  );
}

function filesOf(task: Task): readonly string[] {
  return task.claim?.files ?? task.files;
}
