/**
 * Work of several tasks in one commit. A commit that is credited to a task counts for another one only where it changes a
 * file of that task's own; the files of tasks that name the same commit are for them to answer for. A copy of a credited
 * commit is no other work. Rules: docs/protocol/verdicts.md.
 */

import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Note } from "../../messages/message.ts";
import type { ChangedPath } from "../git/changed-paths.ts";
import { changesOf } from "../git/changes.ts";
import { findCommit } from "../git/commits.ts";
import { isReached } from "../git/history-walk.ts";
import { isSameChange } from "../git/line-changes.ts";
import type { Repository } from "../git/repository.ts";
import { coveredPaths } from "./claim-cover.ts";
import { changesSince, type KnownBranches, leftAsRecorded, tooManyBranches } from "./commit-age.ts";
import type { LaterWork } from "./rewritten-work.ts";

/** What another task reported as complete. */
export interface OtherWork {
  readonly task: string;
  /** Full ids where it is credited, else as written. */
  readonly commits: readonly string[];
  /** Paths and globs of its claim; null: it named none, so it answers for all that its commits change. */
  readonly claimed: readonly string[] | null;
  /** Paths that its commits change, where it is credited and they are known; else null. */
  readonly files: readonly string[] | null;
  /** Whether it was found to be verified, before the report that is judged. */
  readonly isCredited: boolean;
}

/** Most credited tasks with changes in the same files whose commits are compared; the last credited are. */
const comparedMax = 100;

/** The other tasks that name one of these commits. */
export function sharing(others: readonly OtherWork[], commits: readonly string[]): readonly OtherWork[] {
  return others.filter((other) => {
    const named = other.commits.map((each) => each.toLowerCase());
    return commits.some((commit) => named.some((each) => each !== "" && commit.startsWith(each)));
  });
}

/** The changes that the report itself answers for: not those that only other tasks of the same commit claim. */
export async function ownChanges(
  changed: readonly ChangedPath[],
  claimed: readonly string[] | null,
  shared: readonly OtherWork[],
): Promise<readonly ChangedPath[]> {
  const claims = claimsOf(shared);
  if (claims.length === 0) return changed;
  const mine = claimed === null ? new Set<string>() : await coveredPaths(claimed, changed);
  const theirs = await coveredByAny(claims, changed);
  return changed.filter(({ path }) => mine.has(path) || !theirs.has(path));
}

function claimsOf(others: readonly OtherWork[]): readonly (readonly string[])[] {
  return others.flatMap(({ claimed }) => (claimed === null ? [] : [claimed]));
}

/** The paths that one of the claims covers. */
async function coveredByAny(
  claims: readonly (readonly string[])[],
  changed: readonly ChangedPath[],
): Promise<ReadonlySet<string>> {
  const covered = new Set<string>();
  for (const claim of claims) for (const path of await coveredPaths(claim, changed)) covered.add(path);
  return covered;
}

/** What is said against the changes that count for the work, and what is only noted. */
export interface CreditFindings {
  readonly problems: readonly Problem[];
  readonly notes: readonly Note[];
}

/**
 * Whether something of the changes is claimed, nobody was credited with it, and it is new since the task was recorded;
 * else the work is `nothing-changed` or `commit-credited`. Refuses what reading objects refuses.
 */
