/**
 * Live claims by the paths they cover: a tree of path parts. A glob is at the node of its parts before the first
 * wildcard, so only globs on the way there and below it can meet another one; each node counts whose globs are below
 * it, so that a holder's own globs are skipped together. Asking costs the length of a path and what is found, not how
 * many claims there are. Spellings that some file system takes for one file are one. Plain JSON and `Map`s, changed in
 * place.
 */

import { invariant } from "../../base/invariant.ts";
import { type Together, takesAtOrBelow } from "../../base/paths/glob-masks.ts";
import { overlaps, type StepBudget } from "../../base/paths/glob-sets.ts";
import { asStored, type Glob, globMatches, globsTogether, readGlob } from "../../base/paths/globs.ts";
import { foldAsStored } from "../../base/paths/paths.ts";

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

/** Lists of files are replaced, never changed, so what they say is read once. */
const readLists = new WeakMap<readonly string[], readonly Glob[]>();

/** The globs of a list of files that was checked before it was kept; what is none is left out. */
export function globsOf(files: readonly string[]): readonly Glob[] {
  const known = readLists.get(files);
  if (known !== undefined) return known;
  const globs = files.flatMap((file) => {
    const glob = readGlob(file);
    return glob.ok ? [glob.value] : [];
  });
  readLists.set(files, globs);
  return globs;
}

/** Work that one question may take, about a tenth of a second; what is then not compared counts as meeting. */
const stepsMax = 2_000_000;

/** The index of no claim. */
export function emptyIndex(): ClaimIndex {
  return { globs: new Map(), below: new Map(), holders: new Map() };
}

/** Adds a glob; adding it again for the same task changes nothing. */
export function addGlob(index: ClaimIndex, added: IndexedGlob): void {
  const way = wayTo(index, foldAsStored(added.glob), true);
  const node = way.at(-1);
  invariant(node !== undefined, "a way has its root");
  const key = keyOf(added);
  if (node.globs.has(key)) return;
  node.globs.set(key, added);
  groups.delete(node);
  for (const { holders } of way) holders.set(added.holder, (holders.get(added.holder) ?? 0) + 1);
}

/** Removes a glob and the nodes that nothing is left in. */
export function removeGlob(index: ClaimIndex, removed: IndexedGlob): void {
  const folded = foldAsStored(removed.glob);
  const parts = literalParts(folded);
  const way = wayTo(index, folded, false);
  const node = way.at(-1);
  if (way.length !== parts.length + 1 || node?.globs.delete(keyOf(removed)) !== true) return;
  groups.delete(node);
  for (const { holders } of way) {
    const left = (holders.get(removed.holder) ?? 1) - 1;
    if (left === 0) holders.delete(removed.holder);
    else holders.set(removed.holder, left);
  }
  for (let depth = parts.length; depth > 0; depth -= 1) {
    if (way[depth]?.holders.size !== 0) return;
    way[depth - 1]?.below.delete(parts[depth - 1] ?? "");
  }
}

/** Several questions that share their work. */
export interface Comparing {
  /** Work that all of them may take together; what is not compared then counts as meeting. */
  readonly budget: StepBudget;
  /** The files that a task's globs come from; answers are kept for as long as both lists of files exist. */
  filesOf(task: string): readonly string[] | undefined;
}

/**
 * Tasks of others than `except` whose globs share a path with `files`, at most `most` of them. Exact, unless the budget
 * ends: then also some that were not compared.
 */
export function tasksMeeting(
  index: ClaimIndex,
  files: readonly string[],
  { except, most, comparing }: { readonly except: string | null; readonly most: number; readonly comparing: Comparing },
): ReadonlySet<string> {
  const met = new Set<string>();
  if (!hasOthers(index, except)) return met;
  const compared = new Map<string, readonly string[]>();
  for (const glob of globsOf(files).map(asStored)) {
    const found: IndexedGlob[] = [];
    const search: Search = { glob, except, most: Number.POSITIVE_INFINITY, found, budget: comparing.budget };
    const isKnown = (other: IndexedGlob): boolean | undefined => {
      if (met.has(other.task)) return false; // One path is enough.
      const theirs = comparing.filesOf(other.task);
      const known = theirs === undefined ? undefined : answerFor(files, theirs);
      if (known === undefined && theirs !== undefined) compared.set(other.task, theirs);
      return known;
    };
    searchFrom(index, { ...search, isKnown });
    for (const { task } of found) met.add(task);
    if (met.size >= most) return new Set([...met].slice(0, most));
  }
  if (comparing.budget.left > 0) for (const [task, theirs] of compared) keepAnswer(files, theirs, met.has(task));
  return met;
}

