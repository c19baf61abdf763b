/**
 * Whether reported work is older than the task that it is reported for: a branch already held the commits when the task
 * was recorded (dates do not count), or the files are as a branch had them then. Files that were removed and brought
 * back, merged again from an old branch, or rewritten from older work count as no change. What a commit builds on
 * decides, not any branch that ever was: restoring an older state of a file changes it.
 * Rules: docs/protocol/verdicts.md.
 */
import { makeProblem, type Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import type { Note } from "../../messages/message.ts";
import type { ChangedPath } from "../git/changed-paths.ts";
import { findCommit, type ReadTips } from "../git/commits.ts";
import type { Commit } from "../git/git-objects.ts";
import { isReached, nearestOf, nearestTips } from "../git/history-walk.ts";
import type { Repository } from "../git/repository.ts";
import { compareTrees, foldersOf } from "../git/tree-comparison.ts";
import { earlierWork } from "./rewritten-work.ts";

/** Where the branches were when the task was recorded and when it was claimed; null: that was not recorded. */
export interface KnownBranches {
  /** `gone`: commits that branches held at an earlier look, and no longer when the task was recorded. */
  readonly recorded: (ReadTips & { readonly gone?: readonly string[] }) | null;
  readonly claimed: ReadTips | null;
  /** A lead says that the work was finished before the task was recorded. */
  readonly isFinishedBefore: boolean;
  /** This report was verified before: a branch that was rewritten or removed since says nothing against it. */
  readonly wasVerified?: boolean;
}

/** What the age of the commits says against the work, and what it only notes. */
export interface AgeFindings {
  readonly problems: readonly Problem[];
  readonly notes: readonly Note[];
}

/** What of the changes is new since the task was recorded. */
interface ChangesSince {
  readonly changed: readonly ChangedPath[];
  /** A recorded commit that held others of them before its branch was rewritten; null: there are none. */
  readonly rewritten: string | null;
  /** A recorded commit of another branch that holds all of `changed` as they are; null: there is none. */
  readonly elsewhere: string | null;
}

/** Judges the commits, given as full ids. Problems: `commit-before-task`, and what keeps that from being seen. */
export async function judgeAge(
  repository: Repository,
  commits: readonly string[],
  { recorded, claimed, isFinishedBefore, wasVerified = false }: KnownBranches,
): Promise<AgeFindings> {
  if (isFinishedBefore) return { problems: [], notes: [finishedNote] };
  if (recorded === null) return { problems: [], notes: [unknownNote] };
  const problems: Problem[] = [];
  const notes: Note[] = [];
  const hidden = wasVerified ? [] : await presentOf(repository, recorded.gone ?? []);
  for (const commit of commits) {
    const isOld = await isReached(repository, commit, recorded.ids);
    const wasHidden =
      isOld.ok && !isOld.value && hidden.length > 0 ? await isReached(repository, commit, hidden) : isOld;
    if (!wasHidden.ok) problems.push(wasHidden.error);
    else if (wasHidden.value) problems.push(beforeTask(commit));
    else if (recorded.isCut) problems.push(tooManyBranches(commit));
    else {
      const isUnclaimed = claimed === null ? null : await isReached(repository, commit, claimed.ids);
      if (isUnclaimed?.ok === true && isUnclaimed.value) notes.push(beforeClaim(commit));
    }
  }
  return { problems, notes };
}

/** The commits that the repository still has: git removes what no branch holds, and then nobody can report it either. */
async function presentOf(repository: Repository, commits: readonly string[]): Promise<readonly string[]> {
  const present: string[] = [];
  for (const id of commits) if ((await findCommit(repository, id)).ok) present.push(id);
  return present;
}

const finishedNote: Note = {
  code: "finished-before",
  path: "$",
  message: "The work was finished before the task was recorded, as the lead says who reported it.",
};

const unknownNote: Note = {
  code: "branches-unknown",
  path: "$",
  message: "Nobody recorded where the branches were when the task was recorded, so its commit may be older than it.",
};

function beforeClaim(commit: string): Note {
  const message = `The commit ${commit.slice(0, 12)} was on a branch before the task was claimed.`;
  return { code: "commit-before-claim", path: commit, message };
}

function beforeTask(commit: string): Problem {
  return makeProblem("commit-before-task", commit, "A branch held this commit before the task was recorded.", {
    expected: "a commit that was made for the task",
    received: commit,
    hint: "Report the commit that does the work. Where it was done before, a lead reports it: `baton task complete TASK --commit HASH --finished-before`.",
  });
}

/** Work of which more branches than are recorded may speak. */
export function tooManyBranches(commit: string): Problem {
  return makeProblem(
    "too-large",
    commit,
    "There were more branches than are recorded when the task was, so its age is open.",
    {
      hint: "Remove branches that nobody needs; then add the task under another id.",
    },
  );
}

/**
 * The changes without those that leave a file as it was, and without older work that was rewritten. Of several commits the
 * last ones on their lines of history count. Refuses what reading objects and walking the history refuses.
 */
export async function changesSince(
  repository: Repository,
  commits: readonly string[],
  changed: readonly ChangedPath[],
  { branches, present }: { readonly branches: KnownBranches | undefined; readonly present: readonly string[] },
): Promise<Result<ChangesSince, Problem>> {
  const recorded = branches?.recorded ?? null;
  if (recorded === null || branches?.isFinishedBefore === true || changed.length === 0)
    return ok({ changed, rewritten: null, elsewhere: null });
  const heads = await nearestOf(repository, commits);
  if (!heads.ok) return heads;
  const tips = new Set(recorded.ids);
  let old: readonly string[] | null = null;
  const builtOn: string[] = [];
  let isForked = false;
  for (const id of heads.value) {
    const nearest = await nearestTips(repository, id, tips);
    if (!nearest.ok) return nearest;
    // Where not all branches were recorded, it may build on one of the others.
    if (nearest.value.length === 0 && !recorded.isCut) isForked = true;
    builtOn.push(...nearest.value);
    const kept = await keptBy(repository, id, changed, nearest.value);
    if (!kept.ok) return kept;
    old = [...kept.value].filter((path) => old?.includes(path) !== false);
  }
  const left = changed.filter(({ path }) => old?.includes(path) !== true);
  if (left.length === 0) return ok({ changed: left, rewritten: null, elsewhere: null });
  const { wasVerified = false } = branches ?? {};
  const work = { heads: heads.value, changed: left, recorded: recorded.ids, builtOn, present, isForked, wasVerified };
  const earlier = await earlierWork(repository, work);
  if (!earlier.ok) return earlier;
  const { rewritten, elsewhere } = earlier.value;
  const fresh = left.filter(({ path }) => !rewritten.has(path));
  const isElsewhere = fresh.every(({ path }) => elsewhere.has(path));
  return ok({
    changed: fresh,
    rewritten: [...rewritten.values()][0] ?? null,
    elsewhere: isElsewhere ? (elsewhere.get(fresh[0]?.path ?? "") ?? null) : null,
  });
}

/** Which of the paths are in the commit as they were in all recorded commits that one of its parents builds on. */
async function keptBy(
  repository: Repository,
  id: string,
  changed: readonly ChangedPath[],
  nearest: readonly string[],
): Promise<Result<ReadonlySet<string>, Problem>> {
  const commit = await findCommit(repository, id);
  if (!commit.ok) return commit;
  const kept = new Set<string>();
  for (const parent of commit.value.parents) {
    const behind = await nearestTips(repository, parent, new Set(nearest));
    if (!behind.ok) return behind;
    if (behind.value.length === 0) continue;
    const differing = await differingFrom(repository, commit.value, behind.value, changed);
    if (!differing.ok) return differing;
    for (const { path } of changed) if (!differing.value.has(path)) kept.add(path);
  }
  return ok(kept);
}

/**
 * The recorded commits that the work builds on and meets first, each with the paths of the changes that the work leaves as
 * they are there. Refuses what reading objects and walking the history refuses.
 */
export async function leftAsRecorded(
  repository: Repository,
  commits: readonly string[],
  changed: readonly ChangedPath[],
  recorded: readonly string[],
): Promise<Result<ReadonlyMap<string, ReadonlySet<string>>, Problem>> {
  const heads = await nearestOf(repository, commits);
  if (!heads.ok) return heads;
  const tips = new Set(recorded);
  const left = new Map<string, ReadonlySet<string>>();
  for (const id of heads.value) {
    const [head, nearest] = [await findCommit(repository, id), await nearestTips(repository, id, tips)];
    if (!head.ok) return head;
    if (!nearest.ok) return nearest;
    for (const tip of nearest.value) {
      const differing = await differingFrom(repository, head.value, [tip], changed);
      if (!differing.ok) return differing;
      const same = changed.flatMap(({ path }) => (differing.value.has(path) ? [] : [path]));
      left.set(tip, new Set([...(left.get(tip) ?? []), ...same]));
    }
  }
  return ok(left);
}

/** The paths in which the commit differs from one of these. */
async function differingFrom(
  repository: Repository,
  { tree }: Commit,
  earlier: readonly string[],
  changed: readonly ChangedPath[],
): Promise<Result<ReadonlySet<string>, Problem>> {
  const differing = new Set<string>();
  for (const id of earlier) {
    const before = await findCommit(repository, id);
    if (!before.ok) return before;
    const compared = await compareTrees(repository, [[before.value.tree, tree]], foldersOf(changed));
    if (!compared.ok) return compared;
    for (const { path } of compared.value.flat()) differing.add(path);
  }
  return ok(differing);
}
