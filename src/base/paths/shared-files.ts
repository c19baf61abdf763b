/**
 * Files that several agents change in the course of their work, in any project: what package managers lock, change logs,
 * and the folders in which the planning programs keep their own record. Rule: docs/protocol/claims.md, section 4.
 */
import { type Glob, globMatches, readGlob } from "./globs.ts";
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

/** Read when a file is first asked about: most calls of the command never do. */
let natural: readonly Glob[] | undefined;

/** Those of the files that an edit takes; `more`: the team's own globs of files that it does not take. */
export function withoutShared(files: readonly string[], more: readonly string[] = []): readonly string[] {
  natural ??= storedGlobs(sharedByNature);
  const shared = [...natural, ...storedGlobs(more)];
  return files.filter((path) => {
    const stored = foldAsStored(path);
    return !shared.some((glob) => globMatches(glob, stored));
  });
}

/** The globs as stored paths are compared with them; what is no glob is left out. */
function storedGlobs(texts: readonly string[]): readonly Glob[] {
  return texts.flatMap((text) => {
    const glob = readGlob(foldAsStored(text));
    return glob.ok ? [glob.value] : [];
  });
}
