/**
 * The work of a report, taken from its commits: what they change against their parents in the files that the task claims,
 * and what they change besides. Rules: docs/protocol/verdicts.md.
 */
import { reachesIntoBaton } from "../../base/paths/paths.ts";
import { insideOf, type Scope } from "../../base/paths/scope.ts";
import { type ChangedPath, eachChange, emptyTreeOf } from "../git/changes.ts";
import type { Commit } from "../git/commits.ts";
import { arrivalOf, fileWorkOf, isAncestor } from "../git/questions.ts";
import type { Repository } from "../git/repository.ts";
import type { Tip } from "../git/tips.ts";
import { isNone, keyOf } from "../git/work.ts";
import type { FileWork, TakenWork } from "../state.ts";

/** Most files whose work is kept; most others that are named; most parents of a merge that are looked at. */
const filesMax = 300;
const outsideMax = 100;
const parentsMax = 16;
/** Most lines that are kept of one file, and of all of them. */
const linesMax = 400;
const linesOfAllMax = 4_000;

/** What the commits change together. */
export interface Taken {
  readonly work: TakenWork;
  /** In the claim and the contract; of very many an even choice. */
  readonly inside: readonly ChangedPath[];
  /** Outside of them; of many the first. */
  readonly outside: readonly ChangedPath[];
  /** How many there are of both, each counted in each commit; and whether some of them are left out here. */
  readonly count: number;
  readonly isCut: boolean;
  /** Each commit with the parent that it is compared with. */
  readonly pairs: readonly (readonly [before: string, commit: string])[];
}

/** Whether one of `globs` covers the path; null: all paths are covered. */
export function coverOf(globs: readonly string[] | null): (path: string) => boolean {
  return globs === null ? () => true : insideOf({ allowed: globs, forbidden: [] });
}

/** What of the changes is the task's. */
interface Limits {
  readonly claimed: readonly string[] | null;
  readonly scope: Scope | null;
  /** Whether another task that names the commits claims a path; absent: none does. */
  isOthers?(path: string): boolean;
  /** Tips of the team's main branch; absent: they are not known. */
  readonly main?: readonly Tip[];
}

/** Takes the work of the commits, each behind those that it descends from. */
export async function takeWork(
  repository: Repository,
  commits: readonly Commit[],
  { claimed, scope, isOthers, main = [] }: Limits,
): Promise<Taken> {
  const [isClaimed, isPermitted] = [coverOf(claimed), scope === null ? () => true : insideOf(scope)];
  const isOwn = (path: string) =>
    isClaimed(path) && isPermitted(path) && !reachesIntoBaton(path) && isOthers?.(path) !== true;
  const [inside, outside] = [new Map<string, ChangedPath>(), new Map<string, ChangedPath>()];
  const pairs: (readonly [string, string])[] = [];
  let [count, insideCount, isCut] = [0, 0, false];
  for (const commit of commits) {
    const { id, parents } = commit;
    const sides = parents.length > 1 ? await sidesOf(repository, commit, main) : parents;
    const bases = parents.length === 0 ? [emptyTreeOf(repository)] : sides.slice(0, parentsMax);
    const views: View[] = [];
    for (const base of bases) views.push(await viewOf(repository, base, id, { isOwn, isPermitted }));
    const view = views.reduce((best, each) => (isNearer(each, best, claimed === null) ? each : best));
    pairs.push([view.base, id]);
    count += view.insideCount + view.outsideCount;
    insideCount += view.insideCount;
    isCut ||= view.insideCount > view.inside.size || view.outsideCount > view.outside.length;
    // A merge that is seen from the main branch shows all that the branch has besides, and what came from main is not in it.
    const keep = sides === parents ? keepNet : keepLast;
    for (const change of view.inside.values()) keep(inside, change);
    for (const change of view.outside) keep(outside, change);
  }
  const named = [...inside.values()].filter(isChange);
  const chosen = sampled(named);
  const most = Math.min(linesMax, Math.ceil(linesOfAllMax / Math.max(1, chosen.length)));
  const files: FileWork[] = [];
  for (const change of chosen) files.push(await fileWorkOf(repository, change, most));
  const work = { commits: commits.map(({ id }) => id), files, count: insideCount };
  return { work, inside: named, outside: [...outside.values()].filter(isChange), count, isCut, pairs };
}

