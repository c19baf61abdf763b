/**
 * A scope: what a plan or a claim may touch, as allowing and forbidding globs. Forbidden beats allowed; forbidding
 * compares without case, allowing exactly; an empty list allows nothing.
 * Source: docs/protocol/tasks.md, sections 17 to 20.
 */
import { makeProblem, type Problem, pathStep } from "../problem.ts";
import { err, ok, type Result } from "../result.ts";
import type { Meter } from "./glob-matching.ts";
import { covers, type StepBudget } from "./glob-overlap.ts";
import { allowing, caseless, forbidding, type Glob, globMatches, readGlob } from "./globs.ts";
import { batonPath, canonicalPath, plainParts, reachesIntoBaton } from "./paths.ts";

export interface Scope {
  readonly allowed: readonly string[];
  readonly forbidden: readonly string[];
}

/**
 * Work that one judgement may take, about half a second; usual contracts and reports take a thousandth of it. What is
 * then not judged is refused.
 */
const stepsMax = 20_000_000;
/** The same for comparing globs with globs, whose steps are larger. */
const coverStepsMax = 2_000_000;

/** A scope whose globs were read, and the work that was spent on it. */
interface ReadScope {
  readonly allowed: readonly Glob[];
  readonly forbidden: readonly Glob[];
  readonly meter: Meter;
  readonly budget: StepBudget;
}

/** How a path relates to a scope, and by which entry, in canonical form; none: no entry is about it. */
export type Ruling =
  | { readonly inside: true; readonly list: "allowed"; readonly entry: string }
  | { readonly inside: false; readonly list: "forbidden"; readonly entry: string }
  | { readonly inside: false; readonly list: null; readonly entry: null };

/** The globs of a list, or an `invalid-glob` for each that is none, with its place under `path` (`$.allowed[2]`). */
export function readGlobs(texts: readonly string[], path: string): Result<readonly Glob[], readonly Problem[]> {
  const globs: Glob[] = [];
  const problems: Problem[] = [];
  for (const [index, text] of texts.entries()) {
    const glob = readGlob(text);
    if (glob.ok) globs.push(glob.value);
    else problems.push({ ...glob.error, path: path + pathStep(index) });
  }
  return problems.length > 0 ? err(problems) : ok(globs);
}

/** As `readGlobs`, for files that somebody asks for: none of them may ask for `.baton/` (`invalid-path`). */
export function readAskedGlobs(texts: readonly string[], path: string): Result<readonly Glob[], readonly Problem[]> {
  const read = readGlobs(texts, path);
  if (!read.ok) return read;
  const own = texts.flatMap((text, index) =>
    asksForBaton(text) ? [{ ...batonPath(text), path: path + pathStep(index) }] : [],
  );
  return own.length > 0 ? err(own) : read;
}

/** Whether any of the globs allows the path; what cannot be read as a glob or a path allows nothing. */
export function allowsAny(texts: readonly string[], path: string): boolean {
  return texts.some((text) => {
    const ruling = ruleOn({ allowed: [text], forbidden: [] }, path);
    return ruling.ok && ruling.value.inside;
  });
}

/** Which entry of the scope decides about the path. Refuses `invalid-glob` for the scope, `invalid-path` for the path. */
export function ruleOn(scope: Scope, path: string): Result<Ruling, readonly Problem[]> {
  const read = readScope(scope);
  if (!read.ok) return read;
  const ruling = rulingOn(read.value, path);
  return ruling.ok ? ruling : err([ruling.error]);
}

/**
 * Whether a path is inside the scope, asked of many paths: its globs are read once. Nothing is inside a scope that cannot be
 * read.
 */
export function insideOf(scope: Scope): (path: string) => boolean {
  const read = readScope(scope);
  return (path) => {
    const ruling = read.ok ? rulingOn(read.value, path) : read;
    return ruling.ok && ruling.value.inside;
  };
}

/**
 * The errors of `files` against the scope, in their order: `invalid-path`, or `outside-contract` for a file that is
 * forbidden or not allowed. Errors of the scope itself (`invalid-glob`) come alone. `path` names the list of files.
 * Globs and paths made to be slow end in `too-large`: what was not judged is refused.
 */
export function checkScope(scope: Scope, files: readonly string[], path = "$.files"): readonly Problem[] {
  return problemsOf(scope, files, path, fileProblem);
}

/**
 * As `checkScope`, for entries that may be folders or globs and stand for all that they match. A file or folder named
 * without a slash at its end is inside when it, or all below it, is allowed; a folder or glob when all it matches is.
 * It is forbidden when nothing of it is left: what is forbidden within it may be named along, not touched.
 */
export function checkEntries(scope: Scope, entries: readonly string[], path = "$.files"): readonly Problem[] {
  return problemsOf(scope, entries, path, entryProblem);
}

/**
 * Whether the scope certainly keeps an entry out, so that nobody can claim all of them. False also where `budget` was used
 * up before that was known.
 */
export function keepsOut(scope: Scope, entries: readonly string[], budget: StepBudget): boolean {
  const globs = readScope(scope);
  if (!globs.ok) return false;
  const read: ReadScope = { ...globs.value, budget };
  return entries.some((entry) => {
    const before = read.meter.steps;
    const problem = entryProblem(read, entry);
    budget.left -= read.meter.steps - before;
    return budget.left > 0 && problem?.code === "outside-contract";
  });
}

