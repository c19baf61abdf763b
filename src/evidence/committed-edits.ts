/**
 * Which edits a commit has: the file lies uncommitted in no work tree, and a commit that no branch held when the edit
 * began changes it. Rule: docs/protocol/claims.md, section 4.
 */
import type { Problem } from "../base/problem.ts";
import { ok, type Result } from "../base/result.ts";
import { branchTips } from "./git/commits.ts";
import { openRepository, type Repository, type RepositoryOptions } from "./git/repository.ts";
import { uncommittedWork } from "./uncommitted.ts";

/** A file that is edited. */
export interface EditedFile {
  readonly file: string;
  /** Full ids of the commits that branches pointed to when the edit began. */
  readonly before: readonly string[];
}

/** Those of the files that a commit has. Refuses what git and the repository refuse. */
export async function committedSince<Asked extends EditedFile>(
  directory: string,
  options: RepositoryOptions,
  asked: readonly Asked[],
): Promise<Result<readonly Asked[], Problem>> {
  const opened = await openRepository(directory, options);
  if (!opened.ok) return opened;
  await using repository = opened.value;
  const tips = await branchTips(repository);
  if (!tips.ok) return tips;
  const found: Asked[] = [];
  for (const each of asked) {
    const isChanged = await hasNewCommit(repository, tips.value.ids, each);
    if (!isChanged.ok) return isChanged;
    if (isChanged.value) found.push(each);
  }
  if (found.length === 0) return ok([]);
  const trees = await uncommittedWork(directory, options);
  if (!trees.ok) return trees;
  const open = new Set(trees.value.flatMap(({ files }) => files));
  return ok(found.filter(({ file }) => !open.has(file)));
}

/** Whether a commit that branches have now and had not before changes the file. */
async function hasNewCommit(
  { git }: Repository,
  tips: readonly string[],
  { file, before }: EditedFile,
): Promise<Result<boolean, Problem>> {
  const fresh = tips.filter((id) => !before.includes(id));
  if (fresh.length === 0) return ok(false);
  // A commit that is gone by now holds back nothing.
  const known = before.map((id) => `^${id}`);
  const input = `${[...fresh, ...known].join("\n")}\n--\n${file}\n`;
  const answer = await git.run(["--literal-pathspecs", "rev-list", "--ignore-missing", "--max-count=1", "--stdin"], {
    input,
  });
  return answer.ok ? ok(answer.value.output.length > 0) : answer;
}
