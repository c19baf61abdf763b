/** Commits, trees and links, taken apart from the bytes that git keeps. */
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { unreadable } from "./git.ts";
import type { GitObject } from "./object-reader.ts";

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

/** The mode of a symbolic link and of a submodule's pointer. */
export const linkMode = "120000";
export const submoduleMode = "160000";
export const treeMode = "40000";

/** The commit in an object. Refuses `repository-unreadable` for one that is none. */
export function commitIn(object: GitObject): Result<Commit, Problem> {
  const text = object.content.toString("utf8");
  const end = text.indexOf("\n\n");
  const lines = (end < 0 ? text : text.slice(0, end)).split("\n");
  const named = (key: string): readonly string[] =>
    lines.filter((line) => line.startsWith(`${key} `)).map((line) => line.slice(key.length + 1));
  const [tree] = named("tree");
  const parents = named("parent");
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
