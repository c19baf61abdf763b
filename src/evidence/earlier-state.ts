/**
 * Files that reported commits leave as a branch had them when the task was recorded: removed and brought back, or
 * merged again from an old branch; and older work that was rewritten since. They count as no change. What a commit
 * builds on decides, not any branch that ever was: restoring an older state of a file changes it. Rules:
 * docs/protocol/verdicts.md.
 */
import type { Problem } from "../base/problem.ts";
import { ok, type Result } from "../base/result.ts";
import type { KnownBranches } from "./commit-age.ts";
import { findCommit } from "./git/commits.ts";
import type { Commit } from "./git/git-objects.ts";
import { nearestOf, nearestTips } from "./git/history-walk.ts";
import type { ChangedPath } from "./git/raw-diff.ts";
import type { Repository } from "./git/repository.ts";
import { compareTrees, foldersOf } from "./git/tree-comparison.ts";
import { earlierWork } from "./rewritten-work.ts";

/** What of the changes is new since the task was recorded. */
export interface ChangesSince {
  readonly changed: readonly ChangedPath[];
  /** A recorded commit that held others of them before its branch was rewritten; null: there are none. */
  readonly rewritten: string | null;
  /** A recorded commit of another branch that holds all of `changed` as they are; null: there is none. */
  readonly elsewhere: string | null;
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
