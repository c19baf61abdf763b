/**
 * An agent's own work tree: the folder `trees/NAME` of `.baton/`, on the branch `baton/NAME`. It begins on what has landed,
 * is the agent's for git's gate, and is found again each day. Nothing here deletes a file or a branch;
 * `landed-trees.ts` does.
 */
import { constants, copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { readPlainFile, reasonOf, replacePlainFile } from "../../base/plain-file.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import type { Result } from "../../base/result.ts";
import { agentFile, pointedBy } from "../../perform/workspace/workspace.ts";
import { checkoutMsMax } from "./checkout.ts";
import { unreadable } from "./git.ts";
import { answerOf, ask, giveUp, linesOf, look } from "./questions.ts";
import { type Repository, workTreesOf } from "./repository.ts";
import { landingBranchOf, mainNameOf, tipOf, tipsOf } from "./tips.ts";

export interface AgentTree {
  /** Absolute, links resolved. */
  readonly directory: string;
  readonly branch: string;
  /** `there`: it was; `made`: it is new; `restored`: its folder was gone, and its branch is checked out again. */
  readonly was: "there" | "made" | "restored";
  /** Files that git ignores and that were brought from the person's folder. */
  readonly brought: readonly string[];
}

/** The folder of the agent's tree, of the team whose `.baton/` is `directory`. */
export function agentTreeIn(directory: string, agent: string): string {
  return join(directory, "trees", agent);
}

/** The branch of the agent's tree. */
export function agentBranch(agent: string): string {
  return `baton/${agent}`;
}

/**
 * The agent's tree, made or mended where it must be. `main`: the branch that the team names as its main one; null: git's.
 * Refuses `already-exists` where something else is in its place, `not-found` where there is no commit yet, and what git
 * refuses.
 */
export async function openAgentTree(
  repository: Repository,
  { directory, agent, main }: { readonly directory: string; readonly agent: string; readonly main: string | null },
): Promise<Result<AgentTree, Problem>> {
  return await look(async () => {
    const path = placeFor(directory, agent);
    const branch = agentBranch(agent);
    let trees = answerOf(await workTreesOf(repository));
    const isListed = () => trees.some((each) => each.directory === path);
    if (!isListed() && holdsFiles(path)) {
      // The repository was moved, so its list names the old place.
      await repository.git.run(["worktree", "repair", path]);
      trees = answerOf(await workTreesOf(repository));
      if (!isListed()) giveUp(inTheWay(path));
    }
    if (isListed()) {
      name(path, agent);
      return { directory: path, branch, was: "there", brought: [] };
    }
    const other = trees.find((each) => each.branch === branch);
    if (other !== undefined) giveUp(checkedOutElsewhere(branch, other.directory));
    const isOld = (await tipOf(repository, branch)) !== null;
    const from = isOld ? [path, branch] : ["-b", branch, path, await startFor(repository, { branch, main })];
    // Twice forced: the list may still have a tree whose folder was deleted, and it is locked.
    const words = ["worktree", "add", "--quiet", "-f", "-f", "--lock", "--reason", "baton"];
    await ask(repository, ["-c", "branch.autoSetupMerge=false", ...words, ...from], { msMax: checkoutMsMax });
    name(path, agent);
    const persons = trees.find(({ isMain }) => isMain)?.directory;
    const brought = persons === undefined ? [] : await bringIgnored(repository, persons, path);
    return { directory: path, branch, was: isOld ? "restored" : "made", brought };
  });
}

/** Copies what the person's checkout ignores and `.worktreeinclude` names, as a gitignore file does. What is there stays. */
async function bringIgnored(repository: Repository, from: string, to: string): Promise<readonly string[]> {
  const including = join(from, ".worktreeinclude");
  if (lstatSync(including, { throwIfNoEntry: false })?.isFile() !== true) return [];
  const here = ["-C", from, `--work-tree=${from}`];
  const listed = ["ls-files", "-z", "--others", "--ignored", `--exclude-from=${including}`];
  const named = await ask(repository, [...here, ...listed], { msMax: checkoutMsMax });
  const input = named.output.toString("utf8");
  if (input === "") return [];
  // Only without literal paths git answers this.
  const asking = [...here, "--no-literal-pathspecs", "check-ignore", "-z", "--stdin"];
  const ignored = await ask(repository, asking, { input, answers: [0, 1, 128] });
  const paths = ignored.output.toString("utf8").split("\0");
  return paths.filter((path) => path !== "" && !path.endsWith("/") && bring(from, to, path));
}

/** Copies a plain file to a place in the tree where nothing is, and to which no link leads. */
function bring(from: string, to: string, path: string): boolean {
  const parts = path.split("/");
  const isTaken = parts.some((_, at) => {
    const facts = lstatSync(join(to, ...parts.slice(0, at + 1)), { throwIfNoEntry: false });
    return facts !== undefined && (at + 1 === parts.length || !facts.isDirectory());
  });
  if (isTaken || !lstatSync(join(from, path)).isFile()) return false;
  try {
    mkdirSync(join(to, dirname(path)), { recursive: true });
    copyFileSync(join(from, path), join(to, path), constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    return true;
  } catch (cause) {
    return giveUp(unreadable(join(from, path), reasonOf(cause)));
  }
}

/** The path of the tree; nothing on it is a link that would lead elsewhere. */
function placeFor(directory: string, agent: string): string {
  for (const folder of [directory, join(directory, "trees"), agentTreeIn(directory, agent)]) {
    const facts = lstatSync(folder, { throwIfNoEntry: false });
    if (facts !== undefined && !facts.isDirectory()) giveUp(inTheWay(folder));
  }
  try {
    mkdirSync(join(directory, "trees"), { recursive: true });
    // Git takes a tree in a tree for a submodule, and would add it.
    const ignoring = join(directory, "trees", ".gitignore");
    if (!existsSync(ignoring)) replacePlainFile(ignoring, "*\n", { mode: 0o644 });
    return agentTreeIn(realpathSync(directory), agent);
  } catch (cause) {
    return giveUp(unreadable(directory, reasonOf(cause)));
  }
}

function holdsFiles(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined && readdirSync(path).length > 0;
}

/** The commit on which trees begin now. Refuses as `openAgentTree`, before any agent is known. */
export async function treeStart(repository: Repository, main: string | null): Promise<Result<string, Problem>> {
  return await look(async () => await startFor(repository, { branch: null, main }));
}

/** The commit on which a new branch begins: what has landed, else the main branch. */
async function startFor(
  repository: Repository,
  { branch, main }: { readonly branch: string | null; readonly main: string | null },
): Promise<string> {
  const target = main ?? (await mainNameOf(repository, await tipsOf(repository)));
  if (target === "") giveUp(noMain(repository));
  const landing = landingBranchOf(target);
  if (branch === landing) giveUp(takenByMain(branch));
  for (const name of [`refs/heads/${landing}`, `refs/heads/${target}`, `refs/remotes/origin/${target}`, "HEAD"]) {
    const [commit] = await linesOf(repository, ["rev-parse", "--verify", "--quiet", `${name}^{commit}`]);
    if (commit === undefined && name === "HEAD") break;
    if (commit === undefined) continue;
    if (name === "HEAD" && main !== null) giveUp(noBranch(main));
    return (await tipOf(repository, "baton")) === null ? commit : giveUp(branchInTheWay());
  }
  return giveUp(noCommit(repository));
}

/** Whose the tree is, for git's gate: whatever is committed there is the agent's. */
function name(path: string, agent: string): void {
  const folder = pointedBy(path);
  if (folder === null) giveUp(inTheWay(path));
  const file = join(folder, agentFile);
  const known = readPlainFile(file, 1_000);
  if (known.ok && known.value?.text.trim() === agent) return;
  try {
    replacePlainFile(file, `${agent}\n`, { mode: 0o644 });
  } catch (cause) {
    giveUp(unreadable(file, reasonOf(cause)));
  }
}

function inTheWay(path: string): Problem {
  return makeProblem("already-exists", path, "Something else is where an agent's work tree belongs.", {
    hint: "Look what it is, move it away, and run the command again.",
  });
}

function checkedOutElsewhere(branch: string, directory: string): Problem {
  return makeProblem("already-exists", directory, `The agent's branch ${branch} is checked out here.`, {
    hint: `Check out another branch there: git -C '${directory}' switch -`,
  });
}

function takenByMain(branch: string): Problem {
  return makeProblem("already-exists", branch, "What lands has this branch, so no agent can be called so.", {
    hint: "Give the agent another name in .baton/team.yaml.",
  });
}

function branchInTheWay(): Problem {
  return makeProblem("already-exists", "baton", "A branch is called baton, so git can make none below that name.", {
    hint: "Rename it: git branch -m baton OTHER",
  });
}

function noBranch(main: string): Problem {
  return makeProblem("not-found", main, "There is no such branch here.", {
    hint: "git branch lists those that there are.",
  });
}

function noMain({ commonDirectory }: Repository): Problem {
  return makeProblem("not-found", commonDirectory, "No branch is checked out, and none is called main or master.", {
    hint: "Name the branch on which work lands: baton start --onto BRANCH",
  });
}

function noCommit({ commonDirectory }: Repository): Problem {
  return makeProblem("not-found", commonDirectory, "There is no commit yet, so an agent has nothing to begin on.", {
    hint: "Make a first commit: git commit --allow-empty -m start",
  });
}
