/**
 * A scope: what a plan or a claim may touch, as allowing and forbidding globs. Forbidden beats allowed.
 * Source: semantics.md section 3 (Contracts).
 */
import { allows, forbids, type Glob, readGlob } from "./globs.ts";
import { canonicalPath } from "./paths.ts";
import { type Problem, problem } from "./problem.ts";
import { err, ok, type Result } from "./result.ts";

export interface Scope {
  readonly allowed: readonly string[];
  readonly forbidden: readonly string[];
}

/** The globs of a list, or an `invalid-glob` for each that is none, with its place under `path` (`$.allowed[2]`). */
export function readGlobs(texts: readonly string[], path: string): Result<readonly Glob[], readonly Problem[]> {
  const globs: Glob[] = [];
  const problems: Problem[] = [];
  for (const [index, text] of texts.entries()) {
    const glob = readGlob(text);
    if (glob.ok) globs.push(glob.value);
    else problems.push({ ...glob.error, path: `${path}[${index}]` });
  }
  return problems.length > 0 ? err(problems) : ok(globs);
}

/**
 * The faults of `files` against the scope, in their order: `invalid-path`, or `outside-contract` for a file that is
 * forbidden (case does not count) or not allowed (compared exactly; an empty list allows nothing). Faults of the scope
 * itself (`invalid-glob`) come alone. `path` names the list of files.
 */
export function checkScope(scope: Scope, files: readonly string[], path = "$.files"): readonly Problem[] {
  const allowed = readGlobs(scope.allowed, "$.allowed");
  const forbidden = readGlobs(scope.forbidden, "$.forbidden");
  if (!allowed.ok || !forbidden.ok)
    return [...(allowed.ok ? [] : allowed.error), ...(forbidden.ok ? [] : forbidden.error)];
  const faults: Problem[] = [];
  for (const [index, file] of files.entries()) {
    const fault = fileFault(allowed.value, forbidden.value, file);
    if (fault !== null) faults.push({ ...fault, path: `${path}[${index}]` });
  }
  return faults;
}

function fileFault(allowed: readonly Glob[], forbidden: readonly Glob[], file: string): Problem | null {
  const canonical = canonicalPath(file);
  if (!canonical.ok) return canonical.error;
  if (forbids(forbidden, canonical.value)) return outside(file, "is forbidden by the contract");
  return allows(allowed, canonical.value) ? null : outside(file, "lies outside the paths that the contract allows");
}

function outside(file: string, reason: string): Problem {
  return problem("outside-contract", file, `The file ${reason}.`, {
    received: file,
    hint: "Leave it unchanged, or ask for a scope_change.",
  });
}