/**
 * The parents from which a merge is seen: those that the main branch had before it had the merge, because what it brought
 * there was its own; all where that is not known.
 */
async function sidesOf(
  repository: Repository,
  { id, parents }: Commit,
  main: readonly Tip[],
): Promise<readonly string[]> {
  for (const tip of main) {
    const isThere = await isAncestor(repository, id, tip.id);
    const before = isThere ? (await arrivalOf(repository, id, tip.id))?.before : tip.id;
    if (before === undefined) continue;
    const sides: string[] = [];
    for (const parent of parents.slice(0, parentsMax))
      if (await isAncestor(repository, parent, before)) sides.push(parent);
    if (sides.length > 0) return sides;
  }
  return parents;
}

/** A commit as seen from one parent. */
interface View {
  readonly base: string;
  readonly inside: Map<string, ChangedPath>;
  readonly outside: ChangedPath[];
  insideCount: number;
  outsideCount: number;
  /** How many of those outside the contract does not permit either. */
  beyondCount: number;
}

/** A merge is seen from the parent where most of it is the task's, or where least leaves the contract if nothing is. */
function isNearer(view: View, best: View, isUnclaimed: boolean): boolean {
  if (best.insideCount === 0) return view.insideCount > 0 || view.beyondCount < best.beyondCount;
  if (view.insideCount === 0) return false;
  if (view.outsideCount !== best.outsideCount) return view.outsideCount < best.outsideCount;
  return isUnclaimed && view.insideCount < best.insideCount;
}

async function viewOf(
  repository: Repository,
  base: string,
  commit: string,
  { isOwn, isPermitted }: Readonly<Record<"isOwn" | "isPermitted", (path: string) => boolean>>,
): Promise<View> {
  const view: View = { base, inside: new Map(), outside: [], insideCount: 0, outsideCount: 0, beyondCount: 0 };
  let limit = "g";
  await eachChange(repository, base, commit, (change) => {
    if (!isOwn(change.path)) {
      view.outsideCount++;
      if (!isPermitted(change.path)) view.beyondCount++;
      if (view.outside.length < outsideMax) view.outside.push(change);
      return;
    }
    // Of very many an even choice is kept, the same in every commit.
    if (++view.insideCount > filesMax && orderOf(change) >= limit) return;
    view.inside.set(change.path, change);
    if (view.inside.size <= 2 * filesMax) return;
    const left = sampled([...view.inside.values()]);
    view.inside.clear();
    for (const each of left) view.inside.set(each.path, each);
    const last = left.at(-1);
    if (last !== undefined) limit = orderOf(last);
  });
  return view;
}

const orderOf = ({ path }: ChangedPath): string => keyOf(path);

function sampled(all: readonly ChangedPath[]): readonly ChangedPath[] {
  if (all.length <= filesMax) return all;
  const ordered = all.map((each) => [orderOf(each), each] as const).toSorted((a, b) => (a[0] < b[0] ? -1 : 1));
  return ordered.slice(0, filesMax).map(([, each]) => each);
}

/** Of several changes of a path: the first before, the last after. */
function keepNet(changes: Map<string, ChangedPath>, change: ChangedPath): void {
  const first = changes.get(change.path);
  changes.set(change.path, first === undefined ? change : joined(first, change));
}

function keepLast(changes: Map<string, ChangedPath>, change: ChangedPath): void {
  changes.set(change.path, change);
}

function joined(first: ChangedPath, last: ChangedPath): ChangedPath {
  const mode = { before: first.mode.before, after: last.mode.after };
  const content = { before: first.content.before, after: last.content.after };
  const kind = isNone(mode.before) ? "added" : isNone(mode.after) ? "deleted" : "modified";
  return { ...last, change: kind, mode, content };
}

/** Whether a path is not as it was. */
export function isChange({ mode, content }: ChangedPath): boolean {
  return mode.before !== mode.after || content.before !== content.after;
}
