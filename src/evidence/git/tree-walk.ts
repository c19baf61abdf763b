/**
 * Paths looked up in a commit's tree, as git stores them: no file system is asked, so what is on the disk cannot
 * mislead. Links are followed as a checkout would follow them, but never past the root of the repository.
 */
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { unreadable } from "./git.ts";
import { linkMode, submoduleMode, type TreeEntry, treeIn, treeMode } from "./git-objects.ts";
import type { GitObject, ObjectReader } from "./object-reader.ts";

export interface TreeWalk {
  /** The entry at a path of clean parts; null: there is none. */
  entry(path: string): Promise<Result<TreeEntry | null, Problem>>;
  /** The content of an entry; null: it is not in the repository. Problems: as of `ObjectReader`. */
  content(entry: TreeEntry, bytesMax: number): Promise<Result<GitObject | null, Problem>>;
  /** Where a link at `path` that says `target` leads in the end. */
  follow(path: string, target: string): Promise<Result<Destination, Problem>>;
}

/** Where a link leads: a path in the repository (`""`: its root), or out of what a checkout of it holds. */
export type Destination =
  | { readonly at: "inside"; readonly path: string; readonly isFolder: boolean }
  | { readonly at: "outside"; readonly reason: string };

/** Largest tree, in bytes: about half a million entries. */
export const treeBytesMax = 32 * 1024 * 1024;
/** Longest target of a link, in bytes: what Linux allows. */
export const linkBytesMax = 4096;
/** Links that one way may go through; Linux stops at as many. */
const linksMax = 40;

/** Walks in the tree with the id `root`. Trees are read once. */
export function walkTree(objects: ObjectReader, root: string): TreeWalk {
  const trees = new Map<string, Promise<Result<ReadonlyMap<string, TreeEntry>, Problem>>>();
  const read = async (id: string): Promise<Result<ReadonlyMap<string, TreeEntry>, Problem>> => {
    const found = await objects.read(id, treeBytesMax);
    if (!found.ok) return found;
    return typeof found.value === "string" ? err(unreadable(id, "a tree is not there")) : treeIn(found.value);
  };
  const treeOf = (id: string) => {
    const known = trees.get(id) ?? read(id);
    trees.set(id, known);
    return known;
  };
  const entry = async (path: string): Promise<Result<TreeEntry | null, Problem>> => {
    let found: TreeEntry = { mode: treeMode, id: root };
    for (const part of path === "" ? [] : path.split("/")) {
      if (found.mode !== treeMode) return ok(null);
      const tree = await treeOf(found.id);
      if (!tree.ok) return tree;
      const next = tree.value.get(Buffer.from(part, "utf8").toString("latin1"));
      if (next === undefined) return ok(null);
      found = next;
    }
    return ok(found);
  };
  const content = async ({ id }: TreeEntry, bytesMax: number): Promise<Result<GitObject | null, Problem>> => {
    const found = await objects.read(id, bytesMax);
    return found.ok ? ok(typeof found.value === "string" ? null : found.value) : found;
  };
  return { entry, content, follow: (path, target) => follow({ entry, content }, path, target) };
}

const outside = (reason: string): Result<Destination, Problem> => ok({ at: "outside", reason });

async function follow(
  walk: Pick<TreeWalk, "entry" | "content">,
  path: string,
  target: string,
): Promise<Result<Destination, Problem>> {
  const at = path.split("/").slice(0, -1);
  let waiting = partsOf(target);
  for (let links = 1; ; ) {
    if (waiting === null) return outside("it is absolute");
    const part = waiting.shift();
    if (part === undefined) break;
    if (part === "..") {
      if (at.pop() === undefined) return outside("it leaves the repository");
      continue;
    }
    const here = [...at, part].join("/");
    const entry = await walk.entry(here);
    if (!entry.ok) return entry;
    if (entry.value?.mode !== linkMode) {
      at.push(part);
      continue;
    }
    if (++links > linksMax) return outside("it leads in a circle");
    const said = await walk.content(entry.value, linkBytesMax);
    if (!said.ok) return said;
    const next: readonly string[] | null = partsOf(said.value?.content.toString("utf8") ?? "");
    waiting = next === null ? null : [...next, ...waiting];
  }
  const end = await walk.entry(at.join("/"));
  if (!end.ok) return end;
  const isFolder = end.value?.mode === treeMode || end.value?.mode === submoduleMode;
  return ok({ at: "inside", path: at.join("/"), isFolder });
}

/** The parts of a link's target that say something; null: it is absolute, here or on another system. */
function partsOf(target: string): string[] | null {
  if (/^(?:[\\/]|[A-Za-z]:)/.test(target)) return null;
  return target.split("/").filter((part) => part !== "" && part !== ".");
}
