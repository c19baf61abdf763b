/**
 * The board: every task as people and agents see it, and the waves in which open tasks can run side by side: groups one
 * after the other, in none of which two touch the same file. Taken waves are kept in a tree of folders, so a path costs its
 * parts, however many tasks name it; only globs with wildcards inside are compared, each list of them once.
 * Source: docs/protocol/tasks.md.
 */
import type { StepBudget } from "../../base/paths/glob-overlap.ts";
import { type EditView, editViews } from "../decide/edit-claims.ts";
import {
  addFiles,
  type ClaimIndex,
  emptyIndex,
  type PlacedGlob,
  partsOf,
  placedIn,
  tasksMeeting,
} from "../state/claim-index.ts";
import { isOutsideContract } from "../state/contract-files.ts";
import { isDone, isToMerge } from "../state/report-status.ts";
import type { Plan, Task, Work } from "../state/task-state.ts";
import { cycleAmong, isPlanDone, isTaskDone, plansBefore } from "./dependencies.ts";
import { boardStepsMax, type TaskView, taskViews, type Viewer } from "./task-view.ts";

/** The board: every task, what may be begun, and how the rest follows. */
export interface Board extends Waves {
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
}

/** The whole board. */
export function boardOf(work: Work, viewer: Viewer, budget: StepBudget = { left: boardStepsMax }): Board {
  return { ...tasksOfBoard(work, viewer, budget), ...wavesOf(work, budget) };
}

/** The board without its waves, which `wavesOf` adds from the same work. */
export function tasksOfBoard(work: Work, viewer: Viewer, budget: StepBudget): Omit<Board, keyof Waves> {
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
  return { tasks, available, outsideContract, toMerge, edits: editViews(work), advisedDevelopers };
}

/** Free and unhindered; what was found not to be done waits for somebody as what was never begun does. */
function mayBegin({ state, holder, blockedBy }: TaskView): boolean {
  const isRepairable = state === "disputed" && holder === null && blockedBy.length === 0;
  return state === "available" || isRepairable;
}

/** Most developers that are advised at once. */
const developersMax = 5;

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
    // A plan without tasks has not begun, so it is waited for in vain, as is work that is gone.
    if (plan === undefined || plan.open.size === 0) continue;
    plans.set(key, { of: plan, left: plan.open.size + plan.gone.size, earliest: 0 });
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

/** Waves that are taken, and for each one after which no earlier one is free. */
interface Taken {
  readonly next: Map<number, number>;
  first: number;
}

interface Folder {
  /** By what names exactly this folder or file. */
  readonly here: Taken;
  readonly atOrBelow: Taken;
  readonly below: Map<string, Folder>;
}

/** A list of files as it is compared; equal ones are one. */
interface List {
  readonly id: string;
  readonly files: readonly string[];
  readonly taken: Taken;
}

/** What tasks in waves cover. */
export interface Covered {
  readonly folders: Folder;
  /** Lists of folders and files, and lists of other globs; each list is a task of its index. */
  readonly plain: ClaimIndex;
  readonly wild: ClaimIndex;
  readonly lists: Map<string, List>;
  readonly byId: Map<string, List>;
  /** The first wave behind all that are taken. */
  end: number;
}

/** Nothing is taken. */
export function nothingCovered(): Covered {
  return {
    folders: emptyFolder(),
    plain: emptyIndex(),
    wild: emptyIndex(),
    lists: new Map(),
    byId: new Map(),
    end: 0,
  };
}

/** The first wave from `from` on in which none of the files is taken; where the budget ends, one that nothing is in. */
export function freeWave(covered: Covered, files: readonly string[], from: number, budget: StepBudget): number {
  const { folders, plain, wild } = splitOf(files);
  const taken = folders.flatMap((parts) => takenAlong(covered.folders, parts));
  const asked: readonly [index: ClaimIndex, files: readonly string[]][] = [
    [covered.wild, plain],
    [covered.wild, wild],
    [covered.plain, wild],
  ];
  for (const [index, own] of asked) {
    if (own.length === 0 || index.holders.size === 0) continue;
    const comparing = { budget, filesOf: (id: string) => covered.byId.get(id)?.files };
    const met = tasksMeeting(index, listOf(covered, own).files, {
      except: null,
      most: Number.POSITIVE_INFINITY,
      comparing,
    });
    if (budget.left <= 0) return Math.max(from, covered.end);
    for (const id of met) taken.push(covered.byId.get(id)?.taken ?? nothingTaken());
  }
  return firstFree(taken, from, budget) ?? Math.max(from, covered.end);
}

