/**
 * What a changed path is: its modes and contents on both sides. Lists of changed paths hold both sides of a rename, one
 * deleted and one added; `renamedPaths` pairs them. `rawChanges` reads the list that git makes of the index
 * (`git diff-index -z`); `tree-comparison.ts` makes the list of a commit.
 */

import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { linkMode, submoduleMode, textOf } from "./git-objects.ts";
import type { ObjectReader } from "./object-reader.ts";

export interface ChangedPath {
  readonly path: string;
  readonly change: "added" | "deleted" | "modified" | "type-changed";
  /** Modes before and after, as git writes them; `000000`: not there. */
  readonly mode: { readonly before: string; readonly after: string };
  /** Ids of the contents before and after; all zeros: not there. */
  readonly content: { readonly before: string; readonly after: string };
  /** False: the name is no UTF-8, so no message can name it. */
  readonly isText: boolean;
}

const changes: Readonly<Record<string, ChangedPath["change"]>> = {
  A: "added",
  D: "deleted",
  M: "modified",
  T: "type-changed",
  // A conflict in the index: it was touched, and what becomes of it is not known yet.
  U: "modified",
};

/** The changes in the output of `diff-index -z --raw --no-abbrev --no-renames`. Null: it is not of that form. */
export function rawChanges(output: Buffer): readonly ChangedPath[] | null {
  const changed: ChangedPath[] = [];
  for (let at = 0; at < output.length; ) {
    const metaEnd = output.indexOf(0, at);
    const pathEnd = metaEnd < 0 ? -1 : output.indexOf(0, metaEnd + 1);
    if (output[at] !== colon || pathEnd < 0) return null;
    const fields = output.toString("latin1", at + 1, metaEnd).split(" ");
    const change = changeOf(fields, output.subarray(metaEnd + 1, pathEnd));
    if (change === null) return null;
    changed.push(change);
    at = pathEnd + 1;
  }
  return changed;
}

const colon = 0x3a;

function changeOf(fields: readonly string[], path: Buffer): ChangedPath | null {
  const [beforeMode, afterMode, before, after, letter = ""] = fields;
  const change = changes[letter];
  if (beforeMode === undefined || afterMode === undefined || before === undefined || after === undefined) return null;
  if (change === undefined) return null;
  const { text, isText } = textOf(path);
  return {
    path: text,
    change,
    mode: { before: beforeMode, after: afterMode },
    content: { before, after },
    isText,
  };
}

/*
 * Which deleted files live on under another name: with the same content, or with one that is at least half the same, as
 * git itself counts it. Contents are read object by object, each held to its hash.
 */

/** Most contents that are read on each side, and the largest; beyond that only equal contents are a rename. */
const comparedMax = 300;
const contentBytesMax = 1024 * 1024;
/** How much of the larger content both must share. */
const sharedMin = 0.5;
/** Longest piece of a content that counts as one; a line feed ends one too. */
const pieceBytesMax = 64;

/** The paths of `deleted` that are the old sides of renames, each with its path of `added`, which is used once. */
export async function renamedPaths(
  objects: ObjectReader,
  deleted: readonly ChangedPath[],
  added: readonly ChangedPath[],
): Promise<Result<ReadonlyMap<string, string>, Problem>> {
  const renamed = new Map<string, string>();
  const free = new Map(added.map((change) => [change.path, change]));
  const left = deleted.filter((change) => {
    const same = [...free.values()].find(({ content }) => content.after === change.content.before);
    if (same === undefined) return true;
    free.delete(same.path);
    renamed.set(change.path, same.path);
    return false;
  });
  const isFile = (mode: string): boolean => mode !== linkMode && mode !== submoduleMode;
  const sources = left.filter(({ mode }) => isFile(mode.before));
  const targets = [...free.values()].filter(({ mode }) => isFile(mode.after));
  if (sources.length > comparedMax || targets.length > comparedMax) return ok(renamed);
  const olds = await piecesOf(
    objects,
    sources.map(({ content }) => content.before),
  );
  if (!olds.ok) return olds;
  const news = await piecesOf(
    objects,
    targets.map(({ content }) => content.after),
  );
  if (!news.ok) return news;
  const pairs = sources.flatMap((source, from) =>
    targets.flatMap((target, to) => {
      const shared = sharedPart(olds.value[from] ?? null, news.value[to] ?? null);
      return shared < sharedMin ? [] : [{ source: source.path, target: target.path, shared }];
    }),
  );
  for (const { source, target } of pairs.toSorted((a, b) => b.shared - a.shared)) {
    if (renamed.has(source) || !free.delete(target)) continue;
    renamed.set(source, target);
  }
  return ok(renamed);
}

/** A content as the bytes in each of its pieces. */
interface Pieces {
  readonly bytes: number;
  readonly counts: ReadonlyMap<string, number>;
}

/** The pieces of each content; null: it is not there, or too large. */
async function piecesOf(
  objects: ObjectReader,
  ids: readonly string[],
): Promise<Result<readonly (Pieces | null)[], Problem>> {
  const found: (Pieces | null)[] = [];
  for (const id of ids) {
    const object = await objects.read(id, contentBytesMax);
    if (!object.ok && object.error.code !== "too-large") return object;
    found.push(!object.ok || typeof object.value === "string" ? null : piecesIn(object.value.content));
  }
  return ok(found);
}

function piecesIn(content: Buffer): Pieces {
  const counts = new Map<string, number>();
  for (let at = 0; at < content.length; ) {
    const feed = content.indexOf(0x0a, at);
    const end = Math.min(feed < 0 ? content.length : feed + 1, at + pieceBytesMax);
    const piece = content.toString("latin1", at, end);
    counts.set(piece, (counts.get(piece) ?? 0) + piece.length);
    at = end;
  }
  return { bytes: content.length, counts };
}

function sharedPart(one: Pieces | null, other: Pieces | null): number {
  if (one === null || other === null || one.bytes === 0 || other.bytes === 0) return 0;
  const larger = Math.max(one.bytes, other.bytes);
  if (Math.min(one.bytes, other.bytes) < larger * sharedMin) return 0;
  let shared = 0;
  for (const [piece, bytes] of one.counts) shared += Math.min(bytes, other.counts.get(piece) ?? 0);
  return shared / larger;
}
