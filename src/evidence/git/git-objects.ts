/** Commits, trees and links, taken apart from the bytes that git keeps. */
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { unreadable } from "./git.ts";
import type { GitObject, ObjectReader } from "./object-reader.ts";

/** A commit as it names what it holds. */
export interface Commit {
  readonly id: string;
  readonly tree: string;
  /** As written in the commit itself, whether they are here or not. */
  readonly parents: readonly string[];
  /** When it was committed, as written, in seconds; 0: it does not say. It can be forged, so nothing rests on it. */
  readonly committedAt: number;
  /** The first line of its message. */
  readonly subject: string;
  /** Name and address of the author, as written. */
  readonly author: { readonly name: string; readonly email: string };
}

/** One entry of a tree. Modes are git's: `100644`, `100755`, `120000` (link), `160000` (submodule), `40000` (tree). */
export interface TreeEntry {
  readonly mode: string;
  readonly id: string;
}

/** The id of the tree without entries; git knows it without having it. */
export const emptyTrees = {
  sha1: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  sha256: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
} as const;

/** The mode of a symbolic link and of a submodule's pointer. */
export const linkMode = "120000";
export const submoduleMode = "160000";
export const treeMode = "40000";

/**
 * The commit in an object. As for git, the tree is its first line and the parents follow at once: such a line further down
 * names none. Refuses `repository-unreadable` for an object that is no commit.
 */
export function commitIn(object: GitObject): Result<Commit, Problem> {
  const text = object.content.toString("utf8");
  const end = text.indexOf("\n\n");
  const lines = (end < 0 ? text : text.slice(0, end)).split("\n");
  const named = (key: string): readonly string[] =>
    lines.filter((line) => line.startsWith(`${key} `)).map((line) => line.slice(key.length + 1));
  const [first = "", ...others] = lines;
  const tree = first.startsWith("tree ") ? first.slice("tree ".length) : undefined;
  const parentsEnd = others.findIndex((line) => !line.startsWith("parent "));
  const parents = others
    .slice(0, parentsEnd < 0 ? others.length : parentsEnd)
    .map((line) => line.slice("parent ".length));
  const isId = (id: string): boolean => id.length === object.id.length && /^[0-9a-f]+$/.test(id);
  if (object.kind !== "commit" || tree === undefined || ![tree, ...parents].every(isId))
    return err(unreadable(object.id, "a commit is not written as one"));
  const committedAt = Number(/> (\d{1,15}) /.exec(named("committer")[0] ?? "")?.[1] ?? 0);
  const [subject = ""] = end < 0 ? [] : text.slice(end + 2).split("\n", 1);
  return ok({ id: object.id, tree, parents, committedAt, subject, author: personIn(named("author")[0] ?? "") });
}

function personIn(line: string): Commit["author"] {
  const open = line.lastIndexOf("<");
  const close = line.indexOf(">", open);
  if (open < 0 || close < 0) return { name: line.trim(), email: "" };
  return { name: line.slice(0, open).trim(), email: line.slice(open + 1, close).trim() };
}

/**
 * The entries of a tree by the bytes of their names, read as Latin-1. Refuses `repository-unreadable` for an object that is
 * no tree, is cut off, or has a name twice or one that git would not check out: each could hide a file.
 */
export function treeIn(object: GitObject): Result<ReadonlyMap<string, TreeEntry>, Problem> {
  const entries = new Map<string, TreeEntry>();
  const { content, id: tree, kind } = object;
  const idBytes = tree.length / 2;
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const zero = content.indexOf(0, space);
    const next = zero + 1 + idBytes;
    if (space < 0 || zero < 0 || next > content.length) return err(unreadable(tree, "a tree is cut off"));
    const mode = canonicalMode(content.toString("latin1", at, space));
    const name = content.toString("latin1", space + 1, zero);
    const isName = name !== "" && name !== "." && name !== ".." && !name.includes("/");
    if (mode === null || !isName || entries.has(name)) return err(unreadable(tree, "a tree is not written as one"));
    entries.set(name, { mode, id: content.toString("hex", zero + 1, next) });
    at = next;
  }
  return kind === "tree" ? ok(entries) : err(unreadable(tree, `a ${kind} is where a tree is named`));
}

/** A mode as git itself reads it: old trees have others for plain files. Null: it is none. */
function canonicalMode(written: string): string | null {
  if (!/^[0-7]{5,6}$/.test(written)) return null;
  const mode = Number.parseInt(written, 8);
  switch (mode & 0o170000) {
    case 0o100000:
      return (mode & 0o100) === 0 ? "100644" : "100755";
    case 0o120000:
      return linkMode;
    case 0o040000:
      return treeMode;
    case 0o160000:
      return submoduleMode;
    default:
      return null;
  }
}

/** A name of bytes as text; `isText` false: it is not UTF-8, and shown byte by byte. */
export function textOf(bytes: Buffer): { readonly text: string; readonly isText: boolean } {
  const text = bytes.toString("utf8");
  return text.includes("\ufffd") && !Buffer.from(text, "utf8").equals(bytes)
    ? { text: bytes.toString("latin1"), isText: false }
    : { text, isText: true };
}

/*
 * Paths looked up in a commit's tree, as git stores them: no file system is asked, so what is on the disk cannot
 * mislead. Links are followed as a checkout would follow them, but never past the root of the repository.
 */

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
