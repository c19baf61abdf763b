/**
 * A commit that somebody names: whether it is there, which one it is, and which branches hold it; and the commits that
 * branches point to, local and remote-tracking ones, because a commit that was pushed and fetched is on a branch. Tags,
 * stashes and detached heads are no branches.
 * Source: docs/protocol/verdicts.md.
 */

import { join } from "node:path";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type Git, type GitAnswer, gitAt } from "./git.ts";
import { type Commit, commitIn } from "./git-objects.ts";
import { hidesHistory, isShallow, type Repository, type RepositoryOptions } from "./repository.ts";

/** Branches as they are. */
export interface ReadTips {
  /** Full ids, each once. */
  readonly ids: readonly string[];
  /** There are more than were asked for. */
  readonly isCut: boolean;
}

/** Largest commit object, in bytes. */
export const commitBytesMax = 64 * 1024 * 1024;
/** What a message may call a commit; git itself takes no fewer than four digits. */
const hexDigits = /^[0-9a-f]{4,64}$/;
/** Most ids that an ambiguous one is said to stand for. */
const shownMax = 5;

/**
 * The commit that `id` (hex digits, any case, at least 4) names. A branch or a tag of that name does not count. Refuses
 * `commit-missing`, `commit-ambiguous`; `shallow-clone` where history was cut off and the commit may lie beyond; and the
 * problems of an `ObjectReader`.
 */
export async function findCommit(repository: Repository, id: string): Promise<Result<Commit, Problem>> {
  const wanted = id.toLowerCase();
  if (!hexDigits.test(wanted)) return err(missing(id, "is no id of a commit: it is not made of 4 to 64 hex digits"));
  const found = await repository.objects.read(`${wanted}^{commit}`, commitBytesMax);
  if (!found.ok) return found;
  // An id that several objects share is reported as missing, too, when it is asked for as a commit.
  if (typeof found.value === "string") return chooseByPrefix(repository, wanted);
  // A reference of this name goes before the id in git's reading, and a tag's id leads to what it tags.
  return found.value.id.startsWith(wanted) ? commitIn(found.value) : chooseByPrefix(repository, wanted);
}

/** The commits among all objects whose id begins with `prefix`, whatever references are called. */
async function chooseByPrefix(repository: Repository, prefix: string): Promise<Result<Commit, Problem>> {
  const answer = await repository.git.run(["rev-parse", `--disambiguate=${prefix}`]);
  if (!answer.ok) return answer;
  const commits: Commit[] = [];
  for (const id of answer.value.output.toString("latin1").split("\n")) {
    if (!hexDigits.test(id)) continue;
    const found = await repository.objects.read(`${id}^{commit}`, commitBytesMax);
    if (!found.ok) return found;
    if (typeof found.value === "string" || found.value.id !== id) continue;
    const commit = commitIn(found.value);
    if (!commit.ok) return commit;
    commits.push(commit.value);
  }
  const [only, ...others] = commits;
  if (only === undefined) return notFound(repository, prefix);
  return others.length === 0 ? ok(only) : err(ambiguous(prefix, commits));
}

async function notFound(repository: Repository, id: string): Promise<Result<Commit, Problem>> {
  const other = await repository.objects.read(id, commitBytesMax);
  if (other.ok && typeof other.value !== "string" && other.value.id.startsWith(id))
    return err(missing(id, `is a ${other.value.kind}, not a commit`));
  return err((await isShallow(repository)) ? cutOff(id) : missing(id, "is not in this repository"));
}

/** A commit that no branch holds. */
export function unreachable(id: string): Problem {
  return makeProblem("commit-unreachable", id, `No branch holds the commit ${id}.`, {
    expected: "a commit that a local or remote-tracking branch holds; tags and detached heads do not count",
    hint: "Put it on a branch (git branch NAME COMMIT), or report the commit that replaced it.",
  });
}

/** History was cut off before what must be looked at. */
export function cutOff(id: string): Problem {
  return makeProblem("shallow-clone", id, `This is a shallow clone, and its history ends before ${id} can be judged.`, {
    hint: "Fetch the whole history (git fetch --unshallow), then verify again.",
  });
}

/** Why git's own walks show less history than is here; null: they show all of it. */
export async function hiddenHistory(repository: Repository): Promise<Problem | null> {
  const hides = await hidesHistory(repository);
  if (!hides.ok) return hides.error;
  if (!hides.value) return null;
  const place = join(repository.commonDirectory, "shallow");
  return makeProblem("shallow-clone", place, "This file cuts off history that is in the repository.", {
    hint: "Fetch the whole history (git fetch --unshallow), or remove the file where no remote is shallow; then verify again.",
  });
}

function missing(id: string, reason: string): Problem {
  return makeProblem("commit-missing", id, `The commit ${reason}.`, {
    received: id.slice(0, 80).toWellFormed(),
    hint: "Commit the work, and report the id that git rev-parse HEAD prints.",
  });
}

function ambiguous(id: string, commits: readonly Commit[]): Problem {
  const shown = commits.slice(0, shownMax).map((commit) => commit.id.slice(0, Math.max(id.length + 4, 12)));
  return makeProblem("commit-ambiguous", id, `${commits.length} commits have an id that begins so.`, {
    received: id,
    hint: `Report more digits: ${shown.join(", ")}${commits.length > shownMax ? " ..." : ""}.`,
  });
}

/** Most commits of branches that are recorded with a task. */
const recordedTipsMax = 10_000;
/** How long recording a task waits for git, in milliseconds. */
const readMsMax = 10_000;

/**
 * The tips of all branches of a repository, at most `most` of them. A branch that points to no object holds no commit: any
 * process can make one, and must not hide the others by it. Refuses what `Git.run` refuses.
 */
export async function branchTips(
  { git }: { readonly git: Git },
  most = Number.POSITIVE_INFINITY,
): Promise<Result<ReadTips, Problem>> {
  const typed = await branchRefs(git, typedId);
  const answer = typed.ok || typed.error.code !== "repository-unreadable" ? typed : await tipsOneByOne(git);
  if (!answer.ok) return answer;
  const ids = new Set<string>();
  for (const line of answer.value.output.toString("latin1").split("\n")) {
    const [kind, id = ""] = line.split(" ");
    if (kind !== "commit" || ids.has(id)) continue;
    if (ids.size >= most) return ok({ ids: [...ids], isCut: true });
    ids.add(id);
  }
  return ok({ ids: [...ids], isCut: false });
}

const typedId = "%(objecttype) %(objectname)";

/** What git says in this format of each branch, local and remote-tracking. */
function branchRefs(git: Git, format: string): Promise<Result<GitAnswer, Problem>> {
  return git.run(["for-each-ref", `--format=${format}`, "refs/heads/", "refs/remotes/"]);
}

/** The same where git gives up at the first branch whose object is missing: the ids, then what each of them is. */
async function tipsOneByOne(git: Git): Promise<Result<GitAnswer, Problem>> {
  const named = await branchRefs(git, "%(objectname)");
  if (!named.ok) return named;
  return await git.run(["cat-file", `--batch-check=${typedId}`], { input: named.value.output.toString("latin1") });
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
