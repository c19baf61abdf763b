/**
 * A repository as evidence: found from a folder, then asked by its own directory, so that nothing that is made later can
 * put another in its place. Linked worktrees, bare repositories and both kinds of object id are alike here.
 */
import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { readPlainFile } from "../../base/plain-file.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { pointedBy } from "../../perform/workspace/workspace.ts";
import {
  type Environment,
  type Git,
  type GitCall,
  type GitPlace,
  gitAt,
  type ObjectReader,
  objectReader,
  unreadable,
} from "./git.ts";

export interface Repository extends AsyncDisposable {
  /** The repository's own directory, that of the linked worktree in one; absolute. */
  readonly gitDirectory: string;
  /** What all worktrees share; absolute. */
  readonly commonDirectory: string;
  /** The root of the files around the folder it was opened from; null in a bare repository. */
  readonly workTree: string | null;
  readonly objectFormat: "sha1" | "sha256";
  readonly git: Git;
  /** Its process ends when the repository is disposed, and starts again when it is asked again. */
  readonly objects: ObjectReader;
}

export interface RepositoryOptions {
  /** The variables of this process; what git needs of them is taken. */
  readonly environment: Environment;
  readonly clock?: Clock;
  /** Longest time of one call of git, in milliseconds. */
  readonly msMax?: number;
  /** What git passes to its hooks: the repository and the index that a commit is made from. */
  readonly hook?: { readonly gitDirectory?: string; readonly indexFile?: string };
}

/**
 * The repository that `directory` (absolute) is in. Refuses `repository-missing` (none there), `git-missing`,
 * `repository-unreadable` (git does not trust it, or cannot read it), `timed-out`.
 */
export async function openRepository(
  directory: string,
  options: RepositoryOptions,
): Promise<Result<Repository, Problem>> {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) return err(missing(directory));
  const hook = options.hook?.gitDirectory;
  const looking = gitAt({ ...placeOf(directory, options), ...(hook === undefined ? {} : { own: { GIT_DIR: hook } }) });
  const answer = await looking.run(["rev-parse", "--path-format=absolute", ...questions], { answers: [0, 128] });
  if (!answer.ok) return answer;
  const { code, output, words } = answer.value;
  const [gitDirectory = "", commonDirectory = "", format, ...rest] = output.toString("utf8").split("\n").slice(0, -1);
  // Where there is no work tree, git says so after all else.
  const isBare = code !== 0 && /must be run in a work tree/i.test(words);
  if (code !== 0 && !isBare)
    return err(/not a git repository/i.test(words) ? missing(directory) : unreadable(directory, words));
  if (rest.length !== (isBare ? 0 : 1)) return err(unreadable(directory, "its path holds a line feed"));
  const [workTree = null] = rest;
  const index = options.hook?.indexFile;
  // Paths then count from the root, wherever the repository's settings say that its files are.
  const own = {
    GIT_DIR: gitDirectory,
    GIT_WORK_TREE: gitDirectory,
    ...(index === undefined ? {} : { GIT_INDEX_FILE: index }),
  };
  const git = gitAt({ ...placeOf(gitDirectory, options), own });
  const objects = objectReader(git, options.clock);
  return ok({
    gitDirectory,
    commonDirectory,
    workTree,
    objectFormat: format === "sha256" ? "sha256" : "sha1",
    git,
    objects,
    [Symbol.asyncDispose]: () => objects[Symbol.asyncDispose](),
  });
}

/** Full ids of the commits at which history was cut off; none: it was not. */
export function cutOffCommits({ commonDirectory }: Pick<Repository, "commonDirectory">): ReadonlySet<string> {
  const listed = readPlainFile(join(commonDirectory, "shallow"), shallowBytesMax);
  return new Set(listed.ok ? (listed.value?.text ?? "").split("\n").filter((id) => id !== "") : []);
}

/** What differs where history was cut off at other commits; empty: it was not cut off. */
export function cutOffMark({ commonDirectory }: Pick<Repository, "commonDirectory">): string {
  const listed = statSync(join(commonDirectory, "shallow"), { throwIfNoEntry: false });
  return listed === undefined ? "" : `${listed.mtimeMs} ${listed.size}`;
}

/** Most bytes of the list of commits at which history was cut off, and most of its lines that are looked at. */
const shallowBytesMax = 1024 * 1024;
const shallowLinesMax = 5_000;

/**
 * Whether the list of cut-off commits names one whose parents are here. Git then hides what lies behind it, such as a commit
 * that reverts work. Only parents that are missing were cut off; any process can write this list.
 */
