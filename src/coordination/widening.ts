/**
 * Whether a revision of a contract lets in more than the one before, and whether a permit allows that. Errs towards
 * "wider": what cannot be compared within bounds needs a permit. Source: semantics.md section 3, Contracts.
 */
import { covers, overlaps, type StepBudget } from "../base/glob-sets.ts";
import { type Glob, readGlob } from "../base/globs.ts";
import type { Scope } from "../base/scope.ts";
import type { Json } from "../message/facts.ts";

/** Work that one judgement may take, about a tenth of a second; what is then not compared counts as wider. */
const stepsMax = 2_000_000;

/**
 * The entries that make `after` wider than `before`: allowed ones that `before` does not allow as a whole, and
 * forbidden ones that `after` no longer forbids although it allows something there. Empty: it only narrows.
 */
export function widenings(before: Scope, after: Scope): readonly string[] {
  const budget = { left: stepsMax };
  const allowedAfter = globsOf(after.allowed);
  const gained = uncovered(after.allowed, before.allowed, budget);
  const freed = uncovered(before.forbidden, after.forbidden, budget).filter((entry) =>
    touches(entry, allowedAfter, budget),
  );
  return [...gained, ...freed];
}

/** Whether a permit lets these entries in: it lists no paths, or its paths hold each entry as a whole. */
export function permitCovers(paths: readonly string[], wider: readonly string[]): boolean {
  return paths.length === 0 || uncovered(wider, paths, { left: stepsMax }).length === 0;
}

/**
 * The paths that the modifications of an approval list. An entry is a path when it is a string without blanks, or
 * with a slash; or when it is an object: all strings under its `path`, `paths`, `file`, `files` or `allowed_paths`.
 * Anything else is a remark to people. A listed path that is none (`../x`) is kept, so that it permits nothing
 * instead of everything.
 */
export function permittedPaths(modifications: readonly Json[]): readonly string[] {
  return modifications.flatMap((entry) => {
    if (typeof entry === "string") return entry !== "" && (!/\s/.test(entry) || entry.includes("/")) ? [entry] : [];
    if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return [];
    return Object.entries(entry).flatMap(([key, value]) => (pathKeys.has(key) ? stringsIn(value) : []));
  });
}

const pathKeys: ReadonlySet<string> = new Set(["path", "paths", "file", "files", "allowed_paths"]);

function stringsIn(value: Json): readonly string[] {
  const values: readonly Json[] = Array.isArray(value) ? value : [value];
  return values.filter((each) => typeof each === "string");
}

/** The entries that `holders` together do not hold as a whole. */
function uncovered(entries: readonly string[], holders: readonly string[], budget: StepBudget): readonly string[] {
  const same = new Set(holders);
  const holding = globsOf(holders);
  return entries.filter((entry) => {
    if (same.has(entry)) return false;
    const glob = readGlob(entry);
    return !glob.ok || !covers(holding, glob.value, budget);
  });
}

function touches(entry: string, globs: readonly Glob[], budget: StepBudget): boolean {
  const glob = readGlob(entry);
  return (
    !glob.ok ||
    globs.some((other) => {
      budget.left -= glob.value.states.length * other.states.length;
      return budget.left <= 0 || overlaps(glob.value, other);
    })
  );
}

function globsOf(entries: readonly string[]): readonly Glob[] {
  return entries.flatMap((entry) => {
    const glob = readGlob(entry);
    return glob.ok ? [glob.value] : [];
  });
}
