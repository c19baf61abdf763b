/**
 * Changes that somebody is about to make, or has made: what is staged for the next commit, and the commits of a range.
 * Names of references come from the caller, so git is never given one that could be an option.
 */
import { argument } from "../../base/argument.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { type ChangedPath, emptyTreeOf, indexChanges } from "../git/changes.ts";
import { type Commit, commitsFor, cutOff, hiddenHistory } from "../git/commits.ts";
import { ask, giveUp, linesOf } from "../git/questions.ts";
import { cutOffCommits, type Repository } from "../git/repository.ts";

/** Most commits of one range. */
const commitsMax = 5_000;

/** What is staged, and the tree that a commit of it would have. */
export interface Staged {
  readonly changed: readonly ChangedPath[];
  /** Null: the index holds conflicts, or cannot be written as a tree; then links are not followed through it. */
  readonly tree: string | null;
}

/** The paths in the index that differ from the last commit; of a first commit all of them. */
export async function stagedChanges(repository: Repository): Promise<Staged> {
  const head = await ask(repository, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { answers: [0, 1, 128] });
  const from = head.code === 0 ? head.output.toString("latin1").trim() : emptyTreeOf(repository);
  const [changed, [tree = null]] = await Promise.all([
    indexChanges(repository, from),
    linesOf(repository, ["write-tree", "--missing-ok"]),
  ]);
  return { changed, tree };
}

/**
 * The commits of `A..B`, the oldest first; of `B` alone, or where A is all zeros (a branch that is new), those that no
 * remote-tracking branch has yet. Gives up with `wrong-usage` for what is no range, `not-found` for a name that git does not
 * know, `too-large` beyond 5,000 commits, `shallow-clone`, and what git refuses.
 */
export async function commitsOfRange(repository: Repository, range: string): Promise<readonly Commit[]> {
  const [first = "", last, ...more] = range.split("..");
  const isPair = last !== undefined;
  if (more.length > 0 || (isPair ? last : first) === "" || range.includes("...")) return giveUp(noRange(range));
  const to = await resolve(repository, isPair ? last : first);
  const isNew = !isPair || /^0*$/.test(first);
  const limits = isNew ? ["--not", "--remotes"] : [`^${await resolve(repository, first)}`];
  const hidden = await hiddenHistory(repository);
  if (hidden !== null) return giveUp(hidden);
  const words = ["--reverse", "--topo-order", `--max-count=${commitsMax + 1}`, to, ...limits];
  const commits = await commitsFor(repository, words);
  return commits.length > commitsMax ? giveUp(tooMany(range)) : commits;
}

async function resolve(repository: Repository, name: string): Promise<string> {
  // A reference's name never has control characters or a leading dash.
  const isName = name !== "" && !name.startsWith("-") && !/\p{Cc}/u.test(name);
  const words = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
  const id = isName ? ((await linesOf(repository, words)).at(-1) ?? "") : "";
  if (/^[0-9a-f]{40,64}$/.test(id)) return id;
  return giveUp(cutOffCommits(repository).size > 0 ? cutOff(name) : unknown(name));
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
