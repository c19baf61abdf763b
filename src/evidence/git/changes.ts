/**
 * What a commit changed: against its parent, a root commit against the empty tree. A merge has a view of each of its
 * parents, because what it brought in depends on which side is looked from; what it made itself, on top of what its
 * sides had made, is in every view.
 * Source: docs/protocol/verdicts.md.
 */

import { canonicalPath } from "../../base/paths/paths.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { ChangedPath } from "./changed-paths.ts";
import { cutOff, findCommit, hiddenHistory } from "./commits.ts";
import { unreadable } from "./git.ts";
import { type Commit, emptyTrees, submoduleMode } from "./git-objects.ts";
import { isLineTouched } from "./line-diff.ts";
import type { Repository } from "./repository.ts";
import { compareTrees, type TreePair } from "./tree-comparison.ts";

/** A commit seen from one of its parents. */
export interface ChangeView {
  /** The parent; null: the commit has none. */
  readonly base: string | null;
  /** The trees that were compared. */
  readonly trees: { readonly before: string; readonly after: string };
  readonly changed: readonly ChangedPath[];
}

export interface CommitChanges {
  /** One for each parent, the first parent's first; one for a root commit. */
  readonly views: readonly [ChangeView, ...ChangeView[]];
  /**
   * Paths of a merge that it did not simply take over: they differ from every parent, or from one that had changed them
   * since the merge base. Empty for other commits.
   */
  readonly made: readonly ChangedPath[];
}

/** Most parents of a merge that are looked at. */
const parentsMax = 32;

/**
 * The changes of a commit. Refuses `shallow-clone` where a parent was cut off, `too-large` for a merge of more than 32,
 * and what `Git.run` refuses.
 */
export async function changesOf(repository: Repository, commit: Commit): Promise<Result<CommitChanges, Problem>> {
  if (commit.parents.length > parentsMax) return err(tooMany(commit));
  const parents: Commit[] = [];
  for (const id of commit.parents) {
    const parent = await findCommit(repository, id);
    if (!parent.ok) return err(parent.error.code === "shallow-clone" ? cutOff(commit.id) : lost(id, parent.error));
    parents.push(parent.value);
  }
  const empty = emptyTrees[repository.objectFormat];
  if (parents.length < 2) {
    const before = parents[0]?.tree ?? empty;
    const compared = await compareTrees(repository, [[before, commit.tree]]);
    if (!compared.ok) return compared;
    const view = viewOf(parents[0]?.id ?? null, before, commit.tree, compared.value[0]);
    return ok({ views: [view], made: [] });
  }
  return mergeChanges(repository, commit, parents, empty);
}

async function mergeChanges(
  repository: Repository,
  merge: Commit,
  parents: readonly Commit[],
  empty: string,
): Promise<Result<CommitChanges, Problem>> {
  const base = await mergeBase(repository, parents);
  if (!base.ok) return base;
  const before = base.value?.tree ?? empty;
  const sides = parents.map(({ tree }): TreePair => [tree, merge.tree]);
  const brought = parents.map(({ tree }): TreePair => [before, tree]);
  const compared = await compareTrees(repository, [...sides, ...brought]);
  if (!compared.ok) return compared;
  const views = parents.map(({ id, tree }, index) => viewOf(id, tree, merge.tree, compared.value[index]));
  const [first, ...others] = views;
  if (first === undefined) return err(unreadable(merge.id, "a merge without parents"));
  const brings = compared.value.slice(parents.length).map((changed) => new Set(changed.map(({ path }) => path)));
  return ok({ views: [first, ...others], made: madeByMerge(views, brings) });
}

/** The changed paths that a merge of unchanged sides would not show. `brings`: what each side changed since the base. */
function madeByMerge(views: readonly ChangeView[], brings: readonly ReadonlySet<string>[]): readonly ChangedPath[] {
  const seen = new Map<string, { readonly change: ChangedPath; count: number; undoes: boolean }>();
  for (const [index, { changed }] of views.entries()) {
    for (const change of changed) {
      const entry = seen.get(change.path) ?? { change, count: 0, undoes: false };
      entry.count++;
      if (brings[index]?.has(change.path) === true) entry.undoes = true;
      seen.set(change.path, entry);
    }
  }
  return [...seen.values()].filter(({ count, undoes }) => undoes || count === views.length).map(({ change }) => change);
}

async function mergeBase(repository: Repository, parents: readonly Commit[]): Promise<Result<Commit | null, Problem>> {
  const hidden = await hiddenHistory(repository);
  if (hidden !== null) return err(hidden);
  const words = ["merge-base", ...(parents.length > 2 ? ["--octopus"] : []), ...parents.map(({ id }) => id)];
  const answer = await repository.git.run(words, { answers: [0, 1] });
  if (!answer.ok) return answer;
  const [id = ""] = answer.value.output.toString("latin1").split("\n");
  return id === "" ? ok(null) : findCommit(repository, id);
}

function viewOf(
  base: string | null,
  before: string,
  after: string,
  changed: readonly ChangedPath[] | undefined,
): ChangeView {
  return { base, trees: { before, after }, changed: changed ?? [] };
}

function lost(id: string, cause: Problem): Problem {
  return unreadable(id, `a parent of the commit cannot be read: ${cause.message}`);
}

function tooMany({ id, parents }: Commit): Problem {
  return makeProblem("too-large", id, `The merge has ${parents.length} parents; at most ${parentsMax} are looked at.`);
}

/*
 * Whether a line of a file, as it was at one commit, was changed until another. The contents are read by their ids and
 * compared here: how git shows a difference is for the repository's settings and attributes to say. A file that is gone,
 * or became something else, has no line left as it was.
 * Source: docs/protocol/verdicts.md, section 10.
 */

/** A line at a commit, and the commit that may have changed it; ids as they were written. */
interface LineAt {
  readonly before: string;
  readonly after: string;
  readonly file: string;
  /** The first is 1; 0: the file as a whole. */
  readonly line: number;
}

/** What became of a line. `commit`: the full id of the later commit. */
interface LineChange {
  readonly isTouched: boolean;
  readonly commit: string;
}

/** Largest content whose lines are compared. */
const contentBytesMax = 4 * 1024 * 1024;

/**
 * Whether the line was changed. Refuses what finding the commits and reading objects refuse, and `too-large` where the
 * contents differ in too much; then nothing is known.
 */
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
  if (change.change !== "modified" || line === 0 || change.mode.after === submoduleMode) return answer(true);
  // Only the mode changed.
  if (change.content.before === change.content.after) return answer(false);
  const sides: Buffer[] = [];
  for (const id of [change.content.before, change.content.after]) {
    const read = await repository.objects.read(id, contentBytesMax);
    if (!read.ok) return read;
    if (typeof read.value === "string") return err(unreadable(id, "the content of a file is not there"));
    sides.push(read.value.content);
  }
  const [one = Buffer.alloc(0), other = Buffer.alloc(0)] = sides;
  const isTouched = isLineTouched(one, other, line);
  return isTouched === null ? err(tooDifferent(path.value)) : answer(isTouched);
}

function tooDifferent(path: string): Problem {
  return makeProblem("too-large", path, "The file differs in too much to say whether one of its lines was changed.");
}