/** What was found out about a list of files: whether it shares a path with other lists. */
interface Answers {
  readonly kept: WeakMap<readonly string[], boolean>;
  count: number;
}

const answers = new WeakMap<readonly string[], Answers>();
/** So many answers are kept for one list; a list that meets more neighbours is compared again. */
const answersMax = 1_000;

function answersOf(files: readonly string[]): Answers {
  const known = answers.get(files) ?? { kept: new WeakMap(), count: 0 };
  answers.set(files, known);
  return known;
}

/** The answer is the same from both sides. */
function answerFor(files: readonly string[], theirs: readonly string[]): boolean | undefined {
  return answers.get(files)?.kept.get(theirs) ?? answers.get(theirs)?.kept.get(files);
}

function keepAnswer(files: readonly string[], theirs: readonly string[], isMet: boolean): void {
  const known = answersOf(files);
  if (known.count >= answersMax) return;
  known.count += 1;
  known.kept.set(theirs, isMet);
}

/** What comparing with these files costs: the characters of their globs from the first part with a wildcard on. */
export function comparingCost(files: readonly string[]): number {
  const behind = ({ text }: Glob) => text.length - literalParts(text).join("/").length;
  return globsOf(files).reduce((sum, glob) => (glob.literal === null ? sum + behind(glob) : sum), 0);
}

/**
 * Globs of others than `except` that share a path with `glob`: exactly those, unless comparing takes too many steps;
 * then also some that could not be compared. At most `most` of them, and none of the task `without`.
 */
export function globsMeeting(
  index: ClaimIndex,
  glob: Glob,
  { except, without, most }: { readonly except: string | null; readonly without?: string; readonly most: number },
): readonly IndexedGlob[] {
  const others = without === undefined ? {} : { without };
  const search: Search = { glob: asStored(glob), except, ...others, most, found: [], budget: { left: stepsMax } };
  searchFrom(index, search);
  return search.found;
}

function searchFrom(index: ClaimIndex, search: Search): void {
  const { glob, except } = search;
  const parts = literalPartsOf(glob);
  let node: ClaimIndex | undefined = index;
  for (const part of parts) {
    // What is above and has no wildcard covers everything below itself.
    if (search.isKnown !== undefined && glob.literal !== null) {
      for (const other of node.globs.values()) if (!isWild(other.glob)) consider(search, other, true);
      considerGroups(search, node);
    } else for (const other of node.globs.values()) consider(search, other, !isWild(other.glob));
    node = node.below.get(part);
    if (node === undefined || !hasOthers(node, except)) return;
  }
  walkBelow(search, node, glob.literal === null ? partsOf(glob.text).slice(parts.length) : null);
}

interface Search {
  readonly glob: Glob;
  readonly except: string | null;
  /** A task whose globs do not count. */
  readonly without?: string;
  readonly most: number;
  readonly found: IndexedGlob[];
  readonly budget: StepBudget;
  /** What is known of a glob without comparing; undefined: nothing. */
  readonly isKnown?: (other: IndexedGlob) => boolean | undefined;
}

/** Keeps `other` where it meets the glob that is asked about; `isSure` says so without comparing. */
function consider(search: Search, other: IndexedGlob, isSure: boolean): void {
  if (other.holder === search.except || other.task === search.without || search.found.length >= search.most) return;
  if (search.isKnown?.(other) ?? (isSure || meets(globOf(other), search))) search.found.push(other);
}

function meets(standing: Glob, { glob, budget }: Search): boolean {
  budget.left -= standing.states.length * glob.states.length;
  return budget.left <= 0 || overlaps(standing, glob);
}

/** The globs of one task at a node, and its wildcards as one automaton. */
interface Group {
  readonly first: IndexedGlob;
  readonly globs: Together;
}

const groups = new WeakMap<ClaimIndex, readonly Group[]>();

