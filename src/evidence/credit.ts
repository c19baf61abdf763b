/**
 * Work of several tasks in one commit. A commit that is credited to a task counts for another one only where it changes a
 * file of that task's own; the files of tasks that name the same commit are for them to answer for. A copy of a credited
 * commit is no other work. Rules: docs/protocol/verdicts.md.
 */
import { type Problem, problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import { checkScope } from "../base/scope.ts";
import { changesOf } from "./changes.ts";
import type { KnownBranches } from "./commit-age.ts";
import { findCommit } from "./commits.ts";
import { changedSince } from "./earlier-state.ts";
import { isReached } from "./history-walk.ts";
import { lineChanges } from "./line-changes.ts";
import { cutList } from "./problem-list.ts";
import type { ChangedPath } from "./raw-diff.ts";
import type { Repository } from "./repository.ts";

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

/** Files that another agent has claimed for its task. */
export interface HeldFiles {
  readonly holder: string;
  readonly task: string;
  readonly files: readonly string[];
}

/** `outside-claim` for each change in a file that another agent holds. */
export function heldProblems(changed: readonly ChangedPath[], held: readonly HeldFiles[]): readonly Problem[] {
  const found = changed.flatMap(({ path }) => {
    const by = held.find(({ files }) => files.length > 0 && covers(files, path));
    return by === undefined ? [] : [heldProblem(path, by)];
  });
  return cutList(found);
}

function heldProblem(path: string, { holder, task }: HeldFiles): Problem {
  return problem("outside-claim", path, `${holder} has claimed this file for ${task}.`, {
    expected: "changes in files that no other agent holds",
    received: path,
    hint: "Report the commit with the work of this task, and claim the files that it changes.",
  });
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

/** Whether a claim covers a path. */
export function covers(claimed: readonly string[], path: string): boolean {
  return checkScope({ allowed: claimed, forbidden: [] }, [path]).length === 0;
}

/** The changes that the report itself answers for: not those that only other tasks of the same commit claim. */
export function ownChanges(
  changed: readonly ChangedPath[],
  claimed: readonly string[] | null,
  shared: readonly OtherWork[],
): readonly ChangedPath[] {
  const claims = shared.flatMap((other) => (other.claimed === null ? [] : [other.claimed]));
  if (claims.length === 0) return changed;
  return changed.filter(
    ({ path }) => (claimed !== null && covers(claimed, path)) || !claims.some((claim) => covers(claim, path)),
  );
}

/**
 * What of the changes is claimed and nobody was credited with. Empty: the work is `nothing-changed`, or credited to the
 * tasks in `creditors`. Refuses what reading objects refuses.
 */
export async function uncredited(
  repository: Repository,
  commits: readonly string[],
  work: {
    readonly changed: readonly ChangedPath[];
    readonly claimed: readonly string[] | null;
    readonly others: readonly OtherWork[];
    readonly branches: KnownBranches | undefined;
  },
): Promise<Result<readonly Problem[], Problem>> {
  const { changed, claimed, others, branches } = work;
  const credited = others.filter(({ isCredited }) => isCredited);
  const earlier = sharing(credited, commits);
  // Without a claim the files of others that name the commit are theirs.
  const theirs = sharing(others, commits).flatMap((other) => (other.claimed === null ? [] : [other.claimed]));
  const mine = changed.filter(({ path }) =>
    claimed === null ? !theirs.some((claim) => covers(claim, path)) : covers(claimed, path),
  );
  if (mine.length === 0)
    return ok([
      earlier.length > 0 && changed.length > 0 && claimed === null
        ? alreadyCredited(commits, earlier)
        : nothingChanged(changed, claimed),
    ]);
  const isTheirs = ({ path }: ChangedPath): boolean =>
    claimed === null || earlier.some((other) => other.claimed === null || covers(other.claimed, path));
  const own = earlier.length === 0 ? mine : mine.filter((change) => !isTheirs(change));
  if (own.length === 0) return ok([alreadyCredited(commits, earlier)]);
  const copied = await copiesOf(repository, commits, own, credited);
  if (!copied.ok) return copied;
  const fresh = own.filter(({ path }) => !copied.value.has(path));
  const from = [...new Set(copied.value.values())];
  if (fresh.length === 0) return ok([alreadyCredited(commits, from)]);
  const since = await changedSince(repository, commits, fresh, branches);
  if (!since.ok) return since;
  if (since.value.length > 0) return ok([]);
  const undoes = await undoesWork(repository, commits, fresh, credited);
  return undoes.ok ? ok(undoes.value ? [] : [asBefore(fresh)]) : undoes;
}

/** Whether the commits build on credited work in one of these files: to take that back is a change. */
async function undoesWork(
  repository: Repository,
  commits: readonly string[],
  own: readonly ChangedPath[],
  credited: readonly OtherWork[],
): Promise<Result<boolean, Problem>> {
  const paths = new Set(own.map(({ path }) => path));
  for (const other of credited.filter(({ files }) => files?.some((path) => paths.has(path)) === true)) {
    for (const id of other.commits.filter((each) => !commits.includes(each))) {
      const isBelow = await isReached(repository, id, commits);
      if (!isBelow.ok || isBelow.value) return isBelow;
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
        if (isSame.value) copied.set(change.path, other);
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

/** Whether two changes of a file take away and add the same lines, wherever they stand. */
async function isSameChange(
  { objects }: Repository,
  one: ChangedPath,
  other: ChangedPath,
): Promise<Result<boolean, Problem>> {
  if (one.change !== other.change || one.mode.after !== other.mode.after) return ok(false);
  if (one.content.after === other.content.after && one.content.before === other.content.before) return ok(true);
  const [mine, theirs] = [await lineChanges(objects, one), await lineChanges(objects, other)];
  if (!mine.ok) return mine;
  if (!theirs.ok) return err(theirs.error);
  return ok(mine.value !== null && mine.value === theirs.value);
}

function nothingChanged(changed: readonly ChangedPath[], claimed: readonly string[] | null): Problem {
  const what =
    changed.length === 0 ? "The commit changes nothing." : "The commit changes nothing that this task claims.";
  return problem("nothing-changed", "$", what, {
    expected: claimed === null ? "a change" : `a change inside ${claimed.slice(0, 5).join(", ")}`,
    received: "none",
    hint: "Report the commit that does the work. A task that needs no change in files is added with files none.",
  });
}

function asBefore(changed: readonly ChangedPath[]): Problem {
  const what = "Each file that counts for the task is as a branch had it when the task was recorded.";
  return problem("nothing-changed", changed[0]?.path ?? "$", what, {
    expected: "a file that differs from what the work builds on",
    received: changed
      .slice(0, 5)
      .map(({ path }) => path)
      .join(", "),
    hint: "Report the commit that does the work. A lead reports work from before the task: `baton task complete TASK --commit HASH --finished-before`. To merge it alone needs no files.",
  });
}

function alreadyCredited(commits: readonly string[], creditors: readonly OtherWork[]): Problem {
  const [first, ...more] = creditors.map(({ task }) => task);
  const whom = `${first ?? "another task"}${more.length === 0 ? "" : ` and ${more.length} more`}`;
  return problem(
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
