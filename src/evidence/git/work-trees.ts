/**
 * The work trees of a repository, as its folder lists them. The list is files that any process there can write, so a folder
 * counts only if its own `.git` leads back to this repository: git would follow the list into any other repository.
 */
import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readPlainFile } from "../../base/plain-file.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import type { Repository } from "./repository.ts";

/** A folder with files of the repository. */
export interface ListedTree {
  /** Absolute. */
  readonly directory: string;
  /** False: a linked one, made for somebody. */
  readonly isMain: boolean;
  /** The branch that is checked out, without `refs/heads/`; null: none is. */
  readonly branch: string | null;
}

/** Most bytes of a linked work tree's `.git` file. */
const linkBytesMax = 16 * 1024;

/** The work trees whose folders are there and are this repository's. A bare repository has no main one. */
export async function workTreesOf(repository: Repository): Promise<Result<readonly ListedTree[], Problem>> {
  const listed = await repository.git.run(["worktree", "list", "--porcelain"]);
  if (!listed.ok) return listed;
  const blocks = listed.value.output.toString("utf8").split("\n\n");
  return ok(
    blocks.flatMap((block, index): readonly ListedTree[] => {
      const directory = /^worktree (.+)$/m.exec(block)?.[1];
      if (directory === undefined || /^(?:bare|prunable)\b/m.test(block)) return [];
      if (!leadsBack(directory, repository.commonDirectory)) return [];
      return [{ directory, isMain: index === 0, branch: /^branch refs\/heads\/(.+)$/m.exec(block)?.[1] ?? null }];
    }),
  );
}

/** Whether the folder's `.git` is this repository, or a file that names one of its linked work trees. */
function leadsBack(directory: string, commonDirectory: string): boolean {
  const own = join(directory, ".git");
  try {
    const common = realpathSync(commonDirectory);
    if (statSync(own).isDirectory()) return realpathSync(own) === common;
    const link = readPlainFile(own, linkBytesMax);
    const named = link.ok ? /^gitdir: (.+?)\n?$/.exec(link.value?.text ?? "")?.[1] : undefined;
    if (named === undefined) return false;
    const target = realpathSync(resolve(directory, named));
    // The main work tree of a repository that lies elsewhere names the repository itself.
    return target === common || (dirname(target) === join(common, "worktrees") && basename(target) !== "");
  } catch {
    // What cannot be looked at is no folder of this repository.
    return false;
  }
}
