/**
 * The place a command works in: the nearest `.baton/`, upwards from a directory, but not above the repository that the
 * directory is in (docs/protocol/doors.md, section 3), and the folder of the team's state, which in a repository is in
 * git's own folder, where no commit can put a file (docs/protocol/record.md, sections 23 to 25). In a linked git
 * worktree the main worktree's `.baton/` is used, because `team.yaml` is committed and every worktree has its own copy
 * of it, but the journal is one. The links are followed by reading git's files, so no git program is needed.
 */
import { existsSync, lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { sha256 } from "../../base/canonical.ts";
import { readPlainFile } from "../../base/plain-file.ts";

/** Git's own pointers are a path and a line feed. */
const pointerBytesMax = 64 * 1024;

/** A team's folder and the files in it, whether they exist or not. */
export interface Workspace {
  /** The directory that holds `.baton/`. */
  readonly root: string;
  readonly directory: string;
  readonly teamFile: string;
  /** The folder of the journal and of everything kept next to it. */
  readonly state: string;
  /** Whether `state` is in git's folder; else it is `.baton/` itself. */
  readonly isInGit: boolean;
  /** The git folder that the checkout's file `.git` names and that cannot be reached; null: none is missing. */
  readonly missing: string | null;
}

/** Where the journal is in a state folder, unless its owner has set another place. */
export function journalIn(state: string): string {
  return join(state, "journal.db");
}

/** The workspace of the `.baton/` in `root`, which must be absolute. */
export function workspaceAt(root: string): Workspace {
  const tree = findUpwards(root, ".git", isRepository);
  return workspaceIn(tree, tree === null ? null : gitFolderOf(tree), root);
}

function workspaceIn(tree: string | null, gitFolder: string | null, root: string): Workspace {
  const directory = join(root, ".baton");
  const state = tree === null || gitFolder === null ? directory : stateIn(gitFolder, relative(tree, root));
  const missing = tree === null || gitFolder !== null ? null : missingFolder(tree);
  return { root, directory, teamFile: join(directory, "team.yaml"), state, isInGit: state !== directory, missing };
}

/** The state of the team whose `.baton/` is at `path` of a repository; "" is its root. */
function stateIn(gitFolder: string, path: string): string {
  if (path === "") return join(gitFolder, "baton");
  const name = encodeURIComponent(path.split(sep).join("/"));
  return join(gitFolder, "baton", "folders", name.length <= folderNameMax ? name : sha256(path));
}

/** A path of more characters is named by its hash: file systems allow 255 bytes. */
const folderNameMax = 200;

/** The workspace that `from` is in, or null. `from` must be absolute. */
export function findWorkspace(from: string): Workspace | null {
  const tree = findUpwards(from, ".git", isRepository);
  const gitFolder = tree === null ? null : gitFolderOf(tree);
  const main = tree === null ? null : mainWorktree(tree);
  return (
    (tree === null || main === null ? null : nearestIn(main, gitFolder, join(main, relative(tree, from)))) ??
    nearestIn(tree, gitFolder, from)
  );
}

/**
 * The nearest workspace from `from` upwards. One whose `.baton/` is gone, because git has checked out a commit without
 * it or has cleaned the folder, is still there while it has a journal. A `.baton/` below a team that has a journal
 * counts only once it has state: a commit can bring one, and everybody who works in that folder would leave the team
 * silently.
 */
function nearestIn(tree: string | null, gitFolder: string | null, from: string): Workspace | null {
  const isThere = (directory: string) => {
    const workspace = workspaceIn(tree, gitFolder, directory);
    if (workspace.isInGit && hasJournal(workspace)) return true;
    if (!isRealDirectory(workspace.directory)) return false;
    return !workspace.isInGit || isKnown(workspace) || !liesBelowTeam(tree, gitFolder, directory);
  };
  const found = findUpwards(from, "", isThere, tree);
  return found === null ? null : workspaceIn(tree, gitFolder, found);
}

/** Whether a workspace has a journal, in its state folder or where its owner has put it. */
export function hasJournal({ state }: Workspace): boolean {
  return existsSync(journalIn(state)) || existsSync(join(state, placeFile));
}

/** Whether the person has used or initialised this workspace here, also with an older Baton. */
function isKnown({ state, directory }: Workspace): boolean {
  return existsSync(join(state, homeFile)) || existsSync(journalIn(directory));
}

/** Whether a folder above `directory`, in the same repository, has a team with a journal. */
function liesBelowTeam(tree: string | null, gitFolder: string | null, directory: string): boolean {
  if (tree === null || directory === tree) return false;
  const hasTeam = (folder: string) => hasJournal(workspaceIn(tree, gitFolder, folder));
  return findUpwards(dirname(directory), "", hasTeam, tree) !== null;
}

/** Whether the workspace lies below the root of its repository, where another team may be. */
export function isNested({ root, isInGit }: Workspace): boolean {
  return isInGit && !existsSync(join(root, ".git"));
}

/** The file in which a state folder names another folder for the journal. */
export const placeFile = "place.json";
/** The file in which a state folder notes where it is. */
export const homeFile = "home.json";

/**
 * The workspace above the repository that `from` is in, which is not used but may be what the caller wants; or null.
 */
export function workspaceAbove(from: string): Workspace | null {
  if (findWorkspace(from) !== null) return null;
  const found = findUpwards(from, ".baton", isRealDirectory);
  return found === null ? null : findWorkspace(found);
}

/**
 * Whether there is a git repository around `from`, which must be absolute: a bare one is its own folder. A damaged one
 * counts too, or damage would spare a report its check; an empty folder `.git` is none, for git and for the journal.
 */
export function liesInRepository(from: string): boolean {
  const isGit = (path: string) => existsSync(path) && !(isDirectory(path) && isEmpty(path));
  const isBare = (path: string) => isDirectory(path) && existsSync(join(dirname(path), "HEAD"));
  return findUpwards(from, ".git", isGit) !== null || findUpwards(from, "objects", isBare) !== null;
}

/** Whether `path`, a `.git`, makes its folder a separate repository: a submodule belongs to the one around it. */
function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    // Who may not look into it cannot say that nothing is there.
    return false;
  }
}

