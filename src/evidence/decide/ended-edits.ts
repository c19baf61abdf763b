/**
 * Which edits are over, by what the repository shows: the file lies uncommitted in no work tree, and either a commit that
 * no branch held when the edit began changes it, or it was left as it was. Rule: docs/protocol/tasks.md, section 15.
 */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { openRepository, type Repository, type RepositoryOptions, workTreesOf } from "../git/repository.ts";
import { branchTips } from "../git/tips.ts";
import { filesIn, uncommittedWork } from "./uncommitted.ts";

/** A file that is edited. */
export interface EditedFile {
  readonly file: string;
  /** Full ids of the commits that branches pointed to when the edit began. */
  readonly before: readonly string[];
}

/** Those of the files that are changed in no work tree. Refuses what git and the repository refuse. */
async function unchangedIn<Asked extends Pick<EditedFile, "file">>(
  directory: string,
  options: RepositoryOptions,
  asked: readonly Asked[],
): Promise<Result<readonly Asked[], Problem>> {
  if (asked.length === 0) return ok([]);
  const paths = asked.map(({ file }) => file);
  const trees = await uncommittedWork(directory, options, paths);
  if (!trees.ok) return trees;
  const open = new Set(trees.value.flatMap(({ files }) => files));
  return ok(asked.filter(({ file }) => !open.has(file)));
}

/**
 * Those of the files that no work tree has otherwise than its last commit. A file that is there and that git does not know,
 * because it is ignored, is none of them. Refuses what git and the repository refuse.
 */
export async function asCommitted<Asked extends Pick<EditedFile, "file">>(
  directory: string,
  options: RepositoryOptions,
  asked: readonly Asked[],
): Promise<Result<readonly Asked[], Problem>> {
  const opened = await openRepository(directory, options);
  if (!opened.ok) return opened;
  await using repository = opened.value;
  const trees = await workTreesOf(repository);
  if (!trees.ok) return trees;
  const hidden = new Set<string>();
  const paths = asked.map(({ file }) => file);
  for (const { directory: root } of trees.value) {
    const listed = await repository.git.run(filesIn(root, [], paths));
    if (!listed.ok) return listed;
    const known = new Set(listed.value.output.toString("utf8").split("\0"));
    const isHidden = (path: string) => !known.has(path) && lstatSync(join(root, path), { throwIfNoEntry: false });
    for (const path of paths) if (isHidden(path)) hidden.add(path);
  }
  const seen = asked.filter(({ file }) => !hidden.has(file));
  return await unchangedIn(directory, options, seen);
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
  // Edits that began at the same tips are asked about together.
  for (const edits of Map.groupBy(asked, ({ before }) => before.join(" ")).values()) {
    const changed = await changedOf(repository, tips.value.ids, edits);
    if (!changed.ok) return changed;
    found.push(...changed.value);
  }
  return await unchangedIn(directory, options, found);
}

/** Those of the edits, which began at the same tips, whose files a commit changes that branches did not have then. */
async function changedOf<Asked extends EditedFile>(
  { git }: Repository,
  tips: readonly string[],
  edits: readonly Asked[],
): Promise<Result<readonly Asked[], Problem>> {
  const before = edits[0]?.before ?? [];
  const fresh = tips.filter((id) => !before.includes(id));
  if (fresh.length === 0) return ok([]);
  // A commit that is gone by now holds back nothing.
  const commits = [...fresh, ...before.map((id) => `^${id}`)].join("\n");
  const input = `${commits}\n--\n${edits.map(({ file }) => `${file}\n`).join("")}`;
  const words = ["log", "--format=", "--name-only", "-z", "-c", "--no-renames", "--ignore-missing", "--stdin"];
  const answer = await git.run(words, { input });
  if (!answer.ok) return answer;
  const changed = new Set(answer.value.output.toString("utf8").split("\0"));
  return ok(edits.filter(({ file }) => changed.has(file)));
}
