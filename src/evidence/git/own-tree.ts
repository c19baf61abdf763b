/**
 * Which work trees of a repository are the agents' own, and where what has landed is, and which of their commits
 * have not.
 * Rules: docs/protocol/verdicts.md, section 12.
 */
import { join } from "node:path";
import { agentBranch, agentTreeIn } from "./agent-tree.ts";
import { hasNoDriver, mergesOtherwise } from "./checkout.ts";
import { mergedTree, treeOf } from "./merged-tree.ts";
import { answerOf, linesOf } from "./questions.ts";
import { type Repository, workTreesOf } from "./repository.ts";
import { landingBranchOf, mainTipsOf, tipsOf } from "./tips.ts";

/** An agent's own work tree, and what has landed. */
export interface OwnTree {
  readonly agent: string;
  readonly directory: string;
  readonly branch: string;
  readonly from: string;
  /** The branch on which work lands, and where it is. */
  readonly onto: string;
  readonly to: string;
}

/** Of each agent that has one, the tree in its place or with its branch; a branch is checked out there that is its own. */
export async function ownTrees(
  repository: Repository,
  agents: readonly string[],
  named: string | null,
): Promise<readonly OwnTree[]> {
  const [listed, tips] = await Promise.all([workTreesOf(repository), tipsOf(repository)]);
  const trees = answerOf(listed);
  const root = trees.find(({ isMain }) => isMain)?.directory;
  const main = (await mainTipsOf(repository, tips, named)).find(({ name }) => !name.startsWith("origin/"));
  if (main === undefined) return [];
  const onto = tips.find(({ name }) => name === landingBranchOf(main.name)) ?? main;
  return agents.flatMap((agent): readonly OwnTree[] => {
    const isOwn = ({ directory, branch }: (typeof trees)[number]) =>
      branch === agentBranch(agent) || (root !== undefined && directory === agentTreeIn(join(root, ".baton"), agent));
    const tree = trees.find((each) => !each.isMain && isOwn(each));
    const from = tips.find(({ name, isDetached }) => !isDetached && name === tree?.branch);
    if (tree === undefined || from === undefined) return [];
    if ([main.name, onto.name].includes(from.name)) return [];
    return [{ agent, directory: tree.directory, branch: from.name, from: from.id, onto: onto.name, to: onto.id }];
  });
}

/**
 * Commits of a tip that have not landed: that none of `onto` has, and that are not among the reported ones that came there
 * as others. None where merging the tip would change nothing of one of them: a squash has all that the commits came to, also
 * where some were reported earlier or only merged.
 */
export async function unlandedOf(
  repository: Repository,
  tip: string,
  onto: readonly string[],
  landed: ReadonlySet<string>,
): Promise<readonly string[]> {
  const input = [tip, ...onto.map((id) => `^${id}`), ""].join("\n");
  const open = (await linesOf(repository, ["rev-list", "--stdin"], input)).filter((commit) => !landed.has(commit));
  if (open.length === 0 || !(await hasNoDriver(repository)) || mergesOtherwise(repository)) return open;
  for (const to of onto) {
    const merged = await mergedTree(repository, to, tip);
    if (merged.ok && merged.value === (await treeOf(repository, to))) return [];
  }
  return open;
}