function isRepository(path: string): boolean {
  return existsSync(path) && (isDirectory(path) || !isSubmodule(dirname(path)));
}

/**
 * Whether the checkout at `tree` is a submodule: its git directory lies among the modules of a repository around it, or of
 * a linked worktree there. A path that only looks so, such as a project in a folder called `modules`, is none.
 */
function isSubmodule(tree: string): boolean {
  const own = pointedBy(tree);
  if (own === null || existsSync(join(own, "commondir")) || dirname(tree) === tree) return false;
  const outer = findUpwards(dirname(tree), ".git", isRepository);
  const folder = outer === null ? null : gitFolderOf(outer);
  return folder !== null && /^(worktrees[\\/][^\\/]+[\\/])?modules[\\/]/.test(relative(folder, resolved(own)));
}

/** The path with its links resolved as far as it exists. */
function resolved(path: string): string {
  if (existsSync(path) || dirname(path) === path) return existsSync(path) ? realpathSync(path) : path;
  return join(resolved(dirname(path)), basename(path));
}

/**
 * The folder that all worktrees of the repository at `tree` share, links resolved: `.git` itself, or where the files
 * `.git` and `commondir` lead. Null where what is there is no repository.
 */
export function gitFolderOf(tree: string): string | null {
  const git = join(tree, ".git");
  const pointed = isDirectory(git) ? git : pointedBy(tree);
  if (pointed === null) return null;
  const common = readLine(join(pointed, "commondir"));
  const folder = common === null ? pointed : resolve(pointed, common);
  return existsSync(join(folder, "HEAD")) && isDirectory(join(folder, "objects")) ? realpathSync(folder) : null;
}

/**
 * The git directory of `tree` where no repository can be reached there: that which the file `.git` names, or one that has
 * Baton's state and lacks a part, such as its `HEAD`; or null.
 */
function missingFolder(tree: string): string | null {
  const git = join(tree, ".git");
  if (!isDirectory(git)) return pointedBy(tree);
  return isDirectory(join(git, "baton")) ? git : null;
}

/** The git directory that the file `.git` of a linked worktree, or of one whose repository lies elsewhere, names. */
export function pointedBy(tree: string): string | null {
  const pointer = readLine(join(tree, ".git"));
  if (pointer === null || !pointer.startsWith("gitdir:")) return null;
  return resolve(tree, pointer.slice("gitdir:".length).trim());
}

/**
 * The main worktree of the linked worktree at `tree`, or null: it is not linked, or the repository is bare. A linked
 * worktree's `.git` is a file that names its git directory, whose `commondir` file names the repository's.
 * A submodule has such a file too, but no `commondir`.
 */
export function mainWorktree(tree: string): string | null {
  const gitDirectory = pointedBy(tree);
  const common = gitDirectory === null ? null : readLine(join(gitDirectory, "commondir"));
  if (gitDirectory === null || common === null) return null;
  const repository = resolve(gitDirectory, common);
  return basename(repository) === ".git" ? dirname(repository) : null;
}

/** A repository's files as one checkout has them, and where the repository itself lies: the same for all its worktrees. */
export interface Checkout {
  readonly root: string;
  readonly repository: string;
}

/** The checkout that `from`, which must be absolute, is in; null: none. A submodule belongs to the one around it. */
export function checkoutAround(from: string): Checkout | null {
  const root = findUpwards(from, ".git", isRepository);
  return root === null ? null : { root, repository: mainWorktree(root) ?? root };
}

/** The file that names whose a work tree is, in git's own folder of that work tree. */
export const agentFile = "baton-agent";

/** Whose the work tree around `from` is, as `baton install git-hooks --as` has named it; null: nobody was named. */
export function agentOfTree(from: string): string | null {
  const folder = gitFolderOfTree(from);
  return (folder === null ? null : readLine(join(folder, agentFile))) || null;
}

/** Git's own folder of the work tree around `from`; null: it is in none. */
export function gitFolderOfTree(from: string): string | null {
  const root = checkoutAround(from)?.root;
  return root === undefined ? null : (pointedBy(root) ?? join(root, ".git"));
}

/** Whether a commit could put a file at `path`, which must be absolute: it lies among the files of a repository. */
export function liesInWorkTree(path: string): boolean {
  const tree = findUpwards(dirname(path), ".git", isRepository);
  return tree !== null && gitFolderOf(tree) !== null && relative(tree, path).split(sep)[0] !== ".git";
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
