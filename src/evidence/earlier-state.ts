/**
 * Files that reported commits leave as a branch had them when the task was recorded: removed and brought back, or merged
 * anew from an old branch. They count as no change. What a commit builds on decides, not any branch that ever was: who
 * takes a file back to an older state changes it. Rules: docs/protocol/verdicts.md.
 */
import type { Problem } from "../base/problem.ts";
import { ok, type Result } from "../base/result.ts";
import type { KnownBranches } from "./commit-age.ts";
import { findCommit } from "./commits.ts";
import type { Commit } from "./git-objects.ts";
import { nearestOf, nearestTips } from "./history-walk.ts";
import type { ChangedPath } from "./raw-diff.ts";
import type { Repository } from "./repository.ts";
import { compareTrees, type Within } from "./tree-comparison.ts";

/**
 * The changes without those that leave a file as it was. Of several commits the last ones on their lines of history count.
 * Refuses what reading objects and walking the history refuses.
 */
export async function changedSince(
  repository: Repository,
  commits: readonly string[],
  changed: readonly ChangedPath[],
  branches: KnownBranches | undefined,
): Promise<Result<readonly ChangedPath[], Problem>> {
  const recorded = branches?.recorded ?? null;
  if (recorded === null || branches?.isFinishedBefore === true || changed.length === 0) return ok(changed);
  const heads = await nearestOf(repository, commits);
  if (!heads.ok) return heads;
  const tips = new Set(recorded.ids);
  let old: readonly string[] | null = null;
  for (const id of heads.value) {
    const kept = await keptBy(repository, id, changed, tips);
    if (!kept.ok) return kept;
    old = [...kept.value].filter((path) => old?.includes(path) !== false);
  }
  return ok(changed.filter(({ path }) => old?.includes(path) !== true));
}

/** Which of the paths are in the commit as they were in all recorded commits that one of its parents builds on. */
async function keptBy(
  repository: Repository,
  id: string,
  changed: readonly ChangedPath[],
  tips: ReadonlySet<string>,
): Promise<Result<ReadonlySet<string>, Problem>> {
  const commit = await findCommit(repository, id);
  if (!commit.ok) return commit;
  const nearest = await nearestTips(repository, id, tips);
  if (!nearest.ok) return nearest;
  const kept = new Set<string>();
  for (const parent of commit.value.parents) {
    const behind = await nearestTips(repository, parent, new Set(nearest.value));
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

/** The folders that the paths lie in; all of them where a name is not text, so that none is missed. */
function foldersOf(changed: readonly ChangedPath[]): Within {
  if (changed.some(({ isText }) => !isText)) return () => true;
  const folders = new Set<string>();
  for (const { path } of changed) {
    const bytes = Buffer.from(path).toString("latin1");
    for (let end = bytes.indexOf("/"); end !== -1; end = bytes.indexOf("/", end + 1)) folders.add(bytes.slice(0, end));
  }
  return (folder) => folders.has(folder);
}
