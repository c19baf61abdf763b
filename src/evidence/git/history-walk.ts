/**
 * Whether a commit is part of the history of others, found by walking the commits themselves, each held to its hash.
 * Neither a commit graph on the disk nor a commit that somebody exchanged is believed, and no date decides: newer commits
 * are only walked first, because that is shorter. Rules: docs/protocol/verdicts.md.
 */
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { commitBytesMax, cutOff } from "./commits.ts";
import { unreadable } from "./git.ts";
import { type Commit, commitIn } from "./git-objects.ts";
import { isShallow, type Repository } from "./repository.ts";

/** Most commits of one walk. */
const walkedMax = 400_000;

/** A commit as a walk needs it. */
type Step = Pick<Commit, "id" | "parents" | "committedAt">;

/**
 * Whether one of `tips` is `commit` or descends from it. Refuses `shallow-clone` and `repository-unreadable` where a commit
 * is not there that would have to be looked at, or is not what its id says, and `too-large`.
 */
export async function isReached(
  repository: Repository,
  commit: string,
  tips: readonly string[],
): Promise<Result<boolean, Problem>> {
  if (tips.includes(commit)) return ok(true);
  const walk = newWalk(repository);
  for (const [ids, side] of [[[commit], fromCommit] as const, [tips, fromTips] as const]) {
    const problem = await reach(walk, ids, side);
    if (problem !== null) return err(problem);
  }
  // What the commit descends from cannot lead back to it, so only what the tips alone reach is of interest.
  while (walk.tipsOnly > 0) {
    const step = next(walk);
    if (step === null) break;
    const problem = await reach(walk, step.parents, sidesOf(walk, step.id));
    if (problem !== null) return err(problem);
    if (sidesOf(walk, commit) === fromBoth) return ok(true);
    if (walk.sides.size > walkedMax) return err(tooLong(commit));
  }
  return walk.lost === null ? ok(false) : err(await lostProblem(repository, walk.lost));
}

/**
 * Which of `tips` the history of `commit` ends in when it is walked until it meets one: those that it is or descends from,
 * without those that lie behind another of them. Refuses what `isReached` refuses.
 */
export async function nearestTips(
  repository: Repository,
  commit: string,
  tips: ReadonlySet<string>,
): Promise<Result<readonly string[], Problem>> {
  const met = new Set<string>();
  const seen = new Set([commit]);
  for (const id of seen) {
    if (tips.has(id)) {
      met.add(id);
      continue;
    }
    if (seen.size > walkedMax) return err(tooLong(commit));
    const step = await stepOf(repository, id);
    if (!step.ok) return step;
    if (step.value === null) return err(await lostProblem(repository, id));
    for (const parent of step.value.parents) seen.add(parent);
  }
  return nearestOf(repository, [...met]);
}

/** The commits without those that others of them descend from. Refuses what `isReached` refuses. */
export async function nearestOf(
  repository: Repository,
  commits: readonly string[],
): Promise<Result<readonly string[], Problem>> {
  const nearest: string[] = [];
  for (const id of commits) {
    const others = commits.filter((each) => each !== id);
    const isBehind = others.length === 0 ? ok(false) : await isReached(repository, id, others);
    if (!isBehind.ok) return isBehind;
    if (!isBehind.value) nearest.push(id);
  }
  return ok(nearest);
}

/**
 * The commits, each behind those of them that it descends from, else in the order in which they are given. Refuses what
 * `isReached` refuses.
 */
export async function oldestFirst(
  repository: Repository,
  commits: readonly string[],
): Promise<Result<readonly string[], Problem>> {
  const ordered: string[] = [];
  for (const id of commits) {
    const isBehind = await isReached(repository, id, ordered);
    if (!isBehind.ok) return isBehind;
    let at = isBehind.value ? 0 : ordered.length;
    for (; at < ordered.length; at++) {
      const isBehindThis = await isReached(repository, id, ordered.slice(at, at + 1));
      if (!isBehindThis.ok) return isBehindThis;
      if (isBehindThis.value) break;
    }
    ordered.splice(at, 0, id);
  }
  return ok(ordered);
}

/**
 * The commits that `tip` is or descends from and `others` do not, the newest first, at most `most`. Refuses what
 * `isReached` refuses.
 */