export async function judgeCredit(
  repository: Repository,
  commits: readonly string[],
  work: {
    readonly changed: readonly ChangedPath[];
    readonly claimed: readonly string[] | null;
    readonly others: readonly OtherWork[];
    readonly branches: KnownBranches | undefined;
    /** Commits that branches point to. */
    readonly present: readonly string[];
  },
): Promise<Result<CreditFindings, Problem>> {
  const { changed, claimed, others } = work;
  const credited = others.filter(({ isCredited }) => isCredited);
  const earlier = sharing(credited, commits);
  // Without a claim the files of others that name the commit are theirs.
  const covered = await (claimed === null
    ? coveredByAny(claimsOf(sharing(others, commits)), changed)
    : coveredPaths(claimed, changed));
  const mine = changed.filter(({ path }) => covered.has(path) === (claimed !== null));
  if (mine.length === 0)
    return against(
      earlier.length > 0 && changed.length > 0 && claimed === null
        ? alreadyCredited(commits, earlier)
        : nothingChanged(changed, claimed),
    );
  const isAllTheirs = claimed === null || earlier.some((other) => other.claimed === null);
  const theirs = isAllTheirs ? null : await coveredByAny(claimsOf(earlier), mine);
  const own = earlier.length === 0 ? mine : mine.filter(({ path }) => theirs !== null && !theirs.has(path));
  if (own.length === 0) return against(alreadyCredited(commits, earlier));
  const copied = await copiesOf(repository, commits, own, credited);
  if (!copied.ok) return copied;
  const fresh = own.filter(({ path }) => !copied.value.has(path));
  const from = [...new Set(copied.value.values())];
  if (fresh.length === 0) {
    // A lead who says so counts a backport of another task's work as this task; nobody else can.
    if (work.branches?.isFinishedBefore === true) return ok({ problems: [], notes: from.map(copiedFrom) });
    return against(alreadyCopied(commits, from));
  }
  return judgeNew(repository, commits, fresh, { ...work, credited });
}

/** Whether something of the changes is new since the task was recorded. */
async function judgeNew(
  repository: Repository,
  commits: readonly string[],
  fresh: readonly ChangedPath[],
  work: Pick<LaterWork, "present"> & {
    readonly branches: KnownBranches | undefined;
    readonly credited: readonly OtherWork[];
  },
): Promise<Result<CreditFindings, Problem>> {
  const since = await changesSince(repository, commits, fresh, work);
  if (!since.ok) return since;
  const { changed, rewritten, elsewhere } = since.value;
  if (changed.length > 0) return ok({ problems: [], notes: elsewhere === null ? [] : [stoodElsewhere(elsewhere)] });
  // It may change what one of the branches holds that were not recorded.
  if (work.branches?.recorded?.isCut === true) return err(tooManyBranches(commits.at(-1) ?? "$"));
  if (rewritten !== null) return against(rewrittenSince(fresh, rewritten));
  const undoes = await undoesWork(repository, commits, fresh, {
    ...work,
    recorded: work.branches?.recorded?.ids ?? [],
  });
  if (!undoes.ok) return undoes;
  return undoes.value ? ok({ problems: [], notes: [] }) : against(asBefore(fresh));
}

function against(each: Problem): Result<CreditFindings, Problem> {
  return ok({ problems: [each], notes: [] });
}

/**
 * Whether the commits take back credited work in one of these files, which is a change: they build on it, and no recorded
 * commit behind them held it and had the file as they leave it.
 */
async function undoesWork(
  repository: Repository,
  commits: readonly string[],
  own: readonly ChangedPath[],
  { credited, recorded }: { readonly credited: readonly OtherWork[]; readonly recorded: readonly string[] },
): Promise<Result<boolean, Problem>> {
  const left = await leftAsRecorded(repository, commits, own, recorded);
  if (!left.ok) return left;
  for (const { path } of own) {
    const tips = [...left.value].flatMap(([tip, paths]) => (paths.has(path) ? [tip] : []));
    for (const other of credited.filter(({ files }) => files?.includes(path) === true)) {
      for (const id of other.commits.filter((each) => !commits.includes(each))) {
        const isBelow = await isReached(repository, id, commits);
        if (!isBelow.ok) return isBelow;
        if (!isBelow.value) continue;
        const isKept = tips.length === 0 ? ok(false) : await isReached(repository, id, tips);
        if (!isKept.ok) return isKept;
        if (!isKept.value) return ok(true);
      }
    }
  }
  return ok(false);
}