function problemsOf(
  scope: Scope,
  names: readonly string[],
  path: string,
  problemOf: (scope: ReadScope, name: string) => Problem | null,
): readonly Problem[] {
  const read = readScope(scope);
  if (!read.ok) return read.error;
  const problems: Problem[] = [];
  for (const [index, name] of names.entries()) {
    if (read.value.meter.steps > stepsMax) return [...problems, tooMuch(path, names.length - index)];
    const problem = problemOf(read.value, name);
    if (problem !== null) problems.push({ ...problem, path: path + pathStep(index) });
  }
  return problems;
}

function readScope(scope: Scope): Result<ReadScope, readonly Problem[]> {
  const allowed = readGlobs(scope.allowed, "$.allowed");
  const forbidden = readGlobs(scope.forbidden, "$.forbidden");
  if (allowed.ok && forbidden.ok) {
    const spent = { meter: { steps: 0 }, budget: { left: coverStepsMax } };
    return ok({ allowed: allowed.value, forbidden: forbidden.value, ...spent });
  }
  return err([...(allowed.ok ? [] : allowed.error), ...(forbidden.ok ? [] : forbidden.error)]);
}

function rulingOn(scope: ReadScope, path: string): Result<Ruling, Problem> {
  const canonical = canonicalPath(path);
  if (!canonical.ok) return canonical;
  const forbidden = forbidding(scope.forbidden, canonical.value, scope.meter);
  if (forbidden !== null) return ok({ inside: false, list: "forbidden", entry: forbidden.text });
  const allowed = allowing(scope.allowed, canonical.value, scope.meter);
  if (allowed !== null) return ok({ inside: true, list: "allowed", entry: allowed.text });
  return ok({ inside: false, list: null, entry: null });
}

function fileProblem(scope: ReadScope, file: string): Problem | null {
  const ruling = rulingOn(scope, file);
  if (!ruling.ok) return ruling.error;
  if (ruling.value.inside) return null;
  return ruling.value.list === "forbidden" ? isForbidden(file) : isNotAllowed(file);
}

function entryProblem(scope: ReadScope, entry: string): Problem | null {
  const glob = readGlob(entry);
  if (!glob.ok) return glob.error;
  if (asksForBaton(entry)) return batonPath(entry);
  const { literal } = glob.value;
  if (literal === null) return globProblem(scope, entry, glob.value);
  const path = canonicalPath(literal);
  if (!path.ok) return path.error;
  if (forbidding(scope.forbidden, path.value, scope.meter) !== null) return isForbidden(entry);
  if (!entry.endsWith("/") && allowing(scope.allowed, path.value, scope.meter) !== null) return null;
  const below = readGlob(`${literal}/**`);
  // Too long to be written as a glob is too long to be found inside one.
  return below.ok && covers(scope.allowed, below.value, scope.budget) ? null : isNotAllowed(entry);
}

function globProblem(scope: ReadScope, entry: string, glob: Glob): Problem | null {
  if (covers(scope.forbidden.map(caseless), caseless(glob), scope.budget)) return isForbidden(entry);
  return covers(scope.allowed, glob, scope.budget) ? null : isNotAllowed(entry);
}

function tooMuch(path: string, left: number): Problem {
  return makeProblem("too-large", path, `Comparing these files with the contract takes too long; ${left} are left.`, {
    hint: "Name fewer files in a message, or give the contract fewer and simpler globs.",
  });
}

function isForbidden(file: string): Problem {
  return outside(file, "is forbidden by the contract");
}

function isNotAllowed(file: string): Problem {
  return outside(file, "is outside the paths that the contract allows");
}

function outside(file: string, reason: string): Problem {
  return makeProblem("outside-contract", file, `The file ${reason}.`, {
    received: file,
    hint: "Leave it unchanged, or ask for a scope_change.",
  });
}

/**
 * Whether a path or glob asks for `.baton`: by its name in any spelling, or by a part with wildcards that matches it and
 * begins with a dot or spells `baton` out, such as `.b?ton` or `?baton`. Brackets and braces, which stand for themselves
 * in a glob of Baton, are read as a shell reads them.
 */
export function asksForBaton(text: string): boolean {
  if (reachesIntoBaton(text)) return true;
  // Fullwidth brackets and wildcards are among them only after they are normalised, so these strings are looked at, too.
  if (!/[*?[{~]|[^\x20-\x7e]/.test(text)) return false;
  return alternatives(text).some((each) => reachesIntoBaton(each) || each.split("/").some(isBatonPattern));
}

function isBatonPattern(part: string): boolean {
  return plainParts(part).some((plain) => {
    const pattern = plain.replace(/\[[^[\]]+\]/g, "?");
    if (/^baton~[0-9*?]+$/.test(pattern)) return true;
    if (!pattern.startsWith(".") && !pattern.endsWith("baton")) return false;
    const glob = readGlob(pattern);
    return glob.ok && globMatches(glob.value, ".baton");
  });
}

/** What is read of a string with braces: a list with more alternatives is none that somebody wrote by hand. */
const alternativesMax = 100;

/** The strings that a shell makes of `{a,b}`, the innermost braces first; what has no braces is itself. */
function alternatives(text: string): readonly string[] {
  const done: string[] = [];
  const waiting = [text];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const braces = /\{([^{}]*)\}/.exec(next);
    if (braces === null) done.push(next);
    else {
      const [before, after] = [next.slice(0, braces.index), next.slice(braces.index + braces[0].length)];
      waiting.push(...(braces[1] ?? "").split(",").map((each) => `${before}${each}${after}`));
    }
    if (done.length + waiting.length > alternativesMax) break;
  }
  return done;
}