function groupsAt(node: ClaimIndex): readonly Group[] {
  const known = groups.get(node);
  if (known !== undefined) return known;
  const byTask = Map.groupBy(
    [...node.globs.values()].filter(({ glob }) => isWild(glob)),
    ({ task }) => task,
  );
  const made = [...byTask.values()].flatMap((all) => {
    const [first] = all;
    return first === undefined ? [] : [{ first, globs: globsTogether(all.map(globOf)) }];
  });
  groups.set(node, made);
  return made;
}

/** Considers the globs with wildcards above a path without any: those of each task together. */
function considerGroups(search: Search, node: ClaimIndex): void {
  const { glob, except, budget, found } = search;
  for (const { first, globs } of groupsAt(node)) {
    if (first.holder === except) continue;
    const known = search.isKnown?.(first);
    if (known === false) continue;
    const meter = { steps: 0 };
    if (known === true || budget.left <= 0 || takesAtOrBelow(globs, glob.text, meter)) found.push(first);
    budget.left -= meter.steps;
  }
}

/** What is at and below the node; `rest`: parts of the asking glob that lead further, null: it covers all there. */
function walkBelow(search: Search, start: ClaimIndex, rest: readonly string[] | null): void {
  const waiting: [node: ClaimIndex, rest: readonly string[] | null][] = [[start, rest]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [node, parts] = next;
    if (search.found.length >= search.most) return;
    for (const other of node.globs.values()) consider(search, other, parts === null);
    for (const [name, child] of node.below) {
      if (!hasOthers(child, search.except)) continue;
      const further = parts === null ? null : restAfter(parts, name, search.glob);
      if (further !== undefined) waiting.push([child, further]);
    }
  }
}

/** The parts that lead on below a folder of that name; undefined: the glob matches nothing there. */
function restAfter(parts: readonly string[], name: string, glob: Glob): readonly string[] | undefined {
  const [part, ...rest] = parts;
  // Where its parts end, a glob with wildcards goes on only with a trailing slash.
  if (part === undefined) return glob.text.endsWith("/") ? parts : undefined;
  if (part === "**") return parts;
  // A part alone may be no glob (`C:*`), behind another one it is; one that is too long then is looked into.
  const read = readGlob(`-/${part}`);
  return !read.ok || globMatches(read.value, `-/${name}`) ? rest : undefined;
}

/** Whether another than `except` has a glob at the node or below. */
export function hasOthers(node: ClaimIndex, except: string | null): boolean {
  return node.holders.size > (except !== null && node.holders.has(except) ? 1 : 0);
}

/** The nodes from the root to the glob's own; missing ones are made, or end the way. */
function wayTo(index: ClaimIndex, glob: string, isMade: boolean): readonly ClaimIndex[] {
  const way = [index];
  let node = index;
  for (const part of literalParts(glob)) {
    const known = node.below.get(part);
    if (known === undefined && !isMade) return way;
    const next = known ?? emptyIndex();
    node.below.set(part, next);
    way.push(next);
    node = next;
  }
  return way;
}

const literal = new WeakMap<Glob, readonly string[]>();

/** The same of a glob that is asked about again and again. */
function literalPartsOf(glob: Glob): readonly string[] {
  const known = literal.get(glob);
  if (known !== undefined) return known;
  const parts = literalParts(glob.text);
  literal.set(glob, parts);
  return parts;
}

/** The parts before the first one with a wildcard. */
function literalParts(glob: string): readonly string[] {
  const parts = partsOf(glob);
  return isWild(glob) ? parts.slice(0, parts.findIndex(isWild)) : parts;
}

function isWild(text: string): boolean {
  return text.includes("*") || text.includes("?");
}

/** Of a glob in canonical form: only what a trailing slash leaves behind is empty. */
function partsOf(glob: string): readonly string[] {
  const parts = glob.split("/");
  return parts.at(-1) === "" ? parts.slice(0, -1) : parts;
}

const readGlobs = new WeakMap<IndexedGlob, Glob>();

/** Globs are read before they come here; each entry of an index is read once. */
function globOf(entry: IndexedGlob): Glob {
  const known = readGlobs.get(entry);
  if (known !== undefined) return known;
  const glob = readGlob(entry.glob);
  invariant(glob.ok, `an index of claims holds globs: ${entry.glob}`);
  const stored = asStored(glob.value);
  readGlobs.set(entry, stored);
  return stored;
}

function keyOf({ glob, task }: IndexedGlob): string {
  return `${glob}\n${task}`;
}
