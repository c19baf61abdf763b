/**
 * Changes that somebody is about to make, or has made: what is staged for the next commit, and the commits of a range.
 * Names of references come from the caller, so git is never given one that could be an option.
 */
import { argument } from "../../base/argument.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type ChangedPath, rawChanges } from "../git/changed-paths.ts";
import { type CommitChanges, changesOf } from "../git/changes.ts";
import { cutOff, findCommit, hiddenHistory } from "../git/commits.ts";
import { unreadable } from "../git/git.ts";
import { type Commit, emptyTrees } from "../git/git-objects.ts";
import { isShallow, type Repository } from "../git/repository.ts";

/** Most commits of one range. */
const commitsMax = 5_000;

const diffWords: readonly string[] = [
  "-z",
  "--raw",
  "--no-abbrev",
  "--no-ext-diff",
  "--no-textconv",
  // Also overrides what `.gitmodules` says to ignore.
  "--ignore-submodules=none",
];

/** What is staged, and the tree that a commit of it would have. */
export interface Staged {
  readonly changed: readonly ChangedPath[];
  /** Null: the index holds conflicts, or cannot be written as a tree; then links are not followed through it. */
  readonly tree: string | null;
}

/** The paths in the index that differ from the last commit; of a first commit all of them. */
export async function stagedChanges(repository: Repository): Promise<Result<Staged, Problem>> {
  const head = await repository.git.run(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], {
    answers: [0, 1, 128],
  });
  if (!head.ok) return head;
  const from =
    head.value.code === 0 ? head.value.output.toString("latin1").trim() : emptyTrees[repository.objectFormat];
  const words = ["diff-index", "--cached", "--no-renames", ...diffWords, from];
  const [listed, tree] = await Promise.all([
    repository.git.run(words),
    repository.git.run(["write-tree", "--missing-ok"], { answers: [0, 128] }),
  ]);
  if (!listed.ok) return listed;
  const changed = rawChanges(listed.value.output);
  if (changed === null) return err(unreadable("git diff-index", "its answer is not the one asked for"));
  const written = tree.ok && tree.value.code === 0 ? tree.value.output.toString("latin1").trim() : null;
  return ok({ changed, tree: written });
}

/** A commit of a range, with what it changed. */
export interface SubmittedCommit {
  readonly commit: Commit;
  readonly changes: CommitChanges;
}

/**
 * The commits of `A..B`, the oldest first; of `B` alone, or where A is all zeros (a branch that is new), those that no
 * remote-tracking branch has yet. Refuses `wrong-usage` for what is no range, `not-found` for a name that git does not
 * know, `too-large` beyond 5,000 commits, `shallow-clone`, and what git refuses.
 */
export async function commitsOfRange(
  repository: Repository,
  range: string,
): Promise<Result<readonly SubmittedCommit[], Problem>> {
  const [first = "", last, ...more] = range.split("..");
  const isPair = last !== undefined;
  if (more.length > 0 || (isPair ? last : first) === "" || range.includes("...")) return err(noRange(range));
  const to = await resolve(repository, isPair ? last : first);
  if (!to.ok) return to;
  const isNew = !isPair || /^0*$/.test(first);
  const from = isNew ? null : await resolve(repository, first);
  if (from !== null && !from.ok) return from;
  const limits = from === null ? ["--not", "--remotes"] : [`^${from.value}`];
  const hidden = await hiddenHistory(repository);
  if (hidden !== null) return err(hidden);
  const words = ["rev-list", "--reverse", "--topo-order", `--max-count=${commitsMax + 1}`, to.value, ...limits];
  const listed = await repository.git.run(words);
  if (!listed.ok) return listed;
  const ids = listed.value.output.toString("latin1").split("\n").slice(0, -1);
  if (ids.length > commitsMax) return err(tooMany(range));
  const commits: SubmittedCommit[] = [];
  for (const id of ids) {
    const commit = await findCommit(repository, id);
    if (!commit.ok) return commit;
    const changes = await changesOf(repository, commit.value);
    if (!changes.ok) return changes;
    commits.push({ commit: commit.value, changes: changes.value });
  }
  return ok(commits);
}

async function resolve(repository: Repository, name: string): Promise<Result<string, Problem>> {
  // A reference's name never has control characters or a leading dash.
  const isName = name !== "" && !name.startsWith("-") && !/\p{Cc}/u.test(name);
  const words = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
  const answer = isName ? await repository.git.run(words, { answers: [0, 1, 128] }) : null;
  if (answer !== null && !answer.ok) return answer;
  const id = answer?.value.output.toString("latin1").trim().split("\n").at(-1) ?? "";
  if (answer?.value.code === 0 && /^[0-9a-f]{40,64}$/.test(id)) return ok(id);
  return err((await isShallow(repository)) ? cutOff(name) : unknown(name));
}

function noRange(range: string): Problem {
  return makeProblem("wrong-usage", argument("range"), "This is no range of commits.", {
    expected: "A..B, or B for what no remote has yet",
    received: range,
  });
}

function unknown(name: string): Problem {
  return makeProblem("not-found", argument("range"), "The repository has no commit of this name.", { received: name });
}

function tooMany(range: string): Problem {
  return makeProblem("too-large", argument("range"), `The range has more than ${commitsMax} commits.`, {
    received: range,
    hint: "Check it in parts.",
  });
}
