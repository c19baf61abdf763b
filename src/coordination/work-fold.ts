/**
 * Folds what happened to tasks into the work, in place: the records, and every index that finds them again. Costs what
 * the event is about, never how much work there is.
 */
import { readGlob } from "../base/globs.ts";
import { invariant, unreachable } from "../base/invariant.ts";
import { addGlob, removeGlob } from "./claim-index.ts";
import type { ClaimGrown, PlanOrdered, TaskAdded, TaskChanged, TaskClaimed, WorkEvent } from "./work-events.ts";
import { type Claim, enter, isDone, leave, namesOfTask, type Plan, type Task, type Work } from "./work-state.ts";

/** The work after the event. */
export function evolveWork(work: Work, event: WorkEvent): Work {
  switch (event.event) {
    case "task-added":
      keepAdded(work, event);
      return work;
    case "task-changed":
      keepChanged(work, event);
      return work;
    case "task-dropped":
      drop(work, taskAt(work, event.key));
      return work;
    case "plan-ordered":
      keepOrder(work, event);
      return work;
    case "task-claimed":
      keepClaim(work, event);
      return work;
    case "claim-grown":
      grow(work, event);
      return work;
    case "claim-released":
      free(work, taskAt(work, event.key));
      return work;
    default:
      return unreachable(event);
  }
}

function keepAdded(work: Work, event: TaskAdded): void {
  const { event: _, planName, ...added } = event;
  const task: Task = { ...added, claim: null, report: null, verdict: null, grants: [] };
  work.tasks.set(task.key, task);
  for (const name of namesOfTask(task)) enter(work.names, name, task.key);
  for (const need of task.needs) enter(work.neededBy.tasks, need, task.key);
  if (task.plan === null) return;
  const plan = planOf(work, task.plan, planName ?? task.plan);
  plan.tasks.set(task.key, true);
  plan.open.set(task.key, true);
}

function keepChanged(work: Work, event: TaskChanged): void {
  const known = taskAt(work, event.key);
  const { title, files, dependsOn, needs } = event;
  for (const need of known.needs) leave(work.neededBy.tasks, need, known.key);
  for (const need of needs) enter(work.neededBy.tasks, need, known.key);
  work.tasks.set(known.key, { ...known, title, files, dependsOn, needs });
}

function drop(work: Work, task: Task): void {
  free(work, task);
  work.tasks.delete(task.key);
  for (const name of namesOfTask(task)) leave(work.names, name, task.key);
  for (const need of task.needs) leave(work.neededBy.tasks, need, task.key);
  const plan = task.plan === null ? undefined : work.plans.get(task.plan);
  plan?.tasks.delete(task.key);
  plan?.open.delete(task.key);
}

function keepOrder(work: Work, { plan: key, planName, dependsOn, needs }: PlanOrdered): void {
  const known = planOf(work, key, planName);
  for (const need of known.needs) leave(work.neededBy.plans, need, key);
  for (const need of needs) enter(work.neededBy.plans, need, key);
  work.plans.set(key, { ...known, dependsOn, needs });
}

function keepClaim(work: Work, event: TaskClaimed): void {
  const task = taskAt(work, event.key);
  free(work, task);
  const { holder, session, token, files, grows, atMs } = event;
  const claim: Claim = { holder, session, token, files, grows, atMs };
  const grants = [...task.grants.filter(([agent]) => agent !== holder), [holder, token] as const];
  replace(work, { ...task, claim, grants });
  enter(work.held, holder, task.key);
  cover(work, task.key, holder, files);
}

function grow(work: Work, { key, files }: ClaimGrown): void {
  const task = taskAt(work, key);
  const { claim } = task;
  invariant(claim !== null, `only a claim grows: ${key}`);
  replace(work, { ...task, claim: { ...claim, files: [...claim.files, ...files] } });
  cover(work, key, claim.holder, files);
}

/** Ends the task's claim, where it has one. */
function free(work: Work, task: Task): void {
  const { claim, key } = task;
  if (claim === null) return;
  for (const glob of globTexts(claim.files)) removeGlob(work.covered, { task: key, holder: claim.holder, glob });
  leave(work.held, claim.holder, key);
  replace(work, { ...task, claim: null });
}

/** Puts the record in the place of the one before, and its plan's open tasks right. */
function replace(work: Work, task: Task): void {
  work.tasks.set(task.key, task);
  const open = task.plan === null ? undefined : work.plans.get(task.plan)?.open;
  if (isDone(task)) open?.delete(task.key);
  else open?.set(task.key, true);
}

function cover(work: Work, task: string, holder: string, files: readonly string[]): void {
  for (const glob of globTexts(files)) addGlob(work.covered, { task, holder, glob });
}

/** In the form in which they are compared. */
function globTexts(files: readonly string[]): readonly string[] {
  return files.map((file) => {
    const glob = readGlob(file);
    invariant(glob.ok, `a claim holds globs: ${file}`);
    return glob.value.text;
  });
}

function planOf(work: Work, key: string, name: string): Plan {
  const known = work.plans.get(key);
  if (known !== undefined) return known;
  const plan: Plan = { key, plan: name, dependsOn: [], needs: [], tasks: new Map(), open: new Map() };
  work.plans.set(key, plan);
  return plan;
}

function taskAt(work: Work, key: string): Task {
  const task = work.tasks.get(key);
  invariant(task !== undefined, `an event about a task follows the one that added it: ${key}`);
  return task;
}
