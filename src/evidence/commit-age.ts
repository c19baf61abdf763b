/**
 * Whether reported commits are older than the task that they are reported for: a branch already held them when the task was
 * recorded. Dates do not count. Rules: docs/protocol/verdicts.md.
 */
import { type Problem, problem } from "../base/problem.ts";
import type { Note } from "../message/message.ts";
import type { ReadTips } from "./git/branch-tips.ts";
import { isReached } from "./git/history-walk.ts";
import type { Repository } from "./git/repository.ts";

/** Where the branches were when the task was recorded and when it was claimed; null: that was not recorded. */
export interface KnownBranches {
  readonly recorded: ReadTips | null;
  readonly claimed: ReadTips | null;
  /** A lead says that the work was finished before the task was recorded. */
  readonly isFinishedBefore: boolean;
  /** This report was verified before: a branch that was rewritten or removed since says nothing against it. */
  readonly wasVerified?: boolean;
}

/** What the age of the commits says against the work, and what it only notes. */
export interface AgeFindings {
  readonly problems: readonly Problem[];
  readonly notes: readonly Note[];
}

/** Judges the commits, given as full ids. Problems: `commit-before-task`, and what keeps that from being seen. */
export async function judgeAge(
  repository: Repository,
  commits: readonly string[],
  { recorded, claimed, isFinishedBefore }: KnownBranches,
): Promise<AgeFindings> {
  if (isFinishedBefore) return { problems: [], notes: [finishedNote] };
  if (recorded === null) return { problems: [], notes: [unknownNote] };
  const problems: Problem[] = [];
  const notes: Note[] = [];
  for (const commit of commits) {
    const isOld = await isReached(repository, commit, recorded.ids);
    if (!isOld.ok) problems.push(isOld.error);
    else if (isOld.value) problems.push(beforeTask(commit));
    else if (recorded.isCut) problems.push(tooManyBranches(commit));
    else {
      const isUnclaimed = claimed === null ? null : await isReached(repository, commit, claimed.ids);
      if (isUnclaimed?.ok === true && isUnclaimed.value) notes.push(beforeClaim(commit));
    }
  }
  return { problems, notes };
}

const finishedNote: Note = {
  code: "finished-before",
  path: "$",
  message: "The work was finished before the task was recorded, as the lead says who reported it.",
};

const unknownNote: Note = {
  code: "branches-unknown",
  path: "$",
  message: "Nobody recorded where the branches were when the task was recorded, so its commit may be older than it.",
};

function beforeClaim(commit: string): Note {
  const message = `The commit ${commit.slice(0, 12)} was on a branch before the task was claimed.`;
  return { code: "commit-before-claim", path: commit, message };
}

function beforeTask(commit: string): Problem {
  return problem("commit-before-task", commit, "A branch held this commit before the task was recorded.", {
    expected: "a commit that was made for the task",
    received: commit,
    hint: "Report the commit that does the work. Where it was done before, a lead reports it: `baton task complete TASK --commit HASH --finished-before`.",
  });
}

function tooManyBranches(commit: string): Problem {
  return problem(
    "too-large",
    commit,
    "There were more branches than are recorded when the task was, so its age is open.",
    {
      hint: "Remove branches that nobody needs; then add the task under another id.",
    },
  );
}
