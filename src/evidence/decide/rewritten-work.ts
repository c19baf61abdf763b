/**
 * Work that was on another branch when the task was recorded: an old commit that was amended, rebased or squashed
 * since, or picked onto a branch that did not hold it. Only what the other branch changed itself counts, so taking a
 * file back to an older state is no copy of an old branch. Rules: docs/protocol/verdicts.md.
 */
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import type { ChangedPath } from "../git/changed-paths.ts";
import { changesOf } from "../git/changes.ts";
import { findCommit } from "../git/commits.ts";
import { commitsOnlyIn, isReached } from "../git/history-walk.ts";
import { isSameChange } from "../git/line-changes.ts";
import type { Repository } from "../git/repository.ts";
import { compareTrees, foldersOf, type TreePair } from "../git/tree-comparison.ts";

/** The work that is judged, and the branches around it. */
export interface LaterWork {
  /** The reported commits that no other of them descends from. */
  readonly heads: readonly string[];
  readonly changed: readonly ChangedPath[];
  /** Commits that branches pointed to when the task was recorded. */
  readonly recorded: readonly string[];
  /** Those of them that the work builds on and that it meets first. */
  readonly builtOn: readonly string[];
  /** Commits that branches point to now. */
  readonly present: readonly string[];
  /** It builds on none of them, but forks off behind them. */
  readonly isForked: boolean;
  /** It was verified before, so branches that are gone since say nothing against it. */
  readonly wasVerified: boolean;
}

/** Where changes was before, by path: the recorded commit of the branch. */
export interface EarlierWork {
  /** The branch was rewritten or removed since, or the work replaces a part of it: these are no changes. */
  readonly rewritten: ReadonlyMap<string, string>;
  /** A branch still holds the commit, and the work was brought to a branch that did not. */
  readonly elsewhere: ReadonlyMap<string, string>;
}

/** Most recorded commits of each kind that the work is compared with; the last seen are. */
const comparedTipsMax = 100;
/** Most commits of a rewritten branch that are compared one by one; the newest are. */
const comparedCommitsMax = 100;

/** Which of the changes was on a branch that the work does not build on. Refuses what reading objects refuses. */
export async function earlierWork(repository: Repository, work: LaterWork): Promise<Result<EarlierWork, Problem>> {
  const rewritten = new Map<string, string>();
  const elsewhere = new Map<string, string>();
  const present = new Set(work.present);
  const others = work.recorded.filter((id) => !work.builtOn.includes(id));
  const moved = work.wasVerified ? [] : others.filter((id) => !present.has(id));
  const gone: string[] = [];
  for (const id of moved.slice(-comparedTipsMax)) {
    const isHeld = await isReached(repository, id, work.present);
    if (!isHeld.ok) return isHeld;
    if (!isHeld.value) gone.push(id);
  }
  for (const tip of gone) {
    const found = await broughtBy(repository, work, tip, work.changed);
    if (!found.ok) return found;
    for (const path of found.value) rewritten.set(path, tip);
  }
  const alike = await alikeIn(repository, work, others.filter((id) => !gone.includes(id)).slice(-comparedTipsMax));
  if (!alike.ok) return alike;
  for (const [tip, changes] of alike.value) {
    const found = await broughtBy(repository, work, tip, changes);
    if (!found.ok) return found;
    for (const path of found.value) (work.isForked ? rewritten : elsewhere).set(path, tip);
  }
  return ok({ rewritten, elsewhere });
}

/** By recorded commit, the changes that leave their file as it is there; only commits with such changes. */
async function alikeIn(
  repository: Repository,
  { heads, changed }: LaterWork,
  tips: readonly string[],
): Promise<Result<ReadonlyMap<string, readonly ChangedPath[]>, Problem>> {
  // Asked together, they are one round trip.
  const [before, after] = await Promise.all([treesOf(repository, tips), treesOf(repository, heads)]);
  if (!before.ok) return before;
  if (!after.ok) return after;
  const both = before.value.flatMap((old, at) => after.value.map((now) => ({ tip: tips[at] ?? "", old, now })));
  const pairs = both.map(({ old, now }): TreePair => [old, now]);
  const compared = await compareTrees(repository, pairs, foldersOf(changed));
  if (!compared.ok) return compared;
  const alike = new Map<string, readonly ChangedPath[]>();
  for (const [index, differences] of compared.value.entries()) {
    const differing = new Set(differences.map(({ path }) => path));
    const same = changed.filter(({ path }) => !differing.has(path));
    const { tip = "" } = both[index] ?? {};
    if (same.length > 0) alike.set(tip, [...(alike.get(tip) ?? []), ...same]);
  }
  return ok(alike);
}

async function treesOf(repository: Repository, ids: readonly string[]): Promise<Result<readonly string[], Problem>> {
  const found = await Promise.all(ids.map((id) => findCommit(repository, id)));
  const trees: string[] = [];
  for (const commit of found) {
    if (!commit.ok) return commit;
    trees.push(commit.value.tree);
  }
  return ok(trees);
}

/** Which of the changes the recorded commit brought, as the same content or as the same lines in and out. */
async function broughtBy(
  repository: Repository,
  work: LaterWork,
  tip: string,
  changes: readonly ChangedPath[],
): Promise<Result<ReadonlySet<string>, Problem>> {
  const own = await ownChanges(repository, work, tip, changes);
  if (!own.ok) return own;
  const brought = new Set<string>();
  for (const change of changes) {
    const [newest, ...older] = own.value.get(change.path) ?? [];
    if (newest === undefined) continue;
    const oldest = older.at(-1) ?? newest;
    const whole: ChangedPath = {
      ...newest,
      change: change.change,
      mode: { before: oldest.mode.before, after: newest.mode.after },
      content: { before: oldest.content.before, after: newest.content.after },
    };
    if (whole.content.after === change.content.after && whole.mode.after === change.mode.after) {
      brought.add(change.path);
      continue;
    }
    for (const each of [whole, newest, ...older]) {
      const isSame = await isSameChange(repository, change, each);
      if (!isSame.ok) return isSame;
      if (!isSame.value) continue;
      brought.add(change.path);
      break;
    }
  }
  return ok(brought);
}

/** By path, how the commits behind the recorded one that the work does not build on changed the file, the newest first. */
async function ownChanges(
  repository: Repository,
  { heads }: LaterWork,
  tip: string,
  changes: readonly ChangedPath[],
): Promise<Result<ReadonlyMap<string, readonly ChangedPath[]>, Problem>> {
  const alone = await commitsOnlyIn(repository, tip, heads, comparedCommitsMax);
  if (!alone.ok) return alone;
  const paths = new Set(changes.map(({ path }) => path));
  const own = new Map<string, readonly ChangedPath[]>();
  for (const id of alone.value) {
    const commit = await findCommit(repository, id);
    if (!commit.ok) return commit;
    const made = await changesOf(repository, commit.value);
    if (!made.ok) return made;
    const mine = commit.value.parents.length > 1 ? made.value.made : made.value.views[0].changed;
    const near = mine.filter(({ path }) => paths.has(path));
    // The walk goes by dates, which may be wrong; what speaks against the work is looked at once more.
    const isBelow = near.length === 0 ? ok(false) : await isReached(repository, id, heads);
    if (!isBelow.ok) return isBelow;
    if (isBelow.value) continue;
    for (const change of near) own.set(change.path, [...(own.get(change.path) ?? []), change]);
  }
  return ok(own);
}
