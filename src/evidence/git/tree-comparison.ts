/**
 * What two trees differ in, found by walking both of them object by object, each held to its hash: `git diff-tree`
 * believes any content under an id. Folders with the same id are the same and are not opened. Renames are not guessed
 * at here, so both of their sides are in the list: one deleted, one added. Rules: docs/protocol/verdicts.md.
 */
import { nextTurn } from "../../base/clock.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { ChangedPath } from "./changed-paths.ts";
import { unreadable } from "./git.ts";
import { emptyTrees, type TreeEntry, textOf, treeBytesMax, treeIn, treeMode } from "./git-objects.ts";
import type { ObjectReader } from "./object-reader.ts";

/** Most paths that a comparison lists, and the longest path, in bytes. A few small trees can name billions of paths. */
const changesMax = 300_000;
const pathBytesMax = 16_384;
/** Most trees that are kept to be read once; then all are forgotten. */
const keptTreesMax = 4_096;
/** After so many comparisons others have their turn. */
const breathEvery = 64;

export type TreePair = readonly [before: string, after: string];

/** Which folders may hold what is asked for, by the bytes of their paths read as Latin-1. */
export type Within = (folder: string) => boolean;

/**
 * What each pair of trees differs in, by path. `within`: other folders are not opened. Refuses `too-large`, and
 * `repository-unreadable` where a tree is not there or is not what its id says, and what reading objects refuses.
 */
export async function compareTrees(
  { objects }: { readonly objects: ObjectReader },
  pairs: readonly TreePair[],
  within: Within = () => true,
): Promise<Result<readonly (readonly ChangedPath[])[], Problem>> {
  const trees = keptTrees(objects);
  const diffs: (readonly ChangedPath[])[] = [];
  for (const [index, [before, after]] of pairs.entries()) {
    if (index % breathEvery === breathEvery - 1) await nextTurn();
    const changed: ChangedPath[] = [];
    const problem = await compareFolders(trees, { before, after, folder: "" }, within, changed);
    if (problem !== null) return err(problem);
    diffs.push(changed.toSorted((a, b) => (a.path < b.path ? -1 : 1)));
  }
  return ok(diffs);
}

/** The folders that the paths are in; all of them where a name is not UTF-8, so that none is missed. */
export function foldersOf(changed: readonly ChangedPath[]): Within {
  if (changed.some(({ isText }) => !isText)) return () => true;
  const folders = new Set<string>();
  for (const { path } of changed) {
    const bytes = Buffer.from(path).toString("latin1");
    for (let end = bytes.indexOf("/"); end !== -1; end = bytes.indexOf("/", end + 1)) folders.add(bytes.slice(0, end));
  }
  return (folder) => folders.has(folder);
}

type Entries = ReadonlyMap<string, TreeEntry>;
type Read = (id: string) => Promise<Result<Entries, Problem>>;

/** A folder on both sides; null: it is not there. `folder`: its path with a slash behind it; empty for the root. */
interface Folder {
  readonly before: string | null;
  readonly after: string | null;
  readonly folder: string;
}

function keptTrees(objects: ObjectReader): Read {
  const kept = new Map<string, Promise<Result<Entries, Problem>>>();
  const read = async (id: string): Promise<Result<Entries, Problem>> => {
    if (id === emptyTrees.sha1 || id === emptyTrees.sha256) return ok(new Map());
    const found = await objects.read(id, treeBytesMax);
    if (!found.ok) return found;
    return typeof found.value === "string" ? err(unreadable(id, "a tree is not there")) : treeIn(found.value);
  };
  return (id) => {
    const known = kept.get(id);
    if (known !== undefined) return known;
    if (kept.size >= keptTreesMax) kept.clear();
    const reading = read(id);
    kept.set(id, reading);
    return reading;
  };
}

/** Adds what the folder differs in. All folders of one depth are read together. Answers what is wrong, or null. */
async function compareFolders(
  read: Read,
  root: Folder,
  within: Within,
  changed: ChangedPath[],
): Promise<Problem | null> {
  let level: readonly Folder[] = [root];
  while (level.length > 0) {
    const next: Folder[] = [];
    const opened = await Promise.all(
      level.map(({ before, after }) =>
        Promise.all([before, after].map(async (id) => (id === null ? ok(none) : await read(id)))),
      ),
    );
    for (const [index, folder] of level.entries()) {
      const [before, after] = opened[index] ?? [];
      if (before === undefined || after === undefined) continue;
      if (!before.ok) return before.error;
      if (!after.ok) return after.error;
      addChanges(before.value, after.value, folder.folder, { changed, next, within });
      if (changed.length + next.length > changesMax || folder.folder.length > pathBytesMax)
        return tooMuch(folder.folder);
    }
    level = next;
  }
  return null;
}

const none: Entries = new Map();

interface Findings {
  readonly changed: ChangedPath[];
  readonly next: Folder[];
  readonly within: Within;
}

function addChanges(before: Entries, after: Entries, folder: string, { changed, next, within }: Findings): void {
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const old = before.get(name);
    const now = after.get(name);
    if (old?.id === now?.id && old?.mode === now?.mode) continue;
    const path = folder + name;
    const [oldTree, nowTree] = [treeOf(old), treeOf(now)];
    if ((oldTree !== null || nowTree !== null) && within(path))
      next.push({ before: oldTree, after: nowTree, folder: `${path}/` });
    const change = changeOf(path, fileOf(old), fileOf(now));
    if (change !== null) changed.push(change);
  }
}

function treeOf(entry: TreeEntry | undefined): string | null {
  return entry?.mode === treeMode ? entry.id : null;
}

function fileOf(entry: TreeEntry | undefined): TreeEntry | null {
  return entry === undefined || entry.mode === treeMode ? null : entry;
}

function changeOf(bytes: string, before: TreeEntry | null, after: TreeEntry | null): ChangedPath | null {
  const there = after ?? before;
  if (there === null) return null;
  const { text: path, isText } = textOf(Buffer.from(bytes, "latin1"));
  const absent = { mode: "000000", id: "0".repeat(there.id.length) };
  const [old, now] = [before ?? absent, after ?? absent];
  // The first three digits say what it is: a file, a link, a submodule.
  const isSameKind = old.mode.slice(0, 3) === now.mode.slice(0, 3);
  const change = before === null ? "added" : after === null ? "deleted" : isSameKind ? "modified" : "type-changed";
  return {
    path,
    change,
    mode: { before: old.mode, after: now.mode },
    content: { before: old.id, after: now.id },
    isText,
  };
}

function tooMuch(folder: string): Problem {
  return makeProblem(
    "too-large",
    folder.slice(0, 200) || "$",
    `The change lists more than ${changesMax} paths, or paths that are too long.`,
    {
      hint: "Split the commit; one of this size is not checked.",
    },
  );
}
