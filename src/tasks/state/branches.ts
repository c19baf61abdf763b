/**
 * Where the branches of the repository were when a task was recorded or claimed. A commit that one of them already held
 * is older than the task, whatever its dates say. Each sighting is recorded as its difference to the one before, so
 * that it costs what changed. Rules: docs/protocol/verdicts.md.
 */
import { invariant } from "../../base/invariant.ts";

/**
 * Where the branches of the repository were before the entry was recorded, as the difference to the last sighting. It
 * comes before the tasks and claims of the same entry.
 */
export interface BranchesSeen {
  readonly event: "branches-seen";
  /** Full ids of commits that branches newly point to, and of those that no branch points to any more. */
  readonly added: readonly string[];
  readonly gone: readonly string[];
  /** There were more branches than are recorded; absent: there were not. */
  readonly isCut?: true;
  readonly seq: number;
}

/** The commits that the branches of a repository point to, as they were read before the lock. */
export interface BranchTips {
  /** Full ids, each once. */
  readonly ids: readonly string[];
  /** There are more than were read. */
  readonly isCut: boolean;
}

/** A commit that a branch pointed to, from one sighting until before another. */
interface SeenTip {
  readonly id: string;
  readonly from: number;
  /** Null: in the last sighting, too. */
  readonly until: number | null;
}

/** All sightings. Changed in place. */
export interface Branches {
  /** The entry of the last sighting; 0: there was none. */
  last: number;
  readonly tips: SeenTip[];
  /** Where in `tips` the commits of the last sighting are. */
  readonly current: Map<string, number>;
  /** Sightings of more branches than are recorded. */
  readonly cut: Map<number, true>;
}

/** No sighting. */
export function initialBranches(): Branches {
  return { last: 0, tips: [], current: new Map(), cut: new Map() };
}

/** The event that records what was read. Null tips: the repository could not be read, so nothing is recorded. */
export function branchesSeen(known: Branches, tips: BranchTips | null, seq: number): readonly BranchesSeen[] {
  if (tips === null) return [];
  const now = new Set(tips.ids);
  const added = [...now].filter((id) => !known.current.has(id));
  const gone = [...known.current.keys()].filter((id) => !now.has(id));
  return [{ event: "branches-seen", added, gone, ...(tips.isCut ? { isCut: true as const } : {}), seq }];
}

/** Keeps a sighting. */
export function keepBranches(branches: Branches, { added, gone, isCut, seq }: BranchesSeen): void {
  for (const id of gone) {
    const at = branches.current.get(id);
    const tip = at === undefined ? undefined : branches.tips[at];
    invariant(at !== undefined && tip !== undefined, `only what was seen can be gone: ${id}`);
    branches.tips[at] = { ...tip, until: seq };
    branches.current.delete(id);
  }
  for (const id of added) {
    branches.current.set(id, branches.tips.length);
    branches.tips.push({ id, from: seq, until: null });
  }
  branches.last = seq;
  if (isCut === true) branches.cut.set(seq, true);
}

/** The sighting of the entry `seq`; null: it holds none. */
export function sightingAt({ last }: Branches, seq: number): number | null {
  return last === seq && seq > 0 ? seq : null;
}

/** What a sighting saw, and what earlier ones did. */
export interface SightedTips extends BranchTips {
  /** Commits that branches pointed to earlier and no longer then, the last ones: their branches were moved or hidden. */
  readonly gone: readonly string[];
}

/** Most of them. */
const goneMax = 100;

/** What a sighting saw; null: there was none. */
export function tipsAt({ tips, cut }: Branches, sighting: number | null): SightedTips | null {
  if (sighting === null) return null;
  const ids: string[] = [];
  const gone: SeenTip[] = [];
  for (const tip of tips) {
    if (tip.from > sighting) break;
    if (tip.until === null || tip.until > sighting) ids.push(tip.id);
    else gone.push(tip);
  }
  const held = new Set(ids);
  const latestFirst = gone.toSorted((one, other) => (other.until ?? 0) - (one.until ?? 0)).map(({ id }) => id);
  const once = [...new Set(latestFirst)].filter((id) => !held.has(id));
  return { ids, isCut: cut.has(sighting), gone: once.slice(0, goneMax) };
}
