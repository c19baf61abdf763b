/**
 * The files that a message says were changed, against those that were. Both must be the same set; of a rename the new
 * path is enough, because that is what git itself prints. Where a letter can be written composed or not, either spelling
 * will do. Source: docs/protocol/verdicts.md.
 */
import { canonicalPath } from "../../base/paths/paths.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import type { ChangedPath } from "../git/changes.ts";
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
  const spelled = (path: string) => path.normalize("NFC");
  const said = new Map(
    listed.map((file) => {
      const canonical = canonicalPath(file);
      return [file, canonical.ok ? spelled(canonical.value) : null];
    }),
  );
  const [named, known] = [new Set(said.values()), new Set([...changed, ...optional].map(({ path }) => spelled(path)))];
  return {
    unlisted: changed.filter(({ path }) => !named.has(spelled(path))),
    untouched: [...said].flatMap(([file, path]) => (path !== null && known.has(path) ? [] : [file])),
  };
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
  renamed: "renames",
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
