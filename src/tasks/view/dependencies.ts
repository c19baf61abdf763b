/**
 * What waits for what: tasks for the tasks they name, and all tasks of a plan for all tasks of the plans it depends on.
 * What is not known yet is not done, so it blocks too.
 * Source: docs/protocol/tasks.md.
 */

import { shownMax } from "../../base/text.ts";
import { isDone, isGone, isUnlanded } from "../state/report-status.ts";
import type { Plan, PlanHold, Task, Work } from "../state/task-state.ts";

/**
 * Whether something must be done before the task, or its plan waits for a yes. Looks at what the task names and no further.
 * `landsFirst`: what is done there also has to land, as a hub lands it.
 */
export function isBlocked(work: Work, task: Task, landsFirst = false): boolean {
  return (
    task.needs.some((key) => !isTaskDone(work, key)) ||
    plansBefore(work, task).some((key) => !isPlanDone(work, key)) ||
    holdOf(work, task) !== null ||
    (landsFirst && unlandedBefore(work, task).length > 0)
  );
}

/** What holds the task's plan; null: it may begin. */
export function holdOf({ planHolds }: Work, { plan }: Task): PlanHold | null {
  return plan === null ? null : (planHolds.get(plan) ?? null);
}

/** Among what blocks a task: the leave for its plan. */
export const planApproval = "plan-approval";

/** The tasks before it, also those of the plans before it, whose work is verified and has not landed. */
export function unlandedBefore(work: Work, task: Task): readonly Task[] {
  return tasksBefore(work, task).filter((each) => isUnlanded(each) && isDone(each));
}

/** Whether the task waits for that one, by itself or through its plan. */
export function isBefore(work: Work, task: Task, key: string): boolean {
  const plan = work.tasks.get(key)?.plan ?? null;
  return task.needs.includes(key) || (plan !== null && plansBefore(work, task).includes(plan));
}

/** The tasks that are known of those before it. */
function tasksBefore(work: Work, task: Task): readonly Task[] {
  const keys = plansBefore(work, task).flatMap((plan) => [...(work.plans.get(plan)?.tasks.keys() ?? [])]);
  return [...new Set([...task.needs, ...keys])].flatMap((key) => work.tasks.get(key) ?? []);
}

/**
 * What must be done before the task and is not, as written: tasks, and plans of which no task is known. Of the plans at
 * most `shownMax` tasks are named; a plan with more is named itself, or every task of a plan would carry all of another.
 */
export function blockersOf(work: Work, task: Task, landsFirst = false): readonly string[] {
  const tasks = task.needs.flatMap((key, index) =>
    isTaskDone(work, key) ? [] : [work.tasks.get(key)?.task ?? task.dependsOn[index] ?? key],
  );
  const plan = task.plan === null ? undefined : work.plans.get(task.plan);
  let left = shownMax;
  const plans = plansBefore(work, task).flatMap((key, index) => {
    const before = work.plans.get(key);
    if (before === undefined || before.tasks.size === 0) return [plan?.dependsOn[index] ?? key];
    const count = before.open.size + before.gone.size;
    if (count > left) return [before.plan];
    left -= count;
    return [...before.open.keys(), ...before.gone.keys()].map((each) => work.tasks.get(each)?.task ?? each);
  });
  const unlanded = landsFirst ? unlandedBefore(work, task).map((each) => each.task) : [];
  const hold = holdOf(work, task) === null ? [] : [planApproval];
  return [...new Set([...tasks, ...plans, ...unlanded.slice(0, shownMax), ...hold])];
}

/** Those of the tasks before it that were done and whose work is gone, as written. */
export function goneBefore(work: Work, task: Task): readonly string[] {
  const keys = plansBefore(work, task).flatMap((plan) => [...(work.plans.get(plan)?.gone.keys() ?? [])]);
  const tasks = [...task.needs, ...keys].flatMap((key) => work.tasks.get(key) ?? []);
  return [...new Set(tasks.filter(isGone).map((each) => each.task))];
}

/** Most tasks that are named as waiting for one. */
export const dependentsMax = 1_000;

/** Keys of the tasks that wait for a task. */
export type Dependents = readonly string[];

/**
 * Keys of the tasks that are not done and wait for this one, also through others and through its plan, at most
 * `dependentsMax`. `known` keeps the answers for one state of the work.
 */
export function dependentsOf(work: Work, key: string, known = new Map<string, Dependents>()): Dependents {
  const found = known.get(key) ?? waitingBehind(work, key);
  known.set(key, found);
  return found;
}

function waitingBehind(work: Work, key: string): Dependents {
  const met = new Set([key]);
  for (const each of met) {
    const task = work.tasks.get(each);
    const plans =
      task?.plan === null || task === undefined ? [] : [...(work.neededBy.plans.get(task.plan)?.keys() ?? [])];
    const behind = plans.flatMap((plan) => [...(work.plans.get(plan)?.open.keys() ?? [])]);
    for (const next of [...(work.neededBy.tasks.get(each)?.keys() ?? []), ...behind]) {
      if (met.size > dependentsMax) break;
      const other = work.tasks.get(next);
      if (other === undefined || !isDone(other)) met.add(next);
    }
  }
  met.delete(key);
  return [...met];
}

/** Whether all tasks of a plan are done, and their work is there. A plan without tasks has not begun, so it is not. */
export function isPlanDone(work: Work, key: string): boolean {
  const plan = work.plans.get(key);
  return plan !== undefined && plan.tasks.size > 0 && plan.open.size + plan.gone.size === 0;
}

