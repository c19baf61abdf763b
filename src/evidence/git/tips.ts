/**
 * Where work can be: the branches of a repository, local and remote-tracking ones, what its working trees have checked out,
 * and which of them is the team's main branch. Tags and stashes hold no work. Rules: docs/protocol/verdicts.md.
 */
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { type Git, type GitAnswer, type GitPlace, gitAt } from "./git.ts";
import { answerOf, linesOf } from "./questions.ts";
import { listedTrees, type Repository, type RepositoryOptions } from "./repository.ts";

/** A commit that holds work, by the name that a person knows. */
export interface Tip {
  readonly id: string;
  readonly name: string;
  /** No branch: what a working tree has checked out. */
  readonly isDetached: boolean;
}

/** The trees in which Baton runs checks: what they have checked out is nobody's. */
const checkTree = /\/baton-check-\d+-[^/]+\/tree$/;

/** All that may hold work: branches, newest first, then detached heads. */
export async function tipsOf(repository: Repository): Promise<readonly Tip[]> {
  const [heads, trees] = await Promise.all([
    branchLines(repository.git),
    listedTrees(repository, { answers: [0, 128] }),
  ]);
  const branches = answerOf(heads).map(([id, name]): Tip => {
    return { id, name: name.replace(/^refs\/(?:heads|remotes)\//, ""), isDetached: false };
  });
  const detached = answerOf(trees).flatMap(({ detached: id, directory: name }): readonly Tip[] =>
    id === null || checkTree.test(name) ? [] : [{ id, name, isDetached: true }],
  );
  return [...branches, ...detached];
}

/** The branches that point to commits, by id and name, newest first; unordered where one points to nothing. */
async function branchLines(git: Git): Promise<Result<readonly (readonly [id: string, name: string])[], Problem>> {
  const places = ["refs/heads/", "refs/remotes/"];
  const typed = "%(objectname) %(objecttype) %(refname)";
  const all = await git.run(["for-each-ref", "--sort=-committerdate", `--format=${typed}`, ...places]);
  // Any process can make a branch that points to no object, and must not hide the others by it.
  const answer = all.ok || all.error.code !== "repository-unreadable" ? all : await oneByOne(git, places);
  if (!answer.ok) return answer;
  const lines = answer.value.output.toString("utf8").split("\n");
  return ok(
    lines.flatMap((line): readonly (readonly [string, string])[] => {
      const [id = "", kind, name = ""] = line.split(" ");
      return kind === "commit" ? [[id, name]] : [];
    }),
  );
}

/** The same where git gives up at the first branch whose object is missing: the names, then what each of them is. */
async function oneByOne(git: Git, places: readonly string[]): Promise<Result<GitAnswer, Problem>> {
  const named = await git.run(["for-each-ref", "--format=%(objectname) %(refname)", ...places]);
  if (!named.ok) return named;
  const input = named.value.output.toString("utf8");
  return await git.run(["cat-file", "--batch-check=%(objectname) %(objecttype) %(rest)"], { input });
}

/** The commit that is checked out in a folder, absolute; undefined: none is, or git does not say. */
export async function checkedOutIn(
  directory: string,
  options: Omit<GitPlace, "directory">,
): Promise<string | undefined> {
  const found = await gitAt({ directory, ...options }).run(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  return found.ok ? found.value.output.toString("latin1").trim() : undefined;
}

/**
 * The tips of the team's main branch, local and remote-tracking, and last of that on which Baton lands work for it: of the
 * branch that the team names (null: none), else of the one that `origin` has as its own, else of `main` or `master`, else of
 * the one that is checked out.
 */
export async function mainTipsOf(
  repository: Repository,
  tips: readonly Tip[],
  named: string | null,
): Promise<readonly Tip[]> {
  const name = named ?? (await mainNameOf(repository, tips));
  const own = tips.filter((tip) => !tip.isDetached && (tip.name === name || tip.name === `origin/${name}`));
  return [...own, ...tips.filter((tip) => !tip.isDetached && tip.name === landingBranchOf(name))];
}

/** Where a local branch is; null: there is none. */
export async function tipOf(repository: Repository, name: string): Promise<string | null> {
  return (await linesOf(repository, ["rev-parse", "--verify", "--quiet", `refs/heads/${name}`]))[0] ?? null;
}

/** The branch of Baton's own on which work lands for a main branch. */
export function landingBranchOf(main: string): string {
  return `baton/${main}`;
}

/** The name of the main branch, where the team names none: see `mainTipsOf`. */
export async function mainNameOf(repository: Repository, tips: readonly Tip[]): Promise<string> {
  const [origin] = await linesOf(repository, ["symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"]);
  if (origin !== undefined) return origin.replace("refs/remotes/origin/", "");
  const usual = ["main", "master"].find((each) => tips.some(({ name }) => name === each || name === `origin/${each}`));
  if (usual !== undefined) return usual;
  const [head] = await linesOf(repository, ["symbolic-ref", "--quiet", "HEAD"]);
  return head?.replace("refs/heads/", "") ?? "";
}

/*
 * Where branches are when a task is recorded.
 */

/** Most commits of branches that are recorded with a task. */
const recordedTipsMax = 10_000;
/** How long recording a task waits for git, in milliseconds. */
const readMsMax = 10_000;

/** Branches as they are. */
export interface ReadTips {
  /** Full ids, each once. */
  readonly ids: readonly string[];
  /** There are more than were asked for. */
  readonly isCut: boolean;
}

/** The commits that branches point to, at most `most` of them. Refuses what `Git.run` refuses. */
export async function branchTips(
  { git }: { readonly git: Git },
  most = Number.POSITIVE_INFINITY,
): Promise<Result<ReadTips, Problem>> {
  const lines = await branchLines(git);
  if (!lines.ok) return lines;
  const ids = [...new Set(lines.value.map(([id]) => id))];
  return ok({ ids: ids.slice(0, most), isCut: ids.length > most });
}

/**
 * Reads the tips of the repository around `directory` to record them with a task, in one call of git. Null: there is no
 * repository, or git gave no answer in time.
 */
export async function readTips(directory: string, options: RepositoryOptions): Promise<ReadTips | null> {
  const tips = await branchTips({ git: gitAt({ msMax: readMsMax, ...options, directory }) }, recordedTipsMax);
  return tips.ok ? tips.value : null;
}

/**
 * `readTips` for many who ask at once, as at a hub that is given a whole plan: those who ask while a reading is under way
 * share the next one, which begins after each of them asked.
 */
export function sharedTips(directory: string, options: RepositoryOptions): () => Promise<ReadTips | null> {
  let running: Promise<ReadTips | null> | null = null;
  let next: Promise<ReadTips | null> | null = null;
  const start = (): Promise<ReadTips | null> => {
    next = null;
    const reading = readTips(directory, options).finally(() => {
      running = null;
    });
    running = reading;
    return reading;
  };
  return () => {
    if (next !== null) return next;
    if (running === null) return start();
    next = running.then(start, start);
    return next;
  };
}
