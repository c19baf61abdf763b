/**
 * The places of an index of claims: whether others have globs at one, and one of them, without looking at those that
 * the asking agent has there itself. What a place says is kept until a glob is added or removed there or below.
 */

/** A glob and whose it is. */
export interface IndexedGlob {
  /** Key of the task it is claimed for. */
  readonly task: string;
  readonly holder: string;
  /** In canonical form. */
  readonly glob: string;
}

/** A folder or file, and the globs whose literal beginning ends here. */
export interface ClaimIndex {
  /** By glob, line break, task: no glob holds a line break. */
  readonly globs: Map<string, IndexedGlob>;
  readonly below: Map<string, ClaimIndex>;
  /** How many globs each holder has here and below. */
  readonly holders: Map<string, number>;
}

/** Globs of two holders, or of as many as there are: so one is always another's. */
type Firsts = readonly IndexedGlob[];

const here = new WeakMap<ClaimIndex, Firsts>();
const atOrBelow = new WeakMap<ClaimIndex, Firsts>();

/** Globs were added or removed at the end of the way. */
export function forgetFirsts(way: readonly ClaimIndex[]): void {
  for (const node of way) atOrBelow.delete(node);
  const end = way.at(-1);
  if (end !== undefined) here.delete(end);
}

/** Whether another than `except` has a glob at the node or below. */
export function hasOthers(node: ClaimIndex, except: string | null): boolean {
  return node.holders.size > (except !== null && node.holders.has(except) ? 1 : 0);
}

/** A glob of another than `except` above, at or below a path; it is not compared. */
export function anyOnTheWay(
  index: ClaimIndex,
  parts: readonly string[],
  except: string | null,
): IndexedGlob | undefined {
  const isOthers = ({ holder }: IndexedGlob) => holder !== except;
  let node = index;
  for (const part of parts) {
    const found = firstsHere(node).find(isOthers);
    if (found !== undefined) return found;
    const next = node.below.get(part);
    if (next === undefined) return undefined;
    node = next;
  }
  return firstsBelow(node).find(isOthers);
}

function firstsHere(node: ClaimIndex): Firsts {
  const known = here.get(node);
  if (known !== undefined) return known;
  const made = twoOf(node.globs.values());
  here.set(node, made);
  return made;
}

function firstsBelow(node: ClaimIndex): Firsts {
  const known = atOrBelow.get(node);
  if (known !== undefined) return known;
  const made = twoOf(candidates(node));
  atOrBelow.set(node, made);
  return made;
}

function* candidates(node: ClaimIndex): Iterable<IndexedGlob> {
  yield* firstsHere(node);
  for (const child of node.below.values()) yield* firstsBelow(child);
}

function twoOf(globs: Iterable<IndexedGlob>): Firsts {
  let first: IndexedGlob | undefined;
  for (const glob of globs) {
    if (first === undefined) first = glob;
    else if (glob.holder !== first.holder) return [first, glob];
  }
  return first === undefined ? [] : [first];
}
