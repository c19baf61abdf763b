/**
 * Whether a line of a file, as it was at one commit, was changed until another. The contents are compared by their ids,
 * so no path of an agent reaches git. A file that is gone, or became something else, has no line left as it was.
 * Source: docs/protocol/reviews.md.
 */
import { canonicalPath } from "../base/paths/paths.ts";
import type { Problem } from "../base/problem.ts";
import { ok, type Result } from "../base/result.ts";
import { findCommit } from "./git/commits.ts";
import type { Repository } from "./git/repository.ts";
import { compareTrees } from "./git/tree-comparison.ts";

/** A line at a commit, and the commit that may have changed it; ids as they were written. */
export interface LineAt {
  readonly before: string;
  readonly after: string;
  readonly file: string;
  /** The first is 1; 0: the file as a whole. */
  readonly line: number;
}

/** What became of a line. `commit`: the full id of the later commit. */
export interface LineChange {
  readonly isTouched: boolean;
  readonly commit: string;
}

/** Whether the line was changed. Refuses what finding the commits and asking git refuse; then nothing is known. */
export async function lineChange(
  repository: Repository,
  { before, after, file, line }: LineAt,
): Promise<Result<LineChange, Problem>> {
  const old = await findCommit(repository, before);
  if (!old.ok) return old;
  const fresh = await findCommit(repository, after);
  if (!fresh.ok) return fresh;
  const path = canonicalPath(file);
  const answer = (isTouched: boolean) => ok({ isTouched, commit: fresh.value.id });
  if (!path.ok) return answer(false);
  const compared = await compareTrees(repository, [[old.value.tree, fresh.value.tree]]);
  if (!compared.ok) return compared;
  const change = compared.value[0]?.find((each) => each.path === path.value);
  if (change === undefined) return answer(false);
  if (change.change !== "modified" || line === 0) return answer(true);
  const { before: one, after: other } = change.content;
  // Only the mode changed.
  if (one === other) return answer(false);
  const words = ["diff", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", one, other];
  const diff = await repository.git.run(words, { answers: [0, 1] });
  if (!diff.ok) return diff;
  return answer(touches(diff.value.output.toString("latin1"), line));
}

/** Whether a diff without context changes that line of its old side, or adds something right next to it. */
export function touches(diff: string, line: number): boolean {
  for (const hunk of diff.matchAll(/^@@ -(\d{1,9})(?:,(\d{1,9}))? \+/gm)) {
    const start = Number(hunk[1]);
    const count = hunk[2] === undefined ? 1 : Number(hunk[2]);
    // Nothing was taken away: something was put in behind the line of this number.
    if (count === 0 ? line === start || line === start + 1 : line >= start && line < start + count) return true;
  }
  // Contents that git does not compare by lines differ as a whole.
  return /^Binary files /m.test(diff);
}
