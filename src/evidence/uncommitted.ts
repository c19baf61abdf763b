/**
 * What is not committed, in every work tree of a repository: staged, changed, deleted and new files. Git lists what it
 * knows; what differs is found by reading the files here, because git would start the filters that a repository's own
 * configuration names (decision 0081). A file whose size and time are those of the index is taken as unchanged.
 * Source: semantics.md section 3 (Shutdown, the certificate).
 */
import { createHash } from "node:crypto";
import { lstatSync, readFileSync, readlinkSync, type Stats } from "node:fs";
import { basename, join } from "node:path";
import type { Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import { unreadable } from "./git.ts";
import { openRepository, type Repository, type RepositoryOptions } from "./repository.ts";
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

/** Largest file that is read to see whether it changed; a bigger one with another size or time counts as changed. */
const readBytesMax = 64 * 1024 * 1024;

/** The work trees around `directory` with what each has not committed. Refuses what git and the repository refuse. */
export async function uncommittedWork(
  directory: string,
  options: RepositoryOptions,
): Promise<Result<readonly WorkTree[], Problem>> {
  const opened = await openRepository(directory, options);
  if (!opened.ok) return opened;
  await using repository = opened.value;
  const listed = await repository.git.run(["worktree", "list", "--porcelain"]);
  if (!listed.ok) return listed;
  const trees: WorkTree[] = [];
  for (const [index, block] of listed.value.output.toString("utf8").split("\n\n").entries()) {
    const place = /^worktree (.+)$/m.exec(block)?.[1];
    // A bare repository has no files, and the folder of a work tree may be gone.
    if (place === undefined || /^(?:bare|prunable)\b/m.test(block)) continue;
    const branch = /^branch refs\/heads\/(.+)$/m.exec(block)?.[1];
    const files = await uncommittedIn(place, options);
    if (!files.ok) return files;
    const names = [basename(place), ...(branch === undefined ? [] : [basename(branch)])];
    trees.push({ directory: place, isMain: index === 0, names, files: files.value });
  }
  return ok(trees);
}

async function uncommittedIn(
  directory: string,
  options: RepositoryOptions,
): Promise<Result<readonly string[], Problem>> {
  const opened = await openRepository(directory, options);
  if (!opened.ok) return opened;
  await using repository = opened.value;
  if (repository.workTree === null) return ok([]);
  const staged = await stagedChanges(repository);
  if (!staged.ok) return staged;
  const changed = await changedIn(repository, repository.workTree);
  if (!changed.ok) return changed;
  const fresh = await newIn(repository, repository.workTree);
  if (!fresh.ok) return fresh;
  const paths = [...staged.value.changed.map(({ path }) => path), ...changed.value, ...fresh.value];
  return ok([...new Set(paths)].toSorted());
}

/** Files that the index knows and the work tree has otherwise. */
async function changedIn(repository: Repository, root: string): Promise<Result<readonly string[], Problem>> {
  const listed = await repository.git.run(["ls-files", "--stage", "--debug", "-z"]);
  if (!listed.ok) return listed;
  const entries = indexEntries(listed.value.output.toString("utf8"));
  if (entries === null) return err(unreadable("git ls-files", "its answer is not the one asked for"));
  return ok(entries.filter((entry) => isChanged(repository.objectFormat, root, entry)).map(({ path }) => path));
}

async function newIn({ git }: Repository, root: string): Promise<Result<readonly string[], Problem>> {
  const listed = await git.run([
    "-C",
    root,
    `--work-tree=${root}`,
    "ls-files",
    "--others",
    "--exclude-standard",
    "-z",
    "--full-name",
  ]);
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
function indexEntries(text: string): readonly IndexEntry[] | null {
  const entries: IndexEntry[] = [];
  const line =
    /(\d{6}) ([0-9a-f]{40,64}) \d\t([^\0]+)\0 {2}ctime: \d+:\d+\n {2}mtime: (\d+:\d+)\n {2}dev: \d+\tino: \d+\n {2}uid: \d+\tgid: \d+\n {2}size: (\d+)\tflags: [0-9a-f]+\n/y;
  for (let at = 0; at < text.length; at = line.lastIndex) {
    const found = line.exec(text);
    if (found === null) return null;
    const [, mode = "", id = "", path = "", mtime = "", size = ""] = found;
    entries.push({ mode, id, path, mtime, size: Number(size) });
  }
  return entries;
}

function isChanged(
  format: Repository["objectFormat"],
  root: string,
  { mode, id, path, mtime, size }: IndexEntry,
): boolean {
  // A submodule is a repository of its own.
  if (mode === "160000") return false;
  const full = join(root, path);
  const stat = lstatSync(full, { throwIfNoEntry: false, bigint: true });
  if (stat === undefined) return true;
  if (stat.isFile() && Number(stat.size) === size && timeOf(stat.mtimeNs) === mtime) return false;
  const content = contentOf(full, lstatSync(full));
  if (content === null) return true;
  const blob = createHash(format).update(`blob ${content.length}\0`).update(content).digest("hex");
  return blob !== id;
}

function contentOf(path: string, stat: Stats): Buffer | null {
  if (stat.isSymbolicLink()) return Buffer.from(readlinkSync(path));
  return stat.isFile() && stat.size <= readBytesMax ? readFileSync(path) : null;
}

function timeOf(ns: bigint): string {
  return `${ns / 1_000_000_000n}:${ns % 1_000_000_000n}`;
}
