/**
 * Baton's own branch, on which a hub lands work for a main branch: what it begins on, and how it is moved. Only Baton moves
 * it, so what somebody else put there is not landed on. Rules: docs/protocol/verdicts.md, section 12.
 */
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { saidBy, shortList } from "../../base/text.ts";
import { isLeftLocked } from "../../evidence/git/checkout.ts";
import { mergedTree, treeOf, type Unmerged } from "../../evidence/git/merged-tree.ts";
import { batonsName, commitOf, durable } from "../../evidence/git/new-commit.ts";
import { isAncestor, linesOf } from "../../evidence/git/questions.ts";
import { type Repository, workTreesOf } from "../../evidence/git/repository.ts";
import { landingBranchOf, type Tip, tipOf } from "../../evidence/git/tips.ts";
import type { TeamContext } from "../../perform/context.ts";
import type { LandingBranch } from "../../tasks/state/task-state.ts";

/** Where work is put. */
export interface Onto {
  readonly name: string;
  /** Where the branch is; null: it is not there. */
  readonly tip: string | null;
  /** What the work is merged behind. */
  readonly base: string;
}

/**
 * What work for the main branch is merged behind: Baton's branch with what came to the main branch since; the main branch
 * itself, where that has all of it. Refuses `not-ready` where somebody else moved Baton's branch, or where both conflict.
 */
export async function landingOnto(
  repository: Repository,
  main: Pick<Tip, "name" | "id">,
  knownNow: () => Promise<LandingBranch | undefined>,
): Promise<Result<Onto, Problem>> {
  const name = landingBranchOf(main.name);
  const tip = await tipOf(repository, name);
  // A move is recorded before it is made: who else lands has recorded where the branch was just found.
  const known = await knownNow();
  const isKnown = tip === known?.to || tip === known?.from || known?.earlier.includes(tip ?? "") === true;
  if (tip !== null && !isKnown && !(await isAncestor(repository, tip, main.id))) return err(foreign(name, tip));
  const isAkin = async (id: string) => (await linesOf(repository, ["merge-base", id, main.id])).length > 0;
  if (tip !== null && !(await isAkin(tip))) return err(begunAnew(name, main.name));
  // What landed is not lost with the branch.
  const { to = null } = known ?? {};
  const last = tip ?? (to !== null && (await isAkin(to)) ? to : null);
  if (last === null || (await isAncestor(repository, last, main.id))) return ok({ name, tip, base: main.id });
  if (await isAncestor(repository, main.id, last)) return ok({ name, tip, base: last });
  const merged = await mergedTree(repository, main.id, last);
  if (!merged.ok) return err(apart(name, main.name, merged.error));
  // A pull request brought all of it as other commits.
  if (merged.value === (await treeOf(repository, main.id))) return ok({ name, tip, base: main.id });
  const base = await mergeCommit(repository, merged.value, [last, main.id], `Merge ${main.name}\n`);
  return ok({ name, tip, base });
}

/** Moves Baton's branch, or makes it. Nothing has moved where it refuses. */
export async function moveLanding(
  { clock }: Pick<TeamContext, "clock">,
  repository: Repository,
  { name, tip }: Onto,
  to: string,
): Promise<Result<void, Problem>> {
  const trees = await workTreesOf(repository);
  if (!trees.ok) return trees;
  const tree = trees.value.find(({ branch }) => branch === name);
  if (tree !== undefined) return err(checkedOut(name, tree.directory));
  const none = "0".repeat(to.length);
  const words = [...durable, "update-ref", "--no-deref", "-m", "baton land", `refs/heads/${name}`, to, tip ?? none];
  const run = async () => await repository.git.run(words, { answers: [0, 1, 128] });
  let done = await run();
  if (done.ok && done.value.code !== 0 && (await isLeftLocked(clock, repository, name))) done = await run();
  if (!done.ok) return done;
  return done.value.code === 0 ? ok(undefined) : err(stays(name, done.value.words));
}

/** A merge of which no branch knows yet. */
export async function mergeCommit(
  repository: Repository,
  tree: string,
  parents: readonly string[],
  message: string,
): Promise<string> {
  return await commitOf(repository, { tree, parents, message, own: await nameless(repository) });
}

/** Who merges where git knows no name of the person: a machine that only runs the team. */
async function nameless({ git }: Repository): Promise<Readonly<Record<string, string>>> {
  const known = await git.run(["var", "GIT_COMMITTER_IDENT"], { answers: [0, 128] });
  if (known.ok && known.value.code === 0) return {};
  return batonsName;
}

function foreign(name: string, tip: string): Problem {
  return makeProblem("not-ready", name, `Somebody else moved ${name} to ${tip.slice(0, 12)}; only Baton moves it.`, {
    hint: `Call it otherwise, and Baton goes on where it was: git branch -m ${name} OTHER`,
  });
}

function begunAnew(name: string, main: string): Problem {
  return makeProblem("not-ready", name, `${main} was written anew: it shares no commit with ${name}.`, {
    hint: `To go on from ${main}, call the other otherwise: git branch -m ${name} OTHER`,
  });
}

function checkedOut(name: string, directory: string): Problem {
  return makeProblem("not-ready", name, `${name} is checked out in ${directory}, and moves without its files.`, {
    hint: "Check out another branch there.",
  });
}

function apart(name: string, main: string, { files, words }: Unmerged): Problem {
  const why = files.length === 0 ? words : `They conflict in ${shortList(files)}.`;
  return makeProblem("not-ready", name, `${main} does not merge with what has landed on ${name}. ${why}`, {
    hint: `In your work tree: git merge ${name}`,
  });
}

function stays(name: string, words: string): Problem {
  const message = `Git does not move ${name}: ${saidBy(words, wordsMax)}`;
  return makeProblem("not-ready", name, message, { hint: "It is tried again." });
}

const wordsMax = 400;
