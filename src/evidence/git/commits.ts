/**
 * Commits that somebody names, or that git lists: whether they are there, which they are, and what they say of themselves.
 * Source: docs/protocol/verdicts.md.
 */
import { join } from "node:path";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { meansTask, taskKey } from "../../messages/task-ids.ts";
import { ask, factsOf, linesOf, look } from "./questions.ts";
import { cutOffCommits, hidesHistory, openRepository, type Repository, type RepositoryOptions } from "./repository.ts";

/** A commit by what it says of itself; none of it is proven. */
export interface Commit {
  readonly id: string;
  readonly parents: readonly string[];
  readonly author: { readonly name: string; readonly email: string };
  readonly authoredMs: number;
  readonly committedMs: number;
  /** The first line of its message, and the tasks in its trailers. */
  readonly subject: string;
  readonly tasks: readonly string[];
}

const format = ["%H", "%P", "%an", "%ae", "%at", "%ct", "%s", "%(trailers:key=Baton-Task,valueonly)"].join("%x00");

/** The commits that git lists for these words, such as a range; at which history was cut off, they have no parents. */
export async function commitsFor(
  repository: Repository,
  words: readonly string[],
  input?: string,
): Promise<readonly Commit[]> {
  const call = input === undefined ? {} : { input };
  const { output } = await ask(
    repository,
    ["rev-list", "--no-commit-header", `--format=${format}%x00`, ...words],
    call,
  );
  const fields = output.toString("utf8").split("\0");
  const commits: Commit[] = [];
  for (let at = 0; at + 8 < fields.length; at += 8) {
    const [id = "", parents = "", name = "", email = "", authored, committed, subject = "", tasks = ""] = fields.slice(
      at,
      at + 8,
    );
    commits.push({
      id: id.trim(),
      parents: parents.split(" ").filter((each) => each !== ""),
      author: { name, email },
      authoredMs: Number(authored) * 1_000,
      committedMs: Number(committed) * 1_000,
      subject,
      tasks: tasks.split("\n").flatMap((each) => (each.trim() === "" ? [] : [each.trim()])),
    });
  }
  return commits;
}

/** The newest commit of a task, and how many above it on its branch name no task at all. */
export interface Newest {
  readonly id: string;
  readonly unnamed: number;
}

/** The newest commit checked out in a folder that names the task in its message; undefined: none does. */
export async function newestOfTask(
  directory: string,
  options: RepositoryOptions,
  { task, plan, number }: { readonly task: string; readonly plan: string | null; readonly number?: number },
): Promise<Newest | undefined> {
  const opened = await openRepository(directory, options);
  if (!opened.ok) return undefined;
  await using repository = opened.value;
  const named = ["--max-count=1000", "--basic-regexp", "--grep=^Baton-Task: ", "HEAD"];
  const isMeant = (named: string) => named === String(number) || meansTask(taskKey(task, plan), taskKey(named, plan));
  const found = await look(async () => {
    const id = (await commitsFor(repository, named)).find(({ tasks }) => tasks.some(isMeant))?.id;
    if (id === undefined) return undefined;
    const above = await commitsFor(repository, ["--max-count=100", "--first-parent", "--no-merges", `${id}..HEAD`]);
    return { id, unnamed: above.filter(({ tasks }) => tasks.length === 0).length };
  });
  return found.ok ? found.value : undefined;
}

/** The commits with these full ids. */
export async function commitsWith(repository: Repository, ids: readonly string[]): Promise<readonly Commit[]> {
  return ids.length === 0
    ? []
    : await commitsFor(repository, ["--no-walk=unsorted", "--stdin"], ids.map((id) => `${id}\n`).join(""));
}

/** What a message may call a commit; git itself takes no fewer than four digits. */
const hexDigits = /^[0-9a-f]{4,64}$/;
/** Most ids that an ambiguous one is said to stand for. */
const shownMax = 5;

/**
 * The full id of the commit that `id` (hex digits, any case, at least 4) names. A branch or a tag of that name does not
 * count. Refuses `commit-missing`, `commit-ambiguous`; `shallow-clone` where history was cut off and the commit may lie
 * beyond; and the problems of git.
 */
export async function findCommit(repository: Repository, id: string): Promise<Result<string, Problem>> {
  const wanted = id.toLowerCase();
  if (!hexDigits.test(wanted)) return err(missing(id, "is no id of a commit: it is not made of 4 to 64 hex digits"));
  const asked = await look(async () => {
    const isWhole = wanted.length === (repository.objectFormat === "sha1" ? 40 : 64);
    const ids = isWhole ? [wanted] : await linesOf(repository, ["rev-parse", `--disambiguate=${wanted}`]);
    const facts = await Promise.all(ids.map((each) => factsOf(repository, each)));
    return facts.filter((each) => each !== null);
  });
  if (!asked.ok) return asked;
  const [only, ...others] = asked.value.filter(({ kind }) => kind === "commit");
  if (only !== undefined) return others.length === 0 ? ok(only.id) : err(ambiguous(wanted, [only, ...others]));
  const [other] = asked.value;
  if (other !== undefined) return err(missing(id, `is a ${other.kind}, not a commit`));
  return err(cutOffCommits(repository).size > 0 ? cutOff(wanted) : missing(wanted, "is not in this repository"));
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

function ambiguous(id: string, commits: readonly { readonly id: string }[]): Problem {
  const shown = commits.slice(0, shownMax).map((commit) => commit.id.slice(0, Math.max(id.length + 4, 12)));
  return makeProblem("commit-ambiguous", id, `${commits.length} commits have an id that begins so.`, {
    received: id,
    hint: `Report more digits: ${shown.join(", ")}${commits.length > shownMax ? " ..." : ""}.`,
  });
}
