/**
 * The files that a message says were changed, against those that were. Both must be the same set; of a rename the new
 * path is enough, because that is what git itself prints. Names are compared verbatim; where a letter can be written
 * composed or not, either spelling will do. Source: docs/protocol/verdicts.md.
 */
import { canonicalPath } from "../../base/paths/paths.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import type { ChangedPath } from "../git/changed-paths.ts";
import { cutList } from "./scope-judgement.ts";

export interface ListedFiles {
  /** Changed and not listed. */
  readonly unlisted: readonly ChangedPath[];
  /** Listed and not changed, as written. */
  readonly untouched: readonly string[];
}

/**
 * Compares `listed` with `changed`. `optional` are changes that may be listed or left out. The old sides of renames are
 * still among the unlisted.
 */
export function compareListed(
  listed: readonly string[],
  changed: readonly ChangedPath[],
  optional: readonly ChangedPath[],
): ListedFiles {
  const missing = new Map(changed.map((change) => [change.path, change]));
  const others = new Set(optional.map(({ path }) => path));
  const untouched: string[] = [];
  const unmatched: string[] = [];
  for (const file of listed) {
    const canonical = canonicalPath(file);
    if (!canonical.ok) untouched.push(file);
    else if (!missing.delete(canonical.value) && !others.has(canonical.value)) unmatched.push(file);
  }
  // A file listed twice was found the first time.
  const known = new Set([...changed, ...optional].map(({ path }) => path));
  const left = unmatched.length === 0 ? new Map<string, string[]>() : bySpelling(missing.keys());
  for (const file of unmatched) {
    const canonical = canonicalPath(file);
    const path = canonical.ok ? canonical.value : file;
    if (known.has(path)) continue;
    const same = left.get(path.normalize("NFC"))?.pop();
    if (same === undefined) untouched.push(file);
    else missing.delete(same);
  }
  return { unlisted: [...missing.values()], untouched };
}

/** The paths by the spelling that they share, the first one last. */
function bySpelling(paths: Iterable<string>): ReadonlyMap<string, string[]> {
  const spelled = new Map<string, string[]>();
  for (const path of [...paths].toReversed()) {
    const spelling = path.normalize("NFC");
    const same = spelled.get(spelling);
    if (same === undefined) spelled.set(spelling, [path]);
    else same.push(path);
  }
  return spelled;
}

/** The problems of the comparison: `files-unlisted` and `files-not-changed`, each path by name. */
export function listedProblems({ unlisted, untouched }: ListedFiles): readonly Problem[] {
  return [...cutList(unlisted.map(unlistedProblem)), ...cutList(untouched.map(untouchedProblem))];
}

const verbs: Readonly<Record<ChangedPath["change"], string>> = {
  added: "adds",
  deleted: "deletes",
  modified: "changes",
  "type-changed": "changes the kind of",
};

function unlistedProblem({ path, change }: ChangedPath): Problem {
  return makeProblem(
    "files-unlisted",
    path,
    `The commit ${verbs[change]} this file, and the report does not list it.`,
    {
      expected: "files_modified lists every path that the commit changes",
      received: path,
      hint: "Report again with this path in files_modified, or take the change out of the commit.",
    },
  );
}

function untouchedProblem(path: string): Problem {
  return makeProblem("files-not-changed", path, "The report lists this path, and the commit does not change it.", {
    expected: "files_modified lists only paths that the commit changes",
    received: path,
    hint: "Report again without this path, or with the commit that changes it.",
  });
}
