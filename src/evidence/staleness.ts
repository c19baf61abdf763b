/**
 * Verified work that no longer stands: its commit is on no branch any more, or a later commit that no accepted completion
 * names touched its files. Later is what is on a branch together with it and is none of its ancestors. A merge touches
 * what differs from the side that holds the work, unless an accepted commit on its way explains the change.
 * Source: semantics.md section 3 (Completion).
 */
import { type Problem, problem } from "../base/problem.ts";
import { ok, type Result } from "../base/result.ts";
import { type Ancestry, ancestryOf, type HistoryCommit, type Marks } from "./ancestry.ts";
import { unreachable } from "./commits.ts";
import { cutList } from "./problem-list.ts";
import { isShallow, type Repository } from "./repository.ts";
import { compareTrees, emptyTrees } from "./tree-comparison.ts";

/** Work that was accepted: the full id of its commit, and the paths that it changed. */
export interface AcceptedWork {
  readonly commit: string;
  readonly files: readonly string[];
}

/**
 * Why each of `works` no longer stands, in their order: empty where it does. `named` are full ids of commits that accepted
 * completions name. Refuses what asking git refuses; then nothing is known.
 */
export async function staleProblems(
  repository: Repository,
  works: readonly AcceptedWork[],
  named: ReadonlySet<string>,
): Promise<Result<readonly (readonly Problem[])[], Problem>> {
  const ancestry = await ancestryOf(
    repository,
    works.map(({ commit }) => commit),
  );
  if (!ancestry.ok) return ancestry;
  const touched = await touches(repository, ancestry.value, works);
  if (!touched.ok) return touched;
  const later = judgeTouches(works, touched.value, named);
  return ok(
    works.map(({ commit }, index) =>
      ancestry.value.commits.has(commit) ? cutList(later[index] ?? []) : [unreachable(commit)],
    ),
  );
}

/** A later commit touched a file of some works. */
interface Touch {
  readonly commit: HistoryCommit;
  readonly path: string;
  readonly works: Marks;
}

/** A commit as seen from one of its parents; null: it has none, or none is here. */
interface Side {
  readonly commit: HistoryCommit;
  readonly parent: string | null;
  /** The tree that it is compared with. */
  readonly tree: string;
}

async function touches(
  repository: Repository,
  ancestry: Ancestry,
  works: readonly AcceptedWork[],
): Promise<Result<readonly Touch[], Problem>> {
  const owners = new Map<string, Marks>();
  for (const [index, { files }] of works.entries())
    for (const path of files) owners.set(path, (owners.get(path) ?? 0n) | (1n << BigInt(index)));
  const later = [...ancestry.commits.values()].filter(({ id }) => ancestry.before(id) !== 0n);
  const isCutOff = later.some(({ parents }) => parents.length === 0) && (await isShallow(repository));
  const empty = emptyTrees[repository.objectFormat];
  const sides = later.flatMap((commit): readonly Side[] => {
    if (commit.parents.length === 0) return isCutOff ? [] : [{ commit, parent: null, tree: empty }];
    return commit.parents.flatMap((parent) => {
      const tree = ancestry.commits.get(parent)?.tree;
      return tree === undefined ? [] : [{ commit, parent, tree }];
    });
  });
  const compared = await compareTrees(
    repository,
    sides.map(({ commit, tree }) => [tree, commit.tree]),
  );
  if (!compared.ok) return compared;
  const found = sides.flatMap(({ commit, parent }, index) => {
    // Of a merge only the side that holds the work says what happened to it.
    const isMerge = commit.parents.length > 1;
    const concerned = ancestry.before(commit.id) & (isMerge && parent !== null ? ancestry.below(parent) : ~0n);
    if (concerned === 0n) return [];
    return (compared.value[index] ?? []).flatMap(({ path }) => {
      const hit = (owners.get(path) ?? 0n) & concerned;
      return hit === 0n ? [] : [{ commit, path, works: hit }];
    });
  });
  return ok(found);
}

function judgeTouches(
  works: readonly AcceptedWork[],
  touched: readonly Touch[],
  named: ReadonlySet<string>,
): readonly (readonly Problem[])[] {
  const isMerge = ({ commit }: Touch): boolean => commit.parents.length > 1;
  const explained = new Map<string, Marks>();
  for (const touch of touched)
    if (named.has(touch.commit.id)) explained.set(touch.path, (explained.get(touch.path) ?? 0n) | touch.works);
  const problems = works.map((): Map<string, Problem> => new Map());
  for (const touch of touched) {
    if (named.has(touch.commit.id)) continue;
    const stands = isMerge(touch) ? (explained.get(touch.path) ?? 0n) : 0n;
    for (let index = 0, left = touch.works & ~stands; left !== 0n; index++, left >>= 1n)
      if ((left & 1n) === 1n) problems[index]?.set(touch.path, overwritten(touch));
  }
  return problems.map((found) => [...found.values()]);
}

function overwritten({ path, commit }: Touch): Problem {
  const id = commit.id.slice(0, 12);
  return problem(
    "work-overwritten",
    path,
    `The commit ${id} changed this file later, and no accepted completion names it.`,
    {
      received: commit.id,
      hint: "Look at that commit; then report the task again with the commit that now holds the work.",
    },
  );
}
