/** Which files a repository's index holds: what git tracks, a commit can have brought. */
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { type Environment, gitAt } from "./git.ts";

/**
 * The paths that git tracks at or below `path` (relative, no pattern, short) of `directory` (absolute), as paths from there;
 * a submodule is one path. Any case of the letters of `path` counts: on some disks it is the same folder. Refuses
 * `git-missing`, `timed-out` and `repository-unreadable`; where nothing can be asked, nothing is known to be untracked.
 */
export async function trackedBelow(
  directory: string,
  path: string,
  environment: Environment,
): Promise<Result<readonly string[], Problem>> {
  const git = gitAt({ directory, environment });
  // Pathspecs are literal wherever git is asked, so each spelling is a separate one; a folder's name is short.
  const listed = await git.run(["ls-files", "-z", "--", ...spellings(path)]);
  if (!listed.ok) return listed;
  return ok(
    listed.value.output
      .toString("utf8")
      .split("\0")
      .filter((name) => name !== ""),
  );
}

/** The path in every case of its letters. */
function spellings(path: string): readonly string[] {
  let found = [""];
  for (const character of path) {
    const cases = [...new Set([character.toLowerCase(), character.toUpperCase()])];
    found = found.flatMap((start) => cases.map((each) => start + each));
  }
  return found;
}
