/**
 * How the commits of a repository stand to some of them: read in one call, worked out with one set of bits a commit, so
 * that many completions cost hardly more than one.
 */

import { nextTurn } from "../../base/clock.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { unreadable } from "./git.ts";
import type { Repository } from "./repository.ts";

/** A commit of the history. */
export interface HistoryCommit {
  readonly id: string;
  readonly tree: string;
  readonly parents: readonly string[];
}

/** Sets of marked commits, each a bit by its place in the list that was given. */
export type Marks = bigint;

export interface Ancestry {
  /** The commits that branches point to. */
  readonly tips: readonly string[];
  /** Every commit that a branch holds, children before parents. */
  readonly commits: ReadonlyMap<string, HistoryCommit>;
  /** The marked commits that the commit is or descends from. */
  below(id: string): Marks;
  /** The marked commits that are not the commit's descendants nor itself, but on a branch together with it. */
  before(id: string): Marks;
}

/** How many commits are read before others have their turn. */
const breathEvery = 5_000;

/** The history of all branches, local and remote-tracking, with respect to the commits `marked`. */
export async function ancestryOf(
  repository: Repository,
  marked: readonly string[],
): Promise<Result<Ancestry, Problem>> {
  const tips = await repository.git.run(["for-each-ref", "--format=%(objectname)", "refs/heads/", "refs/remotes/"]);
  if (!tips.ok) return tips;
  const starts = [...new Set(tips.value.output.toString("latin1").split("\n"))].filter((id) => id !== "");
  if (starts.length === 0) return ok(ancestryIn(new Map(), [], marked));
  const words = ["rev-list", "--topo-order", "--format=%H %T %P", "--stdin"];
  const listed = await repository.git.run(words, { input: `${starts.join("\n")}\n` });
  if (!listed.ok) return listed;
  const commits = new Map<string, HistoryCommit>();
  for (const line of listed.value.output.toString("latin1").split("\n")) {
    if (commits.size % breathEvery === 0) await nextTurn();
    if (line === "" || line.startsWith("commit ")) continue;
    const [id, tree, ...parents] = line.split(" ");
    if (id === undefined || tree === undefined) return err(unreadable("git rev-list", "its answer is cut off"));
    commits.set(id, { id, tree, parents: parents.filter((parent) => parent !== "") });
  }
  return ok(ancestryIn(commits, starts, marked));
}

const none = 0n;

function ancestryIn(
  commits: ReadonlyMap<string, HistoryCommit>,
  tips: readonly string[],
  marked: readonly string[],
): Ancestry {
  const bits = new Map<string, Marks>();
  for (const [index, id] of marked.entries()) bits.set(id, (bits.get(id) ?? none) | (1n << BigInt(index)));
  const ordered = [...commits.values()];
  const below = new Map<string, Marks>();
  for (const { id, parents } of ordered.toReversed())
    below.set(
      id,
      parents.reduce((all, parent) => all | (below.get(parent) ?? none), bits.get(id) ?? none),
    );
  // From children to parents: what descends from a commit, and what the branches that hold it hold besides.
  const above = new Map<string, Marks>(bits);
  const together = new Map<string, Marks>(tips.map((id) => [id, below.get(id) ?? none]));
  for (const { id, parents } of ordered) {
    for (const parent of parents) {
      above.set(parent, (above.get(parent) ?? none) | (above.get(id) ?? none));
      together.set(parent, (together.get(parent) ?? none) | (together.get(id) ?? none));
    }
  }
  return {
    tips,
    commits,
    below: (id) => below.get(id) ?? none,
    before: (id) => (together.get(id) ?? none) & ~(above.get(id) ?? none),
  };
}
