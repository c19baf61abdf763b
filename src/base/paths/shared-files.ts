/**
 * Files that several agents change in the course of their work, in any project: what package managers lock, change logs,
 * and the folders in which the planning programs keep their own record. Rule: docs/protocol/claims.md, section 4.
 */
import { globMatches, readGlob } from "./globs.ts";
import { foldAsStored } from "./paths.ts";

const lockFiles = [
  "package-lock.json",
  "npm-shrinkwrap.json",
  "yarn.lock",
  "pnpm-lock.yaml",
  "bun.lock",
  "bun.lockb",
  "deno.lock",
  "Cargo.lock",
  "poetry.lock",
  "uv.lock",
  "pdm.lock",
  "Pipfile.lock",
  "Gemfile.lock",
  "composer.lock",
  "go.sum",
  "go.work.sum",
  "mix.lock",
  "pubspec.lock",
  "Podfile.lock",
  "Package.resolved",
  "flake.lock",
  "gradle.lockfile",
] as const;

const changeLogs = ["CHANGELOG", "CHANGELOG.*", "CHANGES", "CHANGES.*", "HISTORY.md", "NEWS", "NEWS.md"] as const;

/** Globs of those files; a team file adds its own under `shared`. */
export const sharedByNature: readonly string[] = [
  ...[...lockFiles, ...changeLogs].map((name) => `**/${name}`),
  ".vbw-planning/**",
  ".yolo-planning/**",
];

/** Whether an edit of the file takes it; `more`: the team's own globs of files that it does not take. */
export function isSharedFile(path: string, more: readonly string[] = []): boolean {
  const stored = foldAsStored(path);
  return [...sharedByNature, ...more].some((text) => {
    const glob = readGlob(foldAsStored(text));
    return glob.ok && globMatches(glob.value, stored);
  });
}
