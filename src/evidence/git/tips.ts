/**
 * Where work can be: the branches of a repository, local and remote-tracking ones, what its working trees have checked out,
 * and which of them is the team's main branch. Tags and stashes hold no work. Rules: docs/protocol/verdicts.md.
 */
import { type GitPlace, gitAt } from "./git.ts";
import { ask, linesOf } from "./questions.ts";
import type { Repository } from "./repository.ts";

/** A commit that holds work, by the name that a person knows. */
export interface Tip {
  readonly id: string;
  readonly name: string;
  /** No branch: what a working tree has checked out. */
  readonly isDetached: boolean;
}

/** All that may hold work: branches, newest first, then detached heads. */
export async function tipsOf(repository: Repository): Promise<readonly Tip[]> {
  const words = ["for-each-ref", "--sort=-committerdate", "--format=%(objectname) %(objecttype) %(refname)"];
  const [heads, trees] = await Promise.all([
    branchLines(repository, words),
    ask(repository, ["worktree", "list", "--porcelain"], { answers: [0, 128] }),
  ]);
  const branches = heads.flatMap((line): readonly Tip[] => {
    const [id = "", kind = "", name = ""] = line.split(" ");
    return kind === "commit" ? [{ id, name: name.replace(/^refs\/(?:heads|remotes)\//, ""), isDetached: false }] : [];
  });
  const detached = trees.output
    .toString("utf8")
    .split("\n\n")
    .flatMap((each): readonly Tip[] => {
      const id = /^HEAD ([0-9a-f]+)$/m.exec(each)?.[1] ?? "";
      if (!/^detached$/m.test(each) || /^0*$/.test(id)) return [];
      return [{ id, name: /^worktree (.*)$/m.exec(each)?.[1] ?? "", isDetached: true }];
    });
  return [...branches, ...detached];
}

/** The branches as git lists them; one by one where it gives up at the first whose object is missing. */
async function branchLines(repository: Repository, words: readonly string[]): Promise<readonly string[]> {
  const places = ["refs/heads/", "refs/remotes/"];
  const listed = await ask(repository, [...words, ...places], { answers: [0, 128] });
  if (listed.code === 0) return listed.output.toString("utf8").split("\n");
  const named = await linesOf(repository, ["for-each-ref", "--format=%(objectname) %(refname)", ...places]);
  const input = named.map((line) => `${line}\n`).join("");
  return await linesOf(repository, ["cat-file", "--batch-check=%(objectname) %(objecttype) %(rest)"], input);
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
 * The tips of the team's main branch, local and remote-tracking: of the branch that the team names (null: none), else of the
 * one that `origin` has as its own, else of `main` or `master`, else of the one that is checked out.
 */
export async function mainTipsOf(
  repository: Repository,
  tips: readonly Tip[],
  named: string | null,
): Promise<readonly Tip[]> {
  const name = named ?? (await mainNameOf(repository, tips));
  return tips.filter((tip) => !tip.isDetached && (tip.name === name || tip.name === `origin/${name}`));
}

async function mainNameOf(repository: Repository, tips: readonly Tip[]): Promise<string> {
  const [origin] = await linesOf(repository, ["symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"]);
  if (origin !== undefined) return origin.replace("refs/remotes/origin/", "");
  const usual = ["main", "master"].find((each) => tips.some(({ name }) => name === each || name === `origin/${each}`));
  if (usual !== undefined) return usual;
  const [head] = await linesOf(repository, ["symbolic-ref", "--quiet", "HEAD"]);
  return head?.replace("refs/heads/", "") ?? "";
}
