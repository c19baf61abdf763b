/** Which files a repository's index holds: what git tracks, a commit can have brought. */
import type { Problem } from "../base/problem.ts";
import { ok, type Result } from "../base/result.ts";
import { gitAt } from "./git.ts";
import type { Environment } from "./git-environment.ts";

/**
 * The paths that git tracks at or below `path` (relative, no pattern) of `directory` (absolute), as paths from there; a
 * submodule is one path. Refuses `git-missing`, `timed-out` and `repository-unreadable`; where nothing can be asked, nothing
 * is known to be untracked.
 */
export async function trackedBelow(
  directory: string,
  path: string,
  environment: Environment,
): Promise<Result<readonly string[], Problem>> {
  const git = gitAt({ directory, environment, own: { GIT_LITERAL_PATHSPECS: "1" } });
  const listed = await git.run(["ls-files", "-z", "--", path]);
  if (!listed.ok) return listed;
  return ok(
    listed.value.output
      .toString("utf8")
      .split("\0")
      .filter((name) => name !== ""),
  );
}
