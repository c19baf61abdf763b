/**
 * Agents' work trees that nobody needs any more: nothing is uncommitted, all that was committed has landed, and no process
 * works there. These alone are removed, each with its branch; whatever else a tree has, it keeps.
 */
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { counted, shortList } from "../../base/text.ts";
import { processesIn } from "../../perform/workspace/agent-sessions.ts";
import { uncommittedIn } from "../decide/uncommitted.ts";
import { agentBranch } from "../git/agent-tree.ts";
import { checkoutMsMax, withoutFilters } from "../git/checkout.ts";
import { unlandedOf } from "../git/own-tree.ts";
import { answerOf, ask, linesOf, look } from "../git/questions.ts";
import { type ListedTree, openRepository, type Repository, workTreesOf } from "../git/repository.ts";
import { landingBranchOf, mainNameOf, tipsOf } from "../git/tips.ts";
import type { RepositoryPlace } from "./gate.ts";

interface Trees {
  /** The team's `.baton/`. */
  readonly directory: string;
  /** The team's main branch; null: git's. */
  readonly main: string | null;
  /** Reported commits whose work is on the main branch, perhaps as other commits. */
  readonly landed: readonly string[];
  /** The number of the agent's program that runs; null: none does. */
  readonly processOf: (agent: string) => string | null;
}

/** An agent's tree: removed, or why it stays. */
export interface CleanedTree {
  readonly agent: string;
  /** Null: it was removed. */
  readonly why: string | null;
}

/** Removes them, and says of each tree of the team what became of it. Refuses what the repository refuses. */
export async function removeLandedTrees(
  place: RepositoryPlace,
  { processOf, ...trees }: Trees,
): Promise<Result<readonly CleanedTree[], Problem>> {
  return await eachTree(place, trees, async (repository, tree, known) => {
    const agent = basename(tree.directory);
    const kept = whyInUse(tree, processOf(agent)) ?? (await whyKept(repository, place, tree, known));
    return { agent, why: kept ?? (await remove(repository, tree)) };
  });
}

/** Commits on an agent's branch that landed nowhere. */
export interface UnlandedCommits {
  readonly agent: string;
  readonly branch: string;
  readonly main: string;
  readonly commits: number;
}

/** What the agents' branches have that landed nowhere; merges count as what they bring. */
export async function unlandedCommits(
  place: RepositoryPlace,
  trees: Omit<Trees, "processOf">,
): Promise<Result<readonly UnlandedCommits[], Problem>> {
  const found = await eachTree(place, trees, async (repository, { directory, branch }, { onto, landed, target }) => {
    const open = branch === null ? [] : await unlandedOf(repository, `refs/heads/${branch}`, onto, landed);
    const words = ["rev-list", "--no-walk", "--no-merges", "--stdin"];
    const commits = open.length === 0 ? [] : await linesOf(repository, words, `${open.join("\n")}\n`);
    return { agent: basename(directory), branch: branch ?? "", main: target, commits: commits.length };
  });
  return found.ok ? ok(found.value.filter(({ commits }) => commits > 0)) : found;
}

interface Landed {
  /** The main branch, and the commits of all where work lands. */
  readonly target: string;
  readonly onto: readonly string[];
  readonly landed: ReadonlySet<string>;
}

async function eachTree<Found>(
  place: RepositoryPlace,
  { directory, main, landed }: Omit<Trees, "processOf">,
  find: (repository: Repository, tree: ListedTree, known: Landed) => Promise<Found>,
): Promise<Result<readonly Found[], Problem>> {
  const folder = join(directory, "trees");
  if (!existsSync(folder)) return ok([]);
  const opened = await openRepository(place.directory, place);
  if (!opened.ok) return opened;
  await using repository = opened.value;
  return await look(async () => {
    const target = main ?? (await mainNameOf(repository, await tipsOf(repository)));
    const branches = [`refs/heads/${landingBranchOf(target)}`, `refs/heads/${target}`, `refs/remotes/origin/${target}`];
    const onto: string[] = [];
    for (const name of branches)
      onto.push(...(await linesOf(repository, ["rev-parse", "--verify", "--quiet", `${name}^{commit}`])));
    const words = ["rev-list", "--no-walk", "--ignore-missing", "--stdin"];
    const ids = landed.length === 0 ? [] : await linesOf(repository, words, `${landed.join("\n")}\n`);
    const known = { target, onto, landed: new Set(ids) };
    const all: Found[] = [];
    for (const tree of answerOf(await workTreesOf(repository)))
      if (dirname(tree.directory) === realpathSync(folder)) all.push(await find(repository, tree, known));
    return all;
  });
}

/** Who needs its folder now, also a program that no session is known of; null: nobody. */
function whyInUse({ directory }: ListedTree, program: string | null): string | null {
  if (program !== null) return `its program runs, process ${program}; where it does not end: kill -9 ${program}`;
  const processes = existsSync(directory) ? processesIn(directory) : [];
  return processes.length === 0 ? null : `in use by ${shortList(processes)}`;
}

/** What the tree has that is nowhere else; null: nothing. */
async function whyKept(
  repository: Repository,
  place: RepositoryPlace,
  { directory, branch }: ListedTree,
  { onto, landed }: Landed,
): Promise<string | null> {
  if (branch !== agentBranch(basename(directory))) return "another branch is checked out";
  const files = answerOf(await uncommittedIn(directory, place));
  if (files.length > 0) return `${counted(files.length, "uncommitted file")}: ${shortList(files)}`;
  const open = await unlandedOf(repository, `refs/heads/${branch}`, onto, landed);
  return open.length === 0 ? null : `${counted(open.length, "commit")} not landed on the main branch`;
}

/** Git itself refuses a tree that is not clean any more; then it says why. */
async function remove(repository: Repository, { directory, branch }: ListedTree): Promise<string | null> {
  const tip = (await ask(repository, ["rev-parse", `refs/heads/${branch}`])).output.toString("utf8").trim();
  await ask(repository, ["worktree", "unlock", directory], { answers: [0, 128] });
  const own = await withoutFilters(repository);
  const done = await ask(repository, ["worktree", "remove", directory], {
    own,
    answers: [0, 128],
    msMax: checkoutMsMax,
  });
  if (done.code === 0) await ask(repository, ["update-ref", "-d", `refs/heads/${branch}`, tip]);
  else await ask(repository, ["worktree", "lock", "--reason", "baton", directory], { answers: [0, 128] });
  return done.code === 0 ? null : done.words;
}
