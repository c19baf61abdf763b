/**
 * Verified work that is overtaken: its commit is on no branch any more, a later commit that no accepted completion
 * names touched its files, or a branch that holds it has all of its files as they were before it, for any author. Later
 * is what is on a branch together with it and is none of its ancestors. A merge touches what differs from the side that
 * holds the work, unless an accepted commit behind it explains the change. Rules: docs/protocol/verdicts.md.
 */
import { nextTurn } from "../../base/clock.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { type Ancestry, ancestryOf, type HistoryCommit, type Marks, unreachable } from "../git/commits.ts";
import { isShallow, type Repository } from "../git/repository.ts";
import { compareTrees, emptyTrees } from "../git/tree-comparison.ts";
import { cutList } from "./scope-judgement.ts";

/** Work that was accepted: the full id of its commit, and the paths that it changed. */
export interface AcceptedWork {
  readonly commit: string;
  readonly files: readonly string[];
  /**
   * The branches' commits when the task was recorded, of work that was finished before that: what they hold is older than
   * the report and changes nothing of what was reported.
   */
  readonly pastTips?: readonly string[];
}

/**
 * Why each of `works` is stale, in their order: empty where it is not. `named` are full ids of commits that accepted
 * completions name. Refuses what asking git refuses; then nothing is known.
 */
export async function staleProblems(
  repository: Repository,
  works: readonly AcceptedWork[],
  named: ReadonlySet<string>,
): Promise<Result<readonly (readonly Problem[])[], Problem>> {
  const own = works.map(({ commit }) => commit);
  // The place of each work is its mark; the accepted commits of other tasks follow.
  const known = new Set(own);
  const marked = [...own, ...[...named].filter((id) => !known.has(id))];
  const ancestry = await ancestryOf(repository, marked);
  if (!ancestry.ok) return ancestry;
  const found = await touches(repository, ancestry.value, works);
  if (!found.ok) return found;
  const touched = withoutPast(ancestry.value, works, found.value);
  const later = await judgeTouches(works, touched, named, ancestry.value);
  const problems: (readonly Problem[])[] = [];
  for (const [index, work] of works.entries()) {
    const overtaken = cutList(later[index] ?? []);
    const isHere = ancestry.value.commits.has(work.commit);
    const reverted =
      isHere && overtaken.length === 0 ? await revertedAt(repository, ancestry.value, work, index, touched) : null;
    if (reverted !== null && !reverted.ok) return reverted;
    const undone = reverted?.value ?? null;
    problems.push(
      isHere ? (undone === null ? overtaken : [revertedProblem(work.commit, undone)]) : [unreachable(work.commit)],
    );
  }
  return ok(problems);
}

/**
 * The last commit of a branch on which everything that the work changed is as it was before; null: the work is still there.
 * Looked at only where accepted commits have touched all of its files since.
 */
async function revertedAt(
  repository: Repository,
  ancestry: Ancestry,
  { commit, files }: AcceptedWork,
  index: number,
  touched: readonly Touch[],
): Promise<Result<string | null, Problem>> {
  const mark = 1n << BigInt(index);
  const since = new Set(touched.filter(({ works }) => (works & mark) !== 0n).map(({ path }) => path));
  if (files.length === 0 || !files.every((path) => since.has(path))) return ok(null);
  const step = ancestry.commits.get(commit);
  const parent = step?.parents[0];
  const base = parent === undefined ? emptyTrees[repository.objectFormat] : ancestry.commits.get(parent)?.tree;
  if (step === undefined || base === undefined) return ok(null);
  const tips = ancestry.tips.flatMap((id) => {
    const tip = ancestry.commits.get(id);
    return tip !== undefined && id !== commit && (ancestry.below(id) & mark) !== 0n ? [tip] : [];
  });
  const wanted = foldersOf(files);
  const compared = await compareTrees(
    repository,
    tips.map(({ tree }) => [base, tree]),
    (folder) => wanted.has(folder),
  );
  if (!compared.ok) return compared;
  const at = compared.value.findIndex((changed) => !changed.some(({ path }) => files.includes(path)));
  return ok(tips[at]?.id ?? null);
}