/** Which of the changes a credited commit on another line of history made as well, and for which task. */
async function copiesOf(
  repository: Repository,
  commits: readonly string[],
  own: readonly ChangedPath[],
  credited: readonly OtherWork[],
): Promise<Result<ReadonlyMap<string, OtherWork>, Problem>> {
  const paths = new Set(own.map(({ path }) => path));
  const near = credited.filter(({ files }) => files === null || files.some((path) => paths.has(path)));
  const copied = new Map<string, OtherWork>();
  for (const other of near.slice(-comparedMax)) {
    for (const id of other.commits.filter((each) => !commits.includes(each))) {
      const isBelow = await isReached(repository, id, commits);
      if (isBelow.ok && isBelow.value) continue;
      const theirs = await changesIn(repository, id);
      // A commit that is gone cannot be compared; the task that it was credited to is stale by then.
      if (theirs === null) continue;
      for (const change of own) {
        const same = theirs.get(change.path);
        if (same === undefined || copied.has(change.path)) continue;
        const isSame = await isSameChange(repository, change, same);
        if (!isSame.ok) return isSame;
        if (!isSame.value) continue;
        // Where history cannot be walked, the work may build on that commit, and it is no copy then.
        if (!isBelow.ok) return isBelow;
        copied.set(change.path, other);
      }
    }
  }
  return ok(copied);
}

async function changesIn(repository: Repository, id: string): Promise<ReadonlyMap<string, ChangedPath> | null> {
  const commit = await findCommit(repository, id);
  const changes = commit.ok ? await changesOf(repository, commit.value) : commit;
  if (!changes.ok) return null;
  return new Map(changes.value.views[0].changed.map((change) => [change.path, change]));
}

function nothingChanged(changed: readonly ChangedPath[], claimed: readonly string[] | null): Problem {
  const what =
    changed.length === 0 ? "The commit changes nothing." : "The commit changes nothing that this task claims.";
  return makeProblem("nothing-changed", "$", what, {
    expected: claimed === null ? "a change" : `a change inside ${claimed.slice(0, 5).join(", ")}`,
    received: "none",
    hint: "Report the commit that does the work. A task that needs no change in files is added with files none.",
  });
}

function asBefore(changed: readonly ChangedPath[]): Problem {
  const what = "Each file that counts for the task is as a branch had it when the task was recorded.";
  return makeProblem("nothing-changed", changed[0]?.path ?? "$", what, {
    expected: "a file that differs from what the work builds on",
    received: changed
      .slice(0, 5)
      .map(({ path }) => path)
      .join(", "),
    hint: "Report the commit that does the work. A lead reports work from before the task: `baton task complete TASK --commit HASH --finished-before`. To merge it alone needs no files.",
  });
}

function rewrittenSince(changed: readonly ChangedPath[], tip: string): Problem {
  const what = `The work was on a branch when the task was recorded, in the commit ${tip.slice(0, 12)} or behind it.`;
  return makeProblem("nothing-changed", changed[0]?.path ?? "$", what, {
    expected: "a change that no branch had when the task was recorded",
    received: changed
      .slice(0, 5)
      .map(({ path }) => path)
      .join(", "),
    hint: "Amending, rebasing or squashing older work is no new work. A lead reports work from before the task: `baton task complete TASK --commit HASH --finished-before`.",
  });
}

function stoodElsewhere(tip: string): Note {
  return {
    code: "same-on-another-branch",
    path: tip,
    message: `When the task was recorded, the same content was on another branch, in the commit ${tip.slice(0, 12)}; this commit brings it to a branch that did not hold it.`,
  };
}

function copiedFrom({ task, commits }: OtherWork): Note {
  const commit = commits.at(-1) ?? "";
  return {
    code: "same-on-another-branch",
    path: commit,
    message: `The same change is credited to ${task} on another branch, in the commit ${commit.slice(0, 12)}; the lead says that bringing it here is this task.`,
  };
}

function alreadyCopied(commits: readonly string[], creditors: readonly OtherWork[]): Problem {
  const hint =
    "Report the commit with the work of this task. If the task is to bring that work to this branch, a lead says so: `baton task complete TASK --commit HASH --finished-before`.";
  return { ...alreadyCredited(commits, creditors), hint };
}

function alreadyCredited(commits: readonly string[], creditors: readonly OtherWork[]): Problem {
  const [first, ...more] = creditors.map(({ task }) => task);
  const whom = `${first ?? "another task"}${more.length === 0 ? "" : ` and ${more.length} more`}`;
  return makeProblem(
    "commit-credited",
    commits.at(-1) ?? "$",
    `The work in this commit is credited to ${whom}, and the commit changes no other file that this task claims.`,
    {
      expected: "a change in a file of this task that no earlier credited task claims",
      received: first ?? "",
      hint: "Report the commit with the work of this task, or have the task say that it needs no files.",
    },
  );
}