export async function commitsOnlyIn(
  repository: Repository,
  tip: string,
  others: readonly string[],
  most: number,
): Promise<Result<readonly string[], Problem>> {
  const walk = newWalk(repository);
  for (const [ids, side] of [[[tip], fromTips] as const, [others, fromCommit] as const]) {
    const problem = await reach(walk, ids, side);
    if (problem !== null) return err(problem);
  }
  const seen = new Set<string>();
  while (walk.tipsOnly > 0) {
    const step = next(walk);
    if (step === null) break;
    seen.add(step.id);
    const problem = await reach(walk, step.parents, sidesOf(walk, step.id));
    if (problem !== null) return err(problem);
    if (walk.sides.size > walkedMax) return err(tooLong(tip));
  }
  if (walk.lost !== null) return err(await lostProblem(repository, walk.lost));
  return ok([...seen].filter((id) => sidesOf(walk, id) === fromTips).slice(0, most));
}

/** From where a commit was reached: from the one that is looked for, from the tips, or from both. */
const fromCommit = 1;
const fromTips = 2;
const fromBoth = 3;

interface Walk {
  readonly repository: Repository;
  readonly sides: Map<string, number>;
  /** A heap, the newest first. */
  readonly queue: Step[];
  /** Ids in the queue. */
  readonly waiting: Set<string>;
  /** How many of them only the tips reach. */
  tipsOnly: number;
  /** A commit that only the tips reach and that is not there. */
  lost: string | null;
}

function newWalk(repository: Repository): Walk {
  return { repository, sides: new Map(), queue: [], waiting: new Set(), tipsOnly: 0, lost: null };
}

function sidesOf({ sides }: Walk, id: string): number {
  return sides.get(id) ?? 0;
}

/** Notes that these commits are reached, and queues those of which that is news. Answers what is wrong, or null. */
async function reach(walk: Walk, ids: readonly string[], side: number): Promise<Problem | null> {
  const fresh: string[] = [];
  for (const id of ids) {
    const before = sidesOf(walk, id);
    const after = before | side;
    if (after === before) continue;
    walk.sides.set(id, after);
    if (!walk.waiting.has(id)) fresh.push(id);
    else if (before === fromTips) walk.tipsOnly--;
  }
  const steps = await Promise.all(fresh.map((id) => stepOf(walk.repository, id)));
  for (const [index, step] of steps.entries()) {
    const id = fresh[index] ?? "";
    if (!step.ok) return step.error;
    if (step.value === null) {
      if (sidesOf(walk, id) === fromTips) walk.lost ??= id;
      continue;
    }
    push(walk.queue, step.value);
    walk.waiting.add(id);
    if (sidesOf(walk, id) === fromTips) walk.tipsOnly++;
  }
  return null;
}

function next(walk: Walk): Step | null {
  const step = pop(walk.queue);
  if (step === null) return null;
  walk.waiting.delete(step.id);
  if (sidesOf(walk, step.id) === fromTips) walk.tipsOnly--;
  return step;
}

type Read = Promise<Result<Step | null, Problem>>;

/** Commits that were read, by repository: several reports are judged by the same history, and an id never changes. */
const readIn = new WeakMap<Repository, Map<string, Read>>();

function stepOf(repository: Repository, id: string): Read {
  const known = readIn.get(repository) ?? new Map<string, Read>();
  readIn.set(repository, known);
  const before = known.get(id);
  if (before !== undefined) return before;
  const reading = readStep(repository, id);
  known.set(id, reading);
  return reading;
}

/** The commit; null: it is not there. */
async function readStep({ objects }: Repository, id: string): Read {
  const found = await objects.read(id, commitBytesMax);
  if (!found.ok) return found;
  if (typeof found.value === "string") return ok(null);
  const commit = commitIn(found.value);
  if (!commit.ok) return commit;
  const { parents, committedAt } = commit.value;
  return ok({ id, parents, committedAt });
}

async function lostProblem(repository: Repository, id: string): Promise<Problem> {
  if (await isShallow(repository)) return cutOff(id);
  return unreadable(id, "a commit that a branch held is not there any more");
}

function tooLong(id: string): Problem {
  return makeProblem("too-large", id, `More than ${walkedMax} commits would have to be looked at.`);
}

function push(heap: Step[], step: Step): void {
  let at = heap.push(step) - 1;
  while (at > 0) {
    const above = (at - 1) >> 1;
    const parent = heap[above];
    if (parent === undefined || parent.committedAt >= step.committedAt) break;
    heap[at] = parent;
    at = above;
  }
  heap[at] = step;
}

function pop(heap: Step[]): Step | null {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined) return null;
  if (heap.length === 0) return first;
  let at = 0;
  for (;;) {
    const left = heap[2 * at + 1];
    const right = heap[2 * at + 2];
    if (left === undefined) break;
    const isRight = right !== undefined && right.committedAt > left.committedAt;
    const child = isRight ? right : left;
    if (child.committedAt <= last.committedAt) break;
    heap[at] = child;
    at = 2 * at + (isRight ? 2 : 1);
  }
  heap[at] = last;
  return first;
}