export async function hidesHistory({ commonDirectory, objects }: Repository): Promise<Result<boolean, Problem>> {
  const listed = readPlainFile(join(commonDirectory, "shallow"), shallowBytesMax);
  if (!listed.ok) return ok(true);
  const ids = (listed.value?.text ?? "").split("\n").filter((id) => /^[0-9a-f]{40,64}$/.test(id));
  if (ids.length > shallowLinesMax) return ok(true);
  for (const id of ids) {
    const found = await objects.read(id, shallowBytesMax);
    if (!found.ok) return found;
    // Git's own words for a commit leave out what was cut off.
    const [head = ""] = found.value?.toString("latin1").split("\n\n", 1) ?? [];
    for (const [, parent = ""] of head.matchAll(/^parent ([0-9a-f]+)$/gm)) {
      const before = await objects.facts(parent);
      if (!before.ok) return before;
      if (before.value !== null) return ok(true);
    }
  }
  return ok(false);
}

const questions = ["--git-dir", "--git-common-dir", "--show-object-format", "--show-toplevel"];

function placeOf(directory: string, { environment, clock, msMax }: RepositoryOptions): GitPlace {
  return {
    directory,
    environment,
    ...(clock === undefined ? {} : { clock }),
    ...(msMax === undefined ? {} : { msMax }),
  };
}

function missing(directory: string): Problem {
  return makeProblem("repository-missing", directory, "This folder is in no git repository.", {
    hint: "Without one a completion stays reported: name the repository with --repository, or run git init there.",
  });
}

/*
 * The work trees of a repository, as its folder lists them. The list is files that any process there can write, so a folder
 * counts only if its own `.git` leads back to this repository: git would follow the list into any other repository.
 */

/** A folder with files of the repository. */
export interface ListedTree {
  /** Absolute. */
  readonly directory: string;
  /** False: a linked one, made for somebody. */
  readonly isMain: boolean;
  /** The branch that is checked out, without `refs/heads/`; null: none is. */
  readonly branch: string | null;
  /** The commit that is checked out where no branch is; null: none, or a branch. */
  readonly detached: string | null;
  /** False: it is bare, or git has not found the folder. */
  readonly isThere: boolean;
}

/** The work trees as git lists them, also those whose folders are gone. */
export async function listedTrees(
  { git }: Repository,
  call: GitCall = {},
): Promise<Result<readonly ListedTree[], Problem>> {
  const listed = await git.run(["worktree", "list", "--porcelain"], call);
  if (!listed.ok) return listed;
  const blocks = listed.value.output.toString("utf8").split("\n\n");
  return ok(
    blocks.flatMap((block, index): readonly ListedTree[] => {
      const lines = block.split("\n");
      const after = (mark: string) => lines.find((line) => line.startsWith(mark))?.slice(mark.length) ?? null;
      const [directory, head] = [after("worktree "), after("HEAD ")];
      if (directory === null) return [];
      const detached = after("detached") !== null && !/^0*$/.test(head ?? "") ? head : null;
      const isThere = after("bare") === null && after("prunable") === null;
      return [{ directory, isMain: index === 0, branch: after("branch refs/heads/"), detached, isThere }];
    }),
  );
}

/** The work trees whose folders are there and are this repository's. A bare repository has no main one. */
export async function workTreesOf(repository: Repository): Promise<Result<readonly ListedTree[], Problem>> {
  const listed = await listedTrees(repository);
  const isOwn = ({ directory, isThere }: ListedTree) => isThere && leadsBack(directory, repository.commonDirectory);
  return listed.ok ? ok(listed.value.filter(isOwn)) : listed;
}

/** Whether the folder's `.git` is this repository, or a file that names one of its linked work trees. */
function leadsBack(directory: string, commonDirectory: string): boolean {
  const own = join(directory, ".git");
  try {
    const common = realpathSync(commonDirectory);
    if (statSync(own).isDirectory()) return realpathSync(own) === common;
    const named = pointedBy(directory);
    if (named === null) return false;
    const target = realpathSync(named);
    // The main work tree of a repository that lies elsewhere names the repository itself.
    return target === common || (dirname(target) === join(common, "worktrees") && basename(target) !== "");
  } catch {
    // What cannot be looked at is no folder of this repository.
    return false;
  }
}

/* Which files a repository's index holds: what git tracks, a commit can have brought. */

/**
 * The paths that git tracks at or below `path` (relative, no pattern, short) of `directory` (absolute), as paths from there;
 * a submodule is one path. Any case of the letters of `path` counts: on some disks it is the same folder. Refuses
 * `git-missing`, `timed-out` and `repository-unreadable`; where nothing can be asked, nothing is known to be untracked.
 */
export async function trackedBelow(
  directory: string,
  path: string,
  environment: Environment,
): Promise<Result<readonly string[], Problem>> {
  const git = gitAt({ directory, environment });
  // Pathspecs are literal wherever git is asked, so each spelling is a separate one; a folder's name is short.
  const listed = await git.run(["ls-files", "-z", "--", ...spellings(path)]);
  if (!listed.ok) return listed;
  return ok(
    listed.value.output
      .toString("utf8")
      .split("\0")
      .filter((name) => name !== ""),
  );
}

/** The path in every case of its letters. */
function spellings(path: string): readonly string[] {
  let found = [""];
  for (const character of path) {
    const cases = [...new Set([character.toLowerCase(), character.toUpperCase()])];
    found = found.flatMap((start) => cases.map((each) => start + each));
  }
  return found;
}