/** What a task or plan is about to wait for. */
export type Waiting =
  | { readonly task: string; readonly plan: string | null; readonly needs: readonly string[] }
  | { readonly plan: string; readonly tasks: readonly string[]; readonly needs: readonly string[] };

/**
 * The members of a cycle that these dependencies close, as written, the first one again at its end; null: there is none.
 * A task that nothing waits for can close none and costs nothing.
 */
export function cycleClosedBy(work: Work, waiting: Waiting): readonly string[] | null {
  if (waiting.needs.length === 0) return null;
  const isTask = "task" in waiting;
  const own = new Set(isTask ? [waiting.task] : waiting.tasks);
  const isEnd = (node: Node): boolean =>
    node.plan !== undefined
      ? node.plan === waiting.plan
      : own.has(node.task) || (!isTask && work.tasks.get(node.task)?.plan === waiting.plan);
  if (isTask && !isWaitedFor(work, waiting.task, waiting.plan)) return null;
  const path = pathTo(
    work,
    waiting.needs.map((key) => (isTask ? { task: key } : { plan: key })),
    isEnd,
  );
  if (path === null) return null;
  const first = nameOf(work, isTask ? { task: waiting.task } : { plan: waiting.plan });
  // The end of the path is the first member again, or the plan that it belongs to.
  return [first, ...path.slice(0, -1).map((node) => nameOf(work, node)), first];
}

/**
 * The members of one cycle among these tasks, as written, the first one again at its end; null: there is none. Looks at
 * what waits for what once.
 */
export function cycleAmong(work: Work, tasks: readonly string[]): readonly string[] | null {
  const left = new Set(tasks);
  const isOpen = (node: Node) => (node.plan === undefined ? left.has(node.task) : !isPlanDone(work, node.plan));
  const ended = new Set<string>();
  for (const start of tasks) {
    // The way to where we are, each step with what is still to be looked at from there.
    const way: { readonly node: Node; readonly next: Node[] }[] = [];
    const onWay = new Map<string, number>();
    const step = (node: Node) => {
      onWay.set(idOf(node), way.length);
      way.push({ node, next: nodesAfter(work, node).filter(isOpen) });
    };
    if (!ended.has(idOf({ task: start }))) step({ task: start });
    for (let here = way.at(-1); here !== undefined; here = way.at(-1)) {
      const next = here.next.pop();
      if (next === undefined) {
        ended.add(idOf(here.node));
        onWay.delete(idOf(here.node));
        way.pop();
        continue;
      }
      const met = onWay.get(idOf(next));
      if (met !== undefined) return [...way.slice(met).map(({ node }) => nameOf(work, node)), nameOf(work, next)];
      if (!ended.has(idOf(next))) step(next);
    }
  }
  return null;
}

type Node = { readonly task: string; readonly plan?: undefined } | { readonly plan: string };

function pathTo(work: Work, starts: readonly Node[], isEnd: (node: Node) => boolean): readonly Node[] | null {
  const cameFrom = new Map<string, Node | null>();
  const waiting: Node[] = [];
  const meet = (node: Node, from: Node | null) => {
    const id = idOf(node);
    if (cameFrom.has(id)) return;
    cameFrom.set(id, from);
    waiting.push(node);
  };
  for (const start of starts) meet(start, null);
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (isEnd(node)) return wayBack(node, cameFrom);
    for (const next of nodesAfter(work, node)) meet(next, node);
  }
  return null;
}

function wayBack(end: Node, cameFrom: ReadonlyMap<string, Node | null>): readonly Node[] {
  const way: Node[] = [];
  for (let node: Node | null = end; node !== null; node = cameFrom.get(idOf(node)) ?? null) way.unshift(node);
  return way;
}

/** What a task or a whole plan waits for. Plans last, so that they are looked at first and a cycle of plans is named so. */
function nodesAfter(work: Work, node: Node): readonly Node[] {
  if (node.plan !== undefined) {
    const plan = work.plans.get(node.plan);
    if (plan === undefined) return [];
    return [...[...plan.tasks.keys()].map((task) => ({ task })), ...plan.needs.map((key) => ({ plan: key }))];
  }
  const task = work.tasks.get(node.task);
  if (task === undefined) return [];
  return [...task.needs.map((key) => ({ task: key })), ...plansBefore(work, task).map((key) => ({ plan: key }))];
}

function idOf(node: Node): string {
  return node.plan === undefined ? `task ${node.task}` : `plan ${node.plan}`;
}

function nameOf(work: Work, node: Node): string {
  return node.plan === undefined
    ? (work.tasks.get(node.task)?.task ?? node.task)
    : (work.plans.get(node.plan)?.plan ?? node.plan);
}

function isWaitedFor(work: Work, task: string, plan: string | null): boolean {
  return work.neededBy.tasks.has(task) || (plan !== null && work.neededBy.plans.has(plan));
}

/** Whether the task is known and done, and its work is there: what others build on. */
export function isTaskDone(work: Work, key: string): boolean {
  const task = work.tasks.get(key);
  return task !== undefined && isDone(task) && !isGone(task);
}

export function plansBefore(work: Work, task: Task): readonly string[] {
  const plan: Plan | undefined = task.plan === null ? undefined : work.plans.get(task.plan);
  return plan?.needs ?? [];
}

/*
 * Waves: the tasks that are left, in groups that can be worked on at the same time. A task comes after what it waits
 * for, and never next to one that may touch the same files. Tasks that wait for each other are in no wave, and are
 * named. Source: docs/protocol/tasks.md.
 */
