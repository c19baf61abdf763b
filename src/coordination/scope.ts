/**
 * A contract's scope under judgement: are its paths sound, which files lie outside, what does a revision let in that
 * the one before did not. Pure; the globs themselves are `base/globs.ts`.
 * Source: semantics.md section 3 (Contracts).
 */
import { covers, overlaps } from "../base/glob-sets.ts";
import { allows, forbids, type Glob } from "../base/globs.ts";
import { canonicalPath } from "../base/paths.ts";
import type { Problem } from "../base/problem.ts";
import { ok, type Result } from "../base/result.ts";
import { readGlobs, type Scope } from "../base/scope.ts";
import type { Json } from "../message/facts.ts";

export type { Scope } from "../base/scope.ts";

interface ScopeGlobs {
  readonly allowed: readonly Glob[];
  readonly forbidden: readonly Glob[];
}

/** What is wrong with the scope's own entries (`invalid-glob`), by neutral field and index. */
export function judgeScope(scope: Scope): readonly Problem[] {
  const read = globsOf(scope);
  return read.ok ? [] : read.error;
}

/**
 * What is wrong with the files themselves (`invalid-path`), and which of the others lie outside. Without a scope
 * nothing lies outside.
 */
export function judgeFiles(
  scope: Scope | null,
  files: readonly string[],
): { readonly faults: readonly Problem[]; readonly outside: readonly string[] } {
  const globs = scope === null ? null : globsOf(scope);
  if (globs !== null && !globs.ok) return { faults: globs.error, outside: [] };
  const faults: Problem[] = [];
  const outside: string[] = [];
  files.forEach((file, index) => {
    const path = canonicalPath(file);
    if (!path.ok) faults.push({ ...path.error, path: `$.body.filesModified[${index}]` });
    else if (
      globs !== null &&
      (forbids(globs.value.forbidden, path.value) || !allows(globs.value.allowed, path.value))
    ) {
      outside.push(file);
    }
  });
  return { faults, outside };
}

/**
 * Entries by which `next` lets in more than `current`: allowed ones that no allowed one of `current` covers, and
 * forbidden ones of `current` that are gone where `next` allows something under them. Both scopes must be sound.
 * Never misses a widening; spread over several entries a narrowing may be taken for one.
 */
export function widenings(current: Scope, next: Scope): readonly string[] {
  const before = globsOf(current);
  const after = globsOf(next);
  if (!before.ok || !after.ok) return next.allowed;
  const added = next.allowed.filter((_, index) => {
    const glob = after.value.allowed[index];
    return glob === undefined || !covers(before.value.allowed, glob);
  });
  const freed = current.forbidden.filter((_, index) => {
    const glob = before.value.forbidden[index];
    if (glob === undefined || covers(after.value.forbidden, glob)) return false;
    return after.value.allowed.some((allowed) => overlaps(allowed, glob));
  });
  return [...added, ...freed];
}

/** Whether a permit for `paths` covers every entry of `wider`; a permit that lists no paths covers all. */
export function permitCovers(paths: readonly string[], wider: readonly string[]): boolean {
  if (paths.length === 0) return true;
  const permitted = readGlobs(paths, "$");
  const wanted = readGlobs(wider, "$");
  return permitted.ok && wanted.ok && wanted.value.every((glob) => covers(permitted.value, glob));
}

/** The paths that an answer's modifications list: its texts, and the texts under `path` or `paths` of its objects. */
export function permittedPaths(modifications: readonly Json[]): readonly string[] {
  return modifications.flatMap((each): readonly string[] => {
    if (typeof each === "string") return [each];
    if (typeof each !== "object" || each === null || !("path" in each || "paths" in each)) return [];
    const { path, paths } = each as { readonly [key: string]: Json };
    return [path, ...(Array.isArray(paths) ? paths : [paths])].filter((text) => typeof text === "string");
  });
}

function globsOf(scope: Scope): Result<ScopeGlobs, readonly Problem[]> {
  const allowed = readGlobs(scope.allowed, "$.body.allowedPaths");
  const forbidden = readGlobs(scope.forbidden, "$.body.forbiddenPaths");
  if (allowed.ok && forbidden.ok) return ok({ allowed: allowed.value, forbidden: forbidden.value });
  return { ok: false, error: [...(allowed.ok ? [] : allowed.error), ...(forbidden.ok ? [] : forbidden.error)] };
}
