/**
 * Work that was judged before and whose commit this clone does not have: another clone of the team judged it, and this one
 * lacks a pull. That is no finding, so nothing is recorded. Rules: docs/protocol/verdicts.md, section 6.
 */
import type { Problem } from "../../base/problem.ts";
import { findCommit } from "../../evidence/git/commits.ts";
import type { Repository } from "../../evidence/git/repository.ts";
import type { Judged } from "./plan-checks.ts";

/**
 * The verdicts, with `reported` for each that takes an earlier one back only because a commit is not in this clone. A
 * report that nobody judged before is judged by what is here: a made-up commit is in no clone.
 */
export async function withoutElsewhere(repository: Repository, judged: readonly Judged[]): Promise<readonly Judged[]> {
  const told: Judged[] = [];
  for (const each of judged) {
    const missing = await missingHere(repository, each);
    told.push(
      missing === null ? each : { ...each, verdict: { ...each.verdict, state: "reported", problems: [missing] } },
    );
  }
  return told;
}

/** The commit that is not in this clone, where an earlier verdict shows that somebody saw the work; else null. */
async function missingHere(
  repository: Repository,
  { candidate: { before }, verdict: { state, problems } }: Judged,
): Promise<Problem | null> {
  if (before === null || (state !== "disputed" && state !== "stale")) return null;
  // Where it was missing for all who judged it before, it still is.
  if (before.state === "disputed" && before.problems.some(({ code }) => code === "commit-missing")) return null;
  for (const each of problems) {
    if (each.code === "commit-missing") return each;
    if (each.code !== "commit-unreachable") continue;
    const found = await findCommit(repository, each.path);
    if (!found.ok) return found.error;
  }
  return null;
}