/** The folders that lead to these paths, by the bytes of their names as `compareTrees` knows them. */
function foldersOf(paths: Iterable<string>): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const path of paths) {
    // A name that is no UTF-8 is shown byte by byte already.
    for (const bytes of [Buffer.from(path, "utf8").toString("latin1"), path])
      for (let end = bytes.lastIndexOf("/"); end > 0; end = bytes.lastIndexOf("/", end - 1))
        folders.add(bytes.slice(0, end));
  }
  return folders;
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
  const wanted = foldersOf(owners.keys());
  const compared = await compareTrees(
    repository,
    sides.map(({ commit, tree }) => [tree, commit.tree]),
    (folder) => wanted.has(folder),
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

/** Without what was on a branch already when work that was finished before was reported. */
function withoutPast(
  { commits }: Ancestry,
  works: readonly AcceptedWork[],
  touched: readonly Touch[],
): readonly Touch[] {
  const pasts = new Map<string, { readonly held: ReadonlySet<string>; marks: Marks }>();
  for (const [index, { pastTips = [] }] of works.entries()) {
    if (pastTips.length === 0) continue;
    const key = pastTips.join();
    const past = pasts.get(key) ?? { held: heldBy(commits, pastTips), marks: 0n };
    past.marks |= 1n << BigInt(index);
    pasts.set(key, past);
  }
  if (pasts.size === 0) return touched;
  return touched.flatMap((touch) => {
    let left = touch.works;
    for (const { held, marks } of pasts.values()) if (held.has(touch.commit.id)) left &= ~marks;
    return left === 0n ? [] : [{ ...touch, works: left }];
  });
}

/** The commits that are one of these, or that one of them descends from. */
function heldBy(commits: Ancestry["commits"], tips: readonly string[]): ReadonlySet<string> {
  const held = new Set<string>();
  const left = [...tips];
  for (let id = left.pop(); id !== undefined; id = left.pop()) {
    if (held.has(id)) continue;
    held.add(id);
    left.push(...(commits.get(id)?.parents ?? []));
  }
  return held;
}

/** How many accepted commits are looked at in one turn. */
const lookedAtOnce = 20_000;

/** What overtakes each work. `touched` has each commit before those that it descends from. */
async function judgeTouches(
  works: readonly AcceptedWork[],
  touched: readonly Touch[],
  named: ReadonlySet<string>,
  ancestry: Ancestry,
): Promise<readonly (readonly Problem[])[]> {
  const accepted = Map.groupBy(
    touched.filter(({ commit }) => named.has(commit.id)),
    ({ path }) => path,
  );
  const passed = new Map<string, number>();
  const problems = works.map((): Map<string, Problem> => new Map());
  let looked = 0;
  for (const touch of touched) {
    const { commit, path } = touch;
    const from = passed.get(path) ?? 0;
    if (named.has(commit.id)) {
      passed.set(path, from + 1);
      continue;
    }
    let left = touch.works;
    // An accepted commit explains what a merge holds only where it is behind it, and so behind it in the list, too.
    const explaining = commit.parents.length > 1 ? (accepted.get(path) ?? []) : [];
    for (let at = from; left !== 0n && at < explaining.length; at++) {
      const each = explaining[at];
      if (each !== undefined && ancestry.isBelow(each.commit.id, commit.id)) left &= ~each.works;
      looked += 1;
      if (looked % lookedAtOnce === 0) await nextTurn();
    }
    for (let index = 0; left !== 0n; index++, left >>= 1n)
      if ((left & 1n) === 1n) problems[index]?.set(path, overwritten(touch));
  }
  return problems.map((found) => [...found.values()]);
}

function revertedProblem(commit: string, tip: string): Problem {
  const message = `At ${tip.slice(0, 12)} every file that this commit changed is again as it was before.`;
  return makeProblem("work-reverted", commit, message, {
    received: tip,
    hint: "If it was meant, add a task for what is wanted instead; else bring the work back and report its new commit.",
  });
}

function overwritten({ path, commit }: Touch): Problem {
  const id = commit.id.slice(0, 12);
  return makeProblem(
    "work-overwritten",
    path,
    `The commit ${id} changed this file later, and no accepted completion names it.`,
    {
      received: commit.id,
      hint: "Look at that commit; then report the task again with the commit that now holds the work.",
    },
  );
}