/** The files are taken in that wave. */
export function takeWave(covered: Covered, files: readonly string[], wave: number): void {
  const { folders, plain, wild } = splitOf(files);
  covered.end = Math.max(covered.end, wave + 1);
  for (const parts of folders) {
    let folder = covered.folders;
    take(folder.atOrBelow, wave);
    for (const part of parts) {
      const next = folder.below.get(part) ?? emptyFolder();
      folder.below.set(part, next);
      folder = next;
      take(folder.atOrBelow, wave);
    }
    take(folder.here, wave);
  }
  for (const [index, own] of [
    [covered.plain, plain],
    [covered.wild, wild],
  ] as const) {
    if (own.length === 0) continue;
    const { id, files: listed, taken } = listOf(covered, own);
    if (taken.next.size === 0) addFiles(index, { task: id, holder: id }, listed);
    take(taken, wave);
  }
}

/** A list of files in its two parts. */
interface Split {
  /** The parts of paths that mean a folder or file with everything below. */
  readonly folders: readonly (readonly string[])[];
  /** The files that these are of. */
  readonly plain: readonly string[];
  readonly wild: readonly string[];
}

const splits = new WeakMap<readonly string[], Split>();

/** A part that is the whole list is that list, so that what is known of it counts. */
function splitOf(files: readonly string[]): Split {
  const known = splits.get(files);
  if (known !== undefined) return known;
  const placed = placedIn(files);
  const folders = placed.filter(isFolder);
  const wild = placed.filter((glob) => !isFolder(glob));
  const textsOf = (globs: readonly PlacedGlob[]) =>
    globs.length === placed.length ? files : globs.map(({ text }) => text);
  const split = { folders: folders.map(({ parts }) => parts), plain: textsOf(folders), wild: textsOf(wild) };
  splits.set(files, split);
  return split;
}

/** Whether the glob meets another of its kind exactly where one is above the other: without wildcard, or with `**` last. */
function isFolder({ stored, parts }: PlacedGlob): boolean {
  if (stored.literal !== null) return true;
  const all = partsOf(stored.text);
  return all.length === parts.length + 1 && all.at(-1) === "**";
}

function listOf({ lists, byId }: Covered, files: readonly string[]): List {
  const key = files.join("\n");
  const known = lists.get(key);
  if (known !== undefined) return known;
  const list = { id: String(lists.size), files, taken: nothingTaken() };
  lists.set(key, list);
  byId.set(list.id, list);
  return list;
}

/** What is taken by what is above, at and below a path. */
function takenAlong(root: Folder, parts: readonly string[]): readonly Taken[] {
  const found: Taken[] = [];
  let folder = root;
  for (const part of parts) {
    if (folder.here.next.size > 0) found.push(folder.here);
    const next = folder.below.get(part);
    if (next === undefined) return found;
    folder = next;
  }
  found.push(folder.atOrBelow);
  return found;
}

/** The first wave from `from` on that is free in each of them; null: the budget ended. */
function firstFree(all: readonly Taken[], from: number, budget: StepBudget): number | null {
  // By their first waves, so that one round and one more to see that nothing is left are mostly enough.
  const sorted = all.length < 2 ? all : [...new Set(all)].toSorted((a, b) => a.first - b.first);
  let at = from;
  for (let round = 0; ; round += 1) {
    const before = at;
    for (const taken of sorted) at = freeFrom(taken, at);
    if (at === before || sorted.length === 1) return at;
    if (round > 0) budget.left -= sorted.length;
    if (round > 0 && budget.left <= 0) return null;
  }
}

function emptyFolder(): Folder {
  return { here: nothingTaken(), atOrBelow: nothingTaken(), below: new Map() };
}

function nothingTaken(): Taken {
  return { next: new Map(), first: Number.POSITIVE_INFINITY };
}

function take(taken: Taken, wave: number): void {
  if (!taken.next.has(wave)) taken.next.set(wave, wave + 1);
  taken.first = Math.min(taken.first, wave);
}

/** The way to the answer is shortened for those who ask later. */
function freeFrom({ next }: Taken, from: number): number {
  let free = from;
  for (let after = next.get(free); after !== undefined; after = next.get(free)) free = after;
  for (let at = from; at !== free; ) {
    const after = next.get(at) ?? free;
    next.set(at, free);
    at = after;
  }
  return free;
}
