/**
 * What is not committed, in every work tree of a repository: staged, changed, deleted and new files. Git lists what it
 * knows; what differs is found by reading the files here, because git would start the filters that a repository's own
 * configuration names (docs/decisions.md). A file whose size and time are those of the index is taken as unchanged.
 * Source: docs/protocol/asking.md, section 16.
 */
import { createHash, type Hash } from "node:crypto";
import { constants, lstatSync, readFileSync, readlinkSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { basename, join } from "node:path";
import { ownTurn } from "../../base/clock.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { eachChange } from "../git/changes.ts";
import { type GitPlace, gitAt, unreadable } from "../git/git.ts";
import { look } from "../git/questions.ts";
import { openRepository, type Repository, type RepositoryOptions, workTreesOf } from "../git/repository.ts";
import { stagedChanges } from "./submission.ts";

/** One work tree. */
export interface WorkTree {
  readonly directory: string;
  /** False: a linked one, made for somebody. */
  readonly isMain: boolean;
  /** Names by which somebody may call it its own: its folder's, and the last part of its branch's. */
  readonly names: readonly string[];
  /** Paths from its root, sorted. */
  readonly files: readonly string[];
}

/**
 * Largest file that is read to see whether it changed, and most that is read of all files together; what lies beyond counts
 * as changed where its size or time differs.
 */
const readBytesMax = 64 * 1024 * 1024;
const allBytesMax = 2 * 1024 * 1024 * 1024;
/** So much of a file is read and hashed in one turn of the event loop, and so many entries of the index are compared. */
const pieceBytes = 512 * 1024;
const entriesTogether = 500;
/** Most paths that git is asked about one by one: a line of words has an end. */
const pathsMax = 500;

/**
 * The work trees around `directory` with what each has not committed, of the paths `only`, else of all. Refuses what git
 * and the repository refuse.
 */
export async function uncommittedWork(
  directory: string,
  options: RepositoryOptions,
  only: readonly string[] = [],
): Promise<Result<readonly WorkTree[], Problem>> {
  const opened = await openRepository(directory, options);
  if (!opened.ok) return opened;
  await using repository = opened.value;
  const listed = await workTreesOf(repository);
  if (!listed.ok) return listed;
  const trees: WorkTree[] = [];
  for (const { directory: place, isMain, branch } of listed.value) {
    const files = await uncommittedIn(place, options, only);
    if (!files.ok) return files;
    const names = [basename(place), ...(branch === null ? [] : [basename(branch)])];
    trees.push({ directory: place, isMain, names, files: files.value });
  }
  return ok(trees);
}

/**
 * What one work tree has not committed, sorted. `directory`: its root, whatever `core.worktree` says, which could name any
 * other folder. `only`: paths that are asked about; none: all. `bytesMax`: what is read of all files together. Refuses what
 * git and the repository refuse.
 */
export async function uncommittedIn(
  directory: string,
  options: RepositoryOptions,
  only: readonly string[] = [],
  bytesMax: number = allBytesMax,
): Promise<Result<readonly string[], Problem>> {
  const paths = only.length > pathsMax ? [] : only;
  const opened = await openRepository(directory, options);
  if (!opened.ok) return opened;
  await using repository = opened.value;
  const staged = await look(() => stagedChanges(repository));
  if (!staged.ok) return staged;
  const changed = await changedIn(repository, directory, paths, bytesMax);
  if (!changed.ok) return changed;
  const fresh = await newIn(repository, directory, paths);
  if (!fresh.ok) return fresh;
  const all = new Set([...staged.value.changed.map(({ path }) => path), ...changed.value, ...fresh.value]);
  return ok((only.length === 0 ? [...all] : only.filter((path) => all.has(path))).toSorted());
}

/** Files that a work tree has not committed, among those that differ between two commits. */
export async function uncommittedAmong(
  repository: Repository,
  directory: string,
  { from, to }: { readonly from: string; readonly to: string },
  options: RepositoryOptions,
): Promise<Result<readonly string[], Problem>> {
  const changed = new Set<string>();
  await eachChange(repository, from, to, ({ path }) => void changed.add(path));
  if (changed.size === 0) return ok([]);
  const open = await uncommittedIn(directory, options, [...changed]);
  return open.ok ? ok(open.value.filter((path) => changed.has(path))) : open;
}

/** Largest file that is compared with its commit, in bytes. */
const comparedBytesMax = 4 * 1024 * 1024;

/**
 * Those of the files that the work tree at `root` has byte for byte as its commit has them, or that neither has. What git
 * cannot say is none of them.
 */
export async function asCheckedOut(
  root: string,
  paths: readonly string[],
  options: Omit<GitPlace, "directory">,
): Promise<readonly string[]> {
  const words = ["ls-tree", "-z", "--full-tree", "HEAD", "--", ...paths];
  const listed = await gitAt({ directory: root, ...options }).run(words);
  if (!listed.ok) return [];
  const ids = new Map<string, string>();
  for (const line of listed.value.output.toString("utf8").split("\0")) {
    const [head = "", path = ""] = line.split("\t");
    ids.set(path, head.split(" ")[2] ?? "");
  }
  return paths.filter((path) => idOfFile(join(root, path), ids.get(path)?.length ?? 0) === (ids.get(path) ?? null));
}

/** The id that git would give the bytes of a file, of so many digits; null: there is no file; empty: it is not compared. */
function idOfFile(path: string, digits: number): string | null {
  const facts = lstatSync(path, { throwIfNoEntry: false });
  if (facts === undefined) return null;
  if (digits === 0 || !facts.isFile() || facts.size > comparedBytesMax) return "";
  const bytes = readFileSync(path);
  const hash = createHash(digits === 64 ? "sha256" : "sha1");
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

/** Files that the index knows and the work tree has otherwise. */
async function changedIn(
  repository: Repository,
  root: string,
  paths: readonly string[],
  bytesMax: number,
): Promise<Result<readonly string[], Problem>> {
  const listed = await repository.git.run(filesIn(root, ["--stage", "--debug"], paths));
  if (!listed.ok) return listed;
  const budget = { bytesLeft: bytesMax };
  const changed: string[] = [];
  let at = 0;
  // Read as it is compared: all of a large repository at once would hold up a hub.
  for (const entry of indexEntries(listed.value.output.toString("utf8"))) {
    if (entry === null) return err(unreadable("git ls-files", "its answer is not the one asked for"));
    at += 1;
    if (at % entriesTogether === 0) await ownTurn();
    if (await isChanged(repository.objectFormat, root, entry, budget)) changed.push(entry.path);
  }
  return ok(changed);
}

/** The words that list files of this work tree, wherever the repository's settings say that it is; no paths: all. */
export function filesIn(root: string, more: readonly string[], paths: readonly string[]): readonly string[] {
  const place = ["--literal-pathspecs", "-C", root, `--work-tree=${root}`];
  return [...place, "ls-files", "-z", "--full-name", ...more, "--", ...paths];
}

async function newIn(
  { git }: Repository,
  root: string,
  paths: readonly string[],
): Promise<Result<readonly string[], Problem>> {
  const listed = await git.run(filesIn(root, ["--others", "--exclude-standard"], paths));
  return listed.ok ? ok(listed.value.output.toString("utf8").split("\0").slice(0, -1)) : listed;
}

interface IndexEntry {
  readonly mode: string;
  readonly id: string;
  readonly path: string;
  readonly mtime: string;
  readonly size: number;
}

/** The index as git prints it, each entry with what it saw of the file; null: it is not printed so. */
function* indexEntries(text: string): Generator<IndexEntry | null, void> {
  const line =
    /(\d{6}) ([0-9a-f]{40,64}) \d\t([^\0]+)\0 {2}ctime: \d+:\d+\n {2}mtime: (\d+:\d+)\n {2}dev: \d+\tino: \d+\n {2}uid: \d+\tgid: \d+\n {2}size: (\d+)\tflags: [0-9a-f]+\n/y;
  for (let at = 0; at < text.length; at = line.lastIndex) {
    const found = line.exec(text);
    if (found === null) {
      yield null;
      return;
    }
    const [, mode = "", id = "", path = "", mtime = "", size = ""] = found;
    yield { mode, id, path, mtime, size: Number(size) };
  }
}

/** What may still be read of all files. */
interface Budget {
  bytesLeft: number;
}

async function isChanged(
  format: Repository["objectFormat"],
  root: string,
  { mode, id, path, mtime, size }: IndexEntry,
  budget: Budget,
): Promise<boolean> {
  // A submodule is a separate repository.
  if (mode === "160000") return false;
  const full = join(root, path);
  const stat = lstatSync(full, { throwIfNoEntry: false, bigint: true });
  if (stat === undefined) return true;
  if (stat.isFile() && Number(stat.size) === size && timeOf(stat.mtimeNs) === mtime) return false;
  if (stat.isSymbolicLink()) {
    const target = readlinkSync(full, "buffer");
    return blobHash(format, target.length).update(target).digest("hex") !== id;
  }
  const bytes = Number(stat.size);
  if (!stat.isFile() || bytes > readBytesMax || bytes > budget.bytesLeft) return true;
  budget.bytesLeft -= bytes;
  return (await blobIdOf(format, full, bytes)) !== id;
}

function blobHash(format: Repository["objectFormat"], bytes: number): Hash {
  return createHash(format).update(`blob ${bytes}\0`);
}

/** The id that git would give the file, read in pieces with a turn for others between them; null: it changed meanwhile. */
async function blobIdOf(format: Repository["objectFormat"], path: string, bytes: number): Promise<string | null> {
  const file = await openRegular(path);
  if (file === null) return null;
  try {
    const hash = blobHash(format, bytes);
    const piece = Buffer.alloc(Math.min(pieceBytes, bytes + 1));
    let read = 0;
    for (;;) {
      const { bytesRead } = await file.read(piece, 0, piece.length, null);
      if (bytesRead === 0) break;
      read += bytesRead;
      // A process that keeps writing does not prolong it.
      if (read > bytes) return null;
      hash.update(piece.subarray(0, bytesRead));
      await ownTurn();
    }
    return read === bytes ? hash.digest("hex") : null;
  } finally {
    await file.close();
  }
}

/** The file opened, without following a link that came in its place; null: it is no regular file any more. */
async function openRegular(path: string): Promise<FileHandle | null> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  // What cannot be opened is gone or replaced since it was listed, so it is not what was committed.
  const { open } = await import("node:fs/promises");
  const file = await open(path, flags).catch(() => null);
  if (file === null || (await file.stat()).isFile()) return file;
  await file.close();
  return null;
}

function timeOf(ns: bigint): string {
  return `${ns / 1_000_000_000n}:${ns % 1_000_000_000n}`;
}
