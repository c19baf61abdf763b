/** What two trees differ in, as git lists it. Renames are not guessed at, so both of their sides are in the list. */
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { type ChangedPath, changedPathReader } from "./changed-paths.ts";
import type { Git } from "./git.ts";

export type TreePair = readonly [before: string, after: string];

/** What each pair of trees differs in, by path. Refuses what `Git.run` refuses. */
export async function compareTrees(
  { git }: { readonly git: Git },
  pairs: readonly TreePair[],
): Promise<Result<readonly (readonly ChangedPath[])[], Problem>> {
  const diffs: (readonly ChangedPath[])[] = [];
  for (const pair of pairs) {
    const changed: ChangedPath[] = [];
    const words = [
      "diff-tree",
      "-r",
      "-z",
      "--raw",
      "--no-renames",
      "--no-abbrev",
      "--ignore-submodules=none",
      ...pair,
    ];
    const listed = await git.run(words, { each: changedPathReader((change) => changed.push(change)) });
    if (!listed.ok) return listed;
    diffs.push(changed.toSorted((a, b) => (a.path < b.path ? -1 : 1)));
  }
  return ok(diffs);
}
