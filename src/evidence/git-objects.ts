/** Commits, trees and links, taken apart from the bytes that git keeps. */
import type { Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import { unreadable } from "./git.ts";
import type { GitObject } from "./object-reader.ts";

/** A commit as it names what it holds. */
export interface Commit {
  readonly id: string;
  readonly tree: string;
  /** As written in the commit itself, whether they are here or not. */
  readonly parents: readonly string[];
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
  return ok({ id: object.id, tree, parents, author: personIn(named("author")[0] ?? "") });
}

function personIn(line: string): Commit["author"] {
  const open = line.lastIndexOf("<");
  const close = line.indexOf(">", open);
  if (open < 0 || close < 0) return { name: line.trim(), email: "" };
  return { name: line.slice(0, open).trim(), email: line.slice(open + 1, close).trim() };
}

/** The entries of a tree by name. Names are UTF-8; one that is not is under its bytes read as Latin-1. */
export function entriesIn(object: GitObject): ReadonlyMap<string, TreeEntry> {
  const entries = new Map<string, TreeEntry>();
  const { content } = object;
  const idBytes = object.id.length / 2;
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const zero = content.indexOf(0, space);
    if (space < 0 || zero < 0) break;
    const id = content.subarray(zero + 1, zero + 1 + idBytes).toString("hex");
    const name = textOf(content.subarray(space + 1, zero));
    entries.set(name.text, { mode: content.subarray(at, space).toString("latin1"), id });
    at = zero + 1 + idBytes;
  }
  return entries;
}

/** A name of bytes as text; `isText` false: it is not UTF-8, and shown byte by byte. */
export function textOf(bytes: Buffer): { readonly text: string; readonly isText: boolean } {
  const text = bytes.toString("utf8");
  return text.includes("\ufffd") && !Buffer.from(text, "utf8").equals(bytes)
    ? { text: bytes.toString("latin1"), isText: false }
    : { text, isText: true };
}
