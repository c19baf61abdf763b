/**
 * What two trees differ in, from the raw form of `git diff-tree -z`: every path with its modes and contents on both
 * sides. Renames are not guessed at here, so both of their sides are in the list: one deleted, one added.
 */
import { textOf } from "./git-objects.ts";

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

/** The header of one comparison: two ids, or one, and what it found. */
export interface RawDiff {
  readonly header: string;
  readonly changed: readonly ChangedPath[];
}

/** One raw record as git wrote it. With a rename (`R`) there are two paths. */
interface RawRecord {
  readonly fields: readonly string[];
  readonly paths: readonly Buffer[];
}

/**
 * The comparisons in the output of `diff-tree --stdin -z --raw --no-abbrev --no-renames`. `headerEnd` is what ends a
 * header line there: a line feed after two trees, a NUL after a commit. Null: the output is not of that form.
 */
export function rawDiffs(output: Buffer, headerEnd: 0 | 0x0a): readonly RawDiff[] | null {
  const diffs: { header: string; changed: ChangedPath[] }[] = [];
  for (let at = 0; at < output.length; ) {
    if (output[at] !== colon) {
      const end = output.indexOf(headerEnd, at);
      if (end < 0) return null;
      diffs.push({ header: output.subarray(at, end).toString("latin1"), changed: [] });
      at = end + 1;
      continue;
    }
    const read = recordAt(output, at);
    const change = read === null ? null : changeOf(read.record);
    if (read === null || change === null) return null;
    diffs.at(-1)?.changed.push(change);
    at = read.next;
  }
  return diffs;
}

/** The renames in the output of `diff-tree -z --raw -M` of two trees: new path to old path. */
export function renamesIn(output: Buffer): ReadonlyMap<string, string> {
  const renames = new Map<string, string>();
  for (let at = 0; at < output.length; ) {
    const read = output[at] === colon ? recordAt(output, at) : null;
    if (read === null) break;
    const [before, after] = read.record.paths;
    if (before !== undefined && after !== undefined) renames.set(textOf(after).text, textOf(before).text);
    at = read.next;
  }
  return renames;
}

const colon = 0x3a;

function recordAt(output: Buffer, at: number): { readonly record: RawRecord; readonly next: number } | null {
  const metaEnd = output.indexOf(0, at);
  if (metaEnd < 0) return null;
  const fields = output
    .subarray(at + 1, metaEnd)
    .toString("latin1")
    .split(" ");
  const paths: Buffer[] = [];
  let next = metaEnd + 1;
  for (let count = /^[RC]/.test(fields[4] ?? "") ? 2 : 1; count > 0; count--) {
    const end = output.indexOf(0, next);
    if (end < 0) return null;
    paths.push(output.subarray(next, end));
    next = end + 1;
  }
  return { record: { fields, paths }, next };
}

function changeOf({ fields, paths }: RawRecord): ChangedPath | null {
  const [beforeMode, afterMode, before, after, letter = ""] = fields;
  const change = changes[letter];
  const [path] = paths;
  if (beforeMode === undefined || afterMode === undefined || before === undefined || after === undefined) return null;
  if (change === undefined || path === undefined) return null;
  const { text, isText } = textOf(path);
  return {
    path: text,
    change,
    mode: { before: beforeMode, after: afterMode },
    content: { before, after },
    isText,
  };
}
