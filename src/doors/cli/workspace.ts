/**
 * The place a command works in: the nearest `.baton/`, upwards from a directory, but not above the repository that the
 * directory lies in (docs/decisions/0022-nearest-team.md). In a linked git worktree the main
 * worktree's is used, because `team.yaml` is committed and every worktree has its own copy of it, but the journal is
 * one. The links are followed by reading git's files, so no git program is needed.
 */
import { existsSync, lstatSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";

import { readPlainFile } from "../../journal/sqlite/plain-file.ts";

/** Git's own pointers are a path and a line feed. */
const pointerBytesMax = 64 * 1024;

/** A `.baton/` directory and the files in it, whether they exist or not. */
export interface Workspace {
  /** The directory that holds `.baton/`. */
  readonly root: string;
  readonly directory: string;
  readonly teamFile: string;
  readonly journal: string;
}

/** The paths of the `.baton/` in `root`. */
export function workspaceAt(root: string): Workspace {
  const directory = join(root, ".baton");
  return { root, directory, teamFile: join(directory, "team.yaml"), journal: join(directory, "journal.db") };
}

/** The workspace that `from` lies in, or null. `from` must be absolute. */
export function findWorkspace(from: string): Workspace | null {
  const tree = findUpwards(from, ".git", isRepository);
  const main = tree === null ? null : mainWorktree(tree);
  if (tree !== null && main !== null) {
    const found = findUpwards(join(main, relative(tree, from)), ".baton", isRealDirectory, main);
    if (found !== null) return workspaceAt(found);
  }
  const found = findUpwards(from, ".baton", isRealDirectory, tree);
  return found === null ? null : workspaceAt(found);
}

/** The workspace above the repository that `from` lies in, which is not meant but may be looked for; or null. */
export function workspaceAbove(from: string): Workspace | null {
  const found = findUpwards(from, ".baton", isRealDirectory);
  return found === null || findWorkspace(from) !== null ? null : workspaceAt(found);
}

/** Whether a git repository is to be found around `from`, which must be absolute: a bare one is its own folder. */
export function liesInRepository(from: string): boolean {
  const isBare = (path: string) => isDirectory(path) && existsSync(join(dirname(path), "HEAD"));
  return findUpwards(from, ".git", existsSync) !== null || findUpwards(from, "objects", isBare) !== null;
}

/** Whether `path`, a `.git`, makes its folder a repository of its own: a submodule belongs to the one around it. */
function isRepository(path: string): boolean {
  if (!existsSync(path)) return false;
  const pointer = readLine(path);
  return pointer === null || !/^gitdir:.*[\\/]modules[\\/]/.test(pointer);
}

/**
 * The main worktree of the linked worktree at `tree`, or null: it is not linked, or the repository is bare. A linked
 * worktree's `.git` is a file that names its git directory, whose `commondir` file names the repository's.
 * A submodule has such a file too, but no `commondir`.
 */
export function mainWorktree(tree: string): string | null {
  const pointer = readLine(join(tree, ".git"));
  if (pointer === null || !pointer.startsWith("gitdir:")) return null;
  const gitDirectory = resolve(tree, pointer.slice("gitdir:".length).trim());
  const common = readLine(join(gitDirectory, "commondir"));
  if (common === null) return null;
  const repository = resolve(gitDirectory, common);
  return basename(repository) === ".git" ? dirname(repository) : null;
}

/** A repository's files as one checkout has them, and where the repository itself lies: the same for all its worktrees. */
export interface Checkout {
  readonly root: string;
  readonly repository: string;
}

/** The checkout that `from`, which must be absolute, lies in; null: none. A submodule belongs to the one around it. */
export function checkoutAround(from: string): Checkout | null {
  const root = findUpwards(from, ".git", isRepository);
  return root === null ? null : { root, repository: mainWorktree(root) ?? root };
}

/** The nearest directory, from `from` upwards to `last` (null: the root), in which `name` is found. */
export function findUpwards(
  from: string,
  name: string,
  isThere: (path: string) => boolean,
  last: string | null = null,
): string | null {
  let directory = from;
  for (;;) {
    if (isThere(join(directory, name))) return directory;
    const parent = dirname(directory);
    if (parent === directory || directory === last) return null;
    directory = parent;
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** A `.baton/` that is a link is none: a commit could lead it anywhere. */
function isRealDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The nearest `.baton` from `from` upwards that is a link, which is not followed; or null. */
export function linkedWorkspace(from: string): string | null {
  const isLink = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  const found = findUpwards(from, ".baton", isLink);
  return found === null ? null : join(found, ".baton");
}

function readLine(path: string): string | null {
  const file = readPlainFile(path, pointerBytesMax);
  return file.ok && file.value !== null ? file.value.text.trim() : null;
}
