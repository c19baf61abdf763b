/**
 * The scratch repository: made, written to by the agents, and read by who checks what they claim. It is all the git
 * program's work, with nobody's global configuration, without hooks and without signatures, so that it is the same on
 * every machine.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { devNull } from "node:os";
import { dirname, join } from "node:path";
import { systemClock } from "../../src/base/clock.ts";
import { makeProblem, type Problem } from "../../src/base/problem.ts";
import { err, ok, type Result } from "../../src/base/result.ts";
import { type Environment, runProgram } from "./programs.ts";
import type { Change, Files } from "./story.ts";

/** A commit as the log has it. */
export interface Commit {
  readonly hash: string;
  readonly author: string;
  readonly subject: string;
  /** Author's time, RFC 3339. */
  readonly at: string;
  /** What the commit was made for; null where it says nothing. */
  readonly occasion: string | null;
}

/** A change to commit, and who makes it. */
export interface CommitOrder extends Change {
  readonly author: string;
  /** Why it is made, e.g. the task. The same author never commits twice for one occasion. */
  readonly occasion: string;
}

export interface Repository {
  readonly directory: string;
  /** Commits the change, or finds the commit that an earlier life of this author made for the occasion. */
  commitOnce(order: CommitOrder): Promise<Result<Commit, Problem>>;
  /** Every commit on the branch, newest first. */
  log(): Promise<Result<readonly Commit[], Problem>>;
  /** The files that a commit changes; `not-found` where there is no such commit. */
  filesOf(hash: string): Promise<Result<readonly string[], Problem>>;
}

/** The trailer by which a commit names its occasion. */
const occasionTrailer = "Occasion";
/** Another author's commit may hold the lock for a moment; how often and how long it is waited for. */
const triesMax = 40;
const betweenTriesMs = 75;

/** The repository in `directory`, which `makeRepository` made. `environment` is that of this process. */
export function repositoryAt(directory: string, environment: Environment): Repository {
  const own = gitEnvironment(environment, directory);
  const git = (...words: string[]) => runGit(directory, own, words);
  const log = async () => {
    const done = await git("log", `--format=${logFormat}`);
    return done.ok ? ok(commitsIn(done.value)) : done;
  };
  return {
    directory,
    log,
    commitOnce: (order) => commitOnce(directory, git, log, order),
    filesOf: async (hash) => {
      if (!/^[0-9a-f]{7,64}$/.test(hash)) return err(noCommit(hash));
      const done = await git("show", "--no-renames", "--name-only", "--format=", `${hash}^{commit}`);
      return done.ok ? ok(done.value.split("\n").filter((line) => line !== "")) : err(noCommit(hash));
    },
  };
}

/** Makes a repository with one commit of `files` in it. Refuses where there is no git program, or it fails. */
export async function makeRepository(
  directory: string,
  environment: Environment,
  first: CommitOrder,
): Promise<Result<Repository, Problem>> {
  mkdirSync(directory, { recursive: true });
  const made = await runGit(directory, gitEnvironment(environment, directory), ["init", "--quiet", "--template="]);
  if (!made.ok) return made;
  const repository = repositoryAt(directory, environment);
  const committed = await repository.commitOnce(first);
  return committed.ok ? ok(repository) : committed;
}

type Git = (...words: string[]) => Promise<Result<string, Problem>>;

async function commitOnce(
  directory: string,
  git: Git,
  log: Repository["log"],
  order: CommitOrder,
): Promise<Result<Commit, Problem>> {
  const paths = Object.keys(order.files);
  let last = noCommit(order.occasion);
  for (let tries = 0; tries < triesMax; tries++) {
    const found = await find(log, order);
    if (found !== null) return ok(found);
    writeFiles(directory, order.files);
    const added = await git("add", "--", ...paths);
    const message = `${order.subject}\n\n${occasionTrailer}: ${order.occasion}\n`;
    const committed = added.ok
      ? await git(...asAuthor(order.author), "commit", "--quiet", "-m", message, "--", ...paths)
      : added;
    // Whether it worked is read from the log: the commit may also be that of a life that was killed meanwhile.
    if (!committed.ok) {
      last = committed.error;
      await systemClock.wait(betweenTriesMs);
    }
  }
  return err(last);
}

async function find(log: Repository["log"], order: CommitOrder): Promise<Commit | null> {
  const commits = await log();
  if (!commits.ok) return null;
  return commits.value.find(({ author, occasion }) => author === order.author && occasion === order.occasion) ?? null;
}

function asAuthor(name: string): readonly string[] {
  return ["-c", `user.name=${name}`, "-c", `user.email=${name}@example.invalid`];
}

function writeFiles(directory: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    const whole = join(directory, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, text);
  }
}

/** Fields end with a unit separator and commits with a record separator: neither occurs in what agents write here. */
const logFormat = `%H%x1f%an%x1f%aI%x1f%s%x1f%(trailers:key=${occasionTrailer},valueonly,separator=)%x1e`;

function commitsIn(text: string): readonly Commit[] {
  return text
    .split("\u001e")
    .map((record) => record.trim())
    .filter((record) => record !== "")
    .map((record) => {
      const [hash = "", author = "", at = "", subject = "", occasion = ""] = record.split("\u001f");
      return { hash, author, at, subject, occasion: occasion.trim() === "" ? null : occasion.trim() };
    });
}

/** Git's own variables would point it at another repository, as they do in a hook that starts the demo. */
function gitEnvironment(environment: Environment, directory: string): Environment {
  const kept = Object.entries(environment).filter(([name]) => !name.toUpperCase().startsWith("GIT_"));
  return {
    ...Object.fromEntries(kept),
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_CEILING_DIRECTORIES: dirname(directory),
    LC_ALL: "C",
  };
}

const plain = [
  "-c",
  `core.hooksPath=${devNull}`,
  "-c",
  "commit.gpgSign=false",
  "-c",
  "core.autocrlf=false",
  "-c",
  "gc.auto=0",
  "-c",
  // Else newer versions of git leave a process behind each commit that looks whether there is something to tidy up.
  "maintenance.auto=false",
  "-c",
  "init.defaultBranch=main",
] as const;

async function runGit(
  directory: string,
  environment: Environment,
  words: readonly string[],
): Promise<Result<string, Problem>> {
  const done = await runProgram("git", [...plain, ...words], { directory, environment });
  if (done.code === 0) return ok(done.stdout);
  if (done.problem?.code === "ENOENT") {
    return err(
      makeProblem("not-found", "git", "The program git is not there, and the demo makes real commits.", {
        hint: "Install git, then run it again.",
      }),
    );
  }
  const said = `${done.stderr}${done.stdout}${done.problem?.message ?? ""}`.trim().split("\n")[0] ?? "";
  return err(makeProblem("not-found", "git", `git ${words[0] ?? ""} failed: ${said.slice(0, 300)}`));
}

function noCommit(what: string): Problem {
  return makeProblem("not-found", what.slice(0, 100), "The repository has no such commit.");
}
