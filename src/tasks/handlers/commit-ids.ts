/** The commits that a report names: ids alone, because what else names a commit may name another one later. */
import { argument } from "../../base/argument.ts";
import { reportCommitsMax } from "../../base/limits.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";

/**
 * What a completion names is looked for in the repository, so it must look like a commit: `wrong-format` for another
 * word, and for none where one is needed; `too-large` for too many. Null: these are ids.
 */
export function commitProblem(commits: readonly string[], isNeeded: boolean): Problem | null {
  const wrong = commits.find((commit) => !/^[0-9a-fA-F]{7,64}$/.test(commit));
  if (wrong === undefined && (commits.length > 0 || !isNeeded) && commits.length <= reportCommitsMax) return null;
  if (commits.length > reportCommitsMax) return tooManyCommits(commits.length);
  const [message, hint] = problemOf(wrong);
  return makeProblem("wrong-format", argument("commit"), message, {
    expected: "7 to 64 hex digits",
    received: wrong?.slice(0, 100).toWellFormed() ?? "nothing",
    hint,
  });
}

/** What is wrong with the word, and what to do; absent: none was given. */
function problemOf(word: string | undefined): readonly [message: string, hint: string] {
  // HEAD or a branch may name another commit tomorrow, and what was reported is a certain one.
  if (word !== undefined && /[^0-9a-fA-F]/.test(word))
    return [
      "This is not a commit's id, and a name that moves, such as HEAD or a branch, is not taken.",
      `Pass the id that "git rev-parse HEAD" prints as \`${argument("commit")}\`.`,
    ];
  return [
    word === undefined ? "Work that is complete names its commit." : "This names no commit.",
    "Commit the work first, then name the commit: git rev-parse HEAD",
  ];
}

function tooManyCommits(count: number): Problem {
  return makeProblem(
    "too-large",
    argument("commit"),
    `These are ${count} commits; one report names at most ${reportCommitsMax}.`,
    {
      expected: `at most ${reportCommitsMax}`,
      received: String(count),
      hint: "Squash them, or split the task.",
    },
  );
}
