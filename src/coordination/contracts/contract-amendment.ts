/**
 * Whether a revision of a contract lets in more than the one before, and whether a permit allows that. Errs towards
 * "wider": what cannot be compared within bounds needs a permit. Source: docs/protocol/contracts.md.
 */
import { isJsonList, isJsonObject } from "../../base/json.ts";
import { covers, overlaps, type StepBudget } from "../../base/paths/glob-overlap.ts";
import { type Glob, readGlob } from "../../base/paths/globs.ts";
import type { Scope } from "../../base/paths/scope.ts";
import type { Json } from "../../message/facts.ts";

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
 * The paths that the modifications of an approval list. An entry that is a string is a path when it has no blanks, or has
 * a slash; of other words those that look like a file or a glob (`README.md and *.json`). Of an object all strings
 * under its `path`, `paths`, `file`, `files` or `allowed_paths` are; without such a key, and in lists, whatever inside
 * it looks like one. Anything else is a remark to people. A listed path that is none (`../x`) is kept, so that it
 * permits nothing instead of everything.
 */
export function permittedPaths(modifications: readonly Json[]): readonly string[] {
  return modifications.flatMap((entry) => {
    if (typeof entry !== "string") return pathsInside(entry);
    return entry !== "" && (!/\s/.test(entry) || entry.includes("/")) ? [entry] : pathsInside(entry);
  });
}

/** The words of a string that name a file, a folder or a glob; `e.g.` does not. */
export function pathsNamedIn(text: string): readonly string[] {
  return pathsInside(text).filter((word) => /[/*\\]|\.[A-Za-z][A-Za-z0-9]{1,9}$/.test(word));
}

const pathKeys: ReadonlySet<string> = new Set(["path", "paths", "file", "files", "allowed_paths"]);

function pathsInside(value: Json): readonly string[] {
  if (typeof value === "string") return value.split(/\s+/).map(withoutMarks).filter(isPathLike);
  if (isJsonList(value)) return value.flatMap(pathsInside);
  if (!isJsonObject(value)) return [];
  const named = Object.entries(value).filter(([key]) => pathKeys.has(key));
  return named.length > 0 ? named.flatMap(([, each]) => stringsIn(each)) : Object.values(value).flatMap(pathsInside);
}

/** A word without the quotes and punctuation around it. */
function withoutMarks(word: string): string {
  let [start, end] = [0, word.length];
  while (start < end && "(\"'`".includes(word[start] ?? " ")) start++;
  while (start < end && ")\"'`,;:.!?".includes(word[end - 1] ?? " ")) end--;
  return word.slice(start, end);
}

/** Whether a word names a file or folder: it has a slash, a wildcard, or an ending of letters and digits. */
function isPathLike(word: string): boolean {
  if (/[/*\\]/.test(word)) return true;
  const dot = word.lastIndexOf(".");
  return dot >= 0 && /^[A-Za-z][A-Za-z0-9]{0,9}$/.test(word.slice(dot + 1));
}

function stringsIn(value: Json): readonly string[] {
  const values: readonly Json[] = isJsonList(value) ? value : [value];
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
