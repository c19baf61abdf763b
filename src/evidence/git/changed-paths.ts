/**
 * What a changed path is: its modes and contents on both sides. Lists of changed paths hold both sides of a rename, one
 * deleted and one added. `rawChanges` reads the list that git makes of the index
 * (`git diff-index -z`), `changedPathReader` that of a commit.
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

/** The same output as it comes, each change given to `take`; what is not of that form is left out. */
export function changedPathReader(take: (change: ChangedPath) => void): (piece: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let fields: readonly string[] | null = null;
  return (piece) => {
    const all = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    let at = 0;
    for (let end = all.indexOf(0, at); end >= 0; end = all.indexOf(0, at)) {
      const part = all.subarray(at, end);
      at = end + 1;
      if (fields === null) {
        if (part[0] === colon) fields = part.toString("latin1", 1).split(" ");
        continue;
      }
      const change = changeOf(fields, part);
      fields = null;
      if (change !== null) take(change);
    }
    rest = all.subarray(at);
  };
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
