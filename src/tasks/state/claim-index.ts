/**
 * Live claims by the paths they cover: a tree of path parts. A glob is at the node of its parts before the first
 * wildcard, so only globs on the way there and below it can meet another one; each node counts whose globs are below
 * it, so that a holder's own globs are skipped together. Asking costs the length of a path and what is found, not how
 * many claims there are; what a place says is kept until a glob there or below is added or removed. Spellings that some
 * file system takes for one file are one. Plain JSON and `Map`s, changed in place.
 */
import { invariant } from "../../base/invariant.ts";
import { type Together, takesAtOrBelow } from "../../base/paths/glob-matching.ts";
import { overlaps, type StepBudget } from "../../base/paths/glob-overlap.ts";
import { asStored, type Glob, globMatches, globsTogether, readGlob } from "../../base/paths/globs.ts";

/** Work that one question may take, about a tenth of a second; what is then not compared counts as meeting. */
const stepsMax = 2_000_000;

/** The index of no claim. */
export function emptyIndex(): ClaimIndex {
  return { globs: new Map(), below: new Map(), holders: new Map() };
}

/** Whose globs are added or removed. */
interface Owner {
  /** Key of the task they are claimed for. */
  readonly task: string;
  readonly holder: string;
}

/** Adds the globs of a list of files; adding them again for the same task changes nothing. */
export function addFiles(index: ClaimIndex, { task, holder }: Owner, files: readonly string[]): void {
  for (const { text: glob, stored, parts } of placedIn(files)) {
    const way = wayTo(index, parts, true);
    const node = way[parts.length];
    invariant(node !== undefined, "a way that is made has its end");
    const key = keyOf(glob, task);
    if (node.globs.has(key)) continue;
    node.globs.set(key, { task, holder, glob });
    if (stored.literal === null) groups.delete(node);
    forgetFirsts(way);
    for (const { holders } of way) holders.set(holder, (holders.get(holder) ?? 0) + 1);
  }
}

/** Removes the globs of a list of files, and the nodes that nothing is left in. */
export function removeFiles(index: ClaimIndex, { task, holder }: Owner, files: readonly string[]): void {
  for (const { text, parts } of placedIn(files)) {
    const way = wayTo(index, parts, false);
    const node = way[parts.length];
    if (node?.globs.delete(keyOf(text, task)) !== true) continue;
    groups.delete(node);
    forgetFirsts(way);
    for (const { holders } of way) {
      const left = (holders.get(holder) ?? 1) - 1;
      if (left === 0) holders.delete(holder);
      else holders.set(holder, left);
    }
    for (let depth = parts.length; depth > 0; depth -= 1) {
      if (way[depth]?.holders.size !== 0) break;
      way[depth - 1]?.below.delete(parts[depth - 1] ?? "");
    }
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
 * ends: then one at least, where one was not compared, and this costs no more than finding it.
 */
export function tasksMeeting(
  index: ClaimIndex,
  files: readonly string[],
  { except, most, comparing }: { readonly except: string | null; readonly most: number; readonly comparing: Comparing },
): ReadonlySet<string> {
  if (!hasOthers(index, except)) return nothingMet;
  const { budget } = comparing;
  const met = new Set<string>();
  const compared: [task: string, files: readonly string[]][] = [];
  const isKnown = (other: IndexedGlob): boolean | undefined => {
    if (met.has(other.task)) return false; // One path is enough.
    const theirs = comparing.filesOf(other.task);
    const known = theirs === undefined ? undefined : theirs === files ? true : answerFor(files, theirs);
    if (known === undefined && theirs !== undefined) compared.push([other.task, theirs]);
    return known;
  };
  const found = { add: ({ task }: IndexedGlob) => met.add(task), isEnough: () => met.size >= most || budget.left <= 0 };
  for (const placed of placedIn(files)) {
    searchFrom(index, { ...placed, except, found, budget, isKnown });
    if (met.size >= most) return met;
    const other = budget.left <= 0 && met.size === 0 ? anyOnTheWay(index, placed.parts, except) : undefined;
    if (other !== undefined) met.add(other.task);
  }
  if (budget.left > 0) for (const [task, theirs] of compared) keepAnswer(files, theirs, met.has(task));
  return met;
}

const nothingMet: ReadonlySet<string> = new Set();

/**
 * Globs of others than `except` that share a path with `files`: exactly those, unless comparing takes too many steps;
 * then also some that could not be compared. At most `most` of them, and none of the task `without`.
 */
export function globsMeeting(
  index: ClaimIndex,
  files: readonly string[],
  { except, without, most }: { readonly except: string | null; readonly without?: string; readonly most: number },
): readonly IndexedGlob[] {
  const all: IndexedGlob[] = [];
  const others = without === undefined ? {} : { without };
  const found = { add: (glob: IndexedGlob) => all.push(glob), isEnough: () => all.length >= most };
  const budget = { left: stepsMax };
  if (!hasOthers(index, except)) return all;
  for (const placed of placedIn(files)) searchFrom(index, { ...placed, except, ...others, found, budget });
  return all;
}

function searchFrom(index: ClaimIndex, search: Search): void {
  const { stored, parts, except } = search;
  let node: ClaimIndex | undefined = index;
  for (const part of parts) {
    if (search.found.isEnough()) return;
    if (node.globs.size > 0) considerAbove(search, node);
    node = node.below.get(part);
    if (node === undefined || !hasOthers(node, except)) return;
  }
  walkBelow(search, node, stored.literal === null ? partsOf(stored.text).slice(parts.length) : null);
}

/** What is above and has no wildcard covers everything below itself. */
function considerAbove(search: Search, node: ClaimIndex): void {
  if (search.isKnown === undefined || search.stored.literal === null) {
    for (const other of node.globs.values()) {
      if (search.found.isEnough()) return;
      consider(search, other, !isWild(other.glob));
    }
    return;
  }
  for (const other of node.globs.values()) {
    if (search.found.isEnough()) return;
    if (!isWild(other.glob)) consider(search, other, true);
    else search.budget.left -= 1;
  }
  considerGroups(search, node);
}

/** Where globs that were met are put. */
interface Found {
  add(glob: IndexedGlob): unknown;
  isEnough(): boolean;
}

interface Search extends PlacedGlob {
  readonly except: string | null;
  /** A task whose globs do not count. */
  readonly without?: string;
  readonly found: Found;
  /** Each glob that is looked at takes a step, and comparing it as many as it has states. */
  readonly budget: StepBudget;
  /** What is known of a glob without comparing; undefined: nothing. */
  readonly isKnown?: (other: IndexedGlob) => boolean | undefined;
}

/** Keeps `other` where it meets the glob that is asked about; `isSure` says so without comparing. */
function consider(search: Search, other: IndexedGlob, isSure: boolean): void {
  search.budget.left -= 1;
  if (other.holder === search.except || other.task === search.without) return;
  if (search.isKnown?.(other) ?? (isSure || meets(globOf(other), search))) search.found.add(other);
}

function meets(glob: Glob, { stored, budget }: Search): boolean {
  budget.left -= glob.states.length * stored.states.length;
  return budget.left <= 0 || overlaps(glob, stored);
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
  const { stored, except, budget, found } = search;
  for (const { first, globs } of groupsAt(node)) {
    if (found.isEnough()) return;
    budget.left -= 1;
    if (first.holder === except) continue;
    const known = search.isKnown?.(first);
    if (known === false) continue;
    const meter = { steps: 0 };
    if (known === true || budget.left <= 0 || takesAtOrBelow(globs, stored.text, meter)) found.add(first);
    budget.left -= meter.steps;
  }
}

/** What is at and below the node; `rest`: parts of the asking glob that lead further, null: it covers all there. */
function walkBelow(search: Search, start: ClaimIndex, rest: readonly string[] | null): void {
  const waiting: [node: ClaimIndex, rest: readonly string[] | null][] = [[start, rest]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [node, parts] = next;
    for (const other of node.globs.values()) {
      if (search.found.isEnough()) return;
      consider(search, other, parts === null);
    }
    for (const [name, child] of node.below) {
      if (search.found.isEnough()) return;
      search.budget.left -= 1;
      if (!hasOthers(child, search.except)) continue;
      const further = parts === null ? null : restAfter(parts, name, search.stored);
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

/** The nodes from the root along these parts; missing ones are made, or end the way. */
function wayTo(index: ClaimIndex, parts: readonly string[], isMade: boolean): readonly ClaimIndex[] {
  const way = [index];
  let node = index;
  for (const part of parts) {
    let next = node.below.get(part);
    if (next === undefined) {
      if (!isMade) return way;
      next = emptyIndex();
      node.below.set(part, next);
    }
    way.push(next);
    node = next;
  }
  return way;
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

function keyOf(glob: string, task: string): string {
  return `${glob}\n${task}`;
}

/** What is worked out once for a list of files that was checked before it was kept; what is no glob is left out. */
interface ReadFiles {
  readonly globs: readonly Glob[];
  /** Where each is in an index; worked out when it is first asked for. */
  placed: readonly PlacedGlob[] | null;
}

/** A glob in the form in which an index compares it. */
export interface PlacedGlob {
  /** In canonical form, as it was claimed. */
  readonly text: string;
  readonly stored: Glob;
  /** The parts before the first one with a wildcard. */
  readonly parts: readonly string[];
}

/** Lists of files are replaced, never changed, so what they say is read once. */
const readLists = new WeakMap<readonly string[], ReadFiles>();

function readFiles(files: readonly string[]): ReadFiles {
  const known = readLists.get(files);
  if (known !== undefined) return known;
  const globs = files.flatMap((file) => {
    const glob = readGlob(file);
    return glob.ok ? [glob.value] : [];
  });
  const read: ReadFiles = { globs, placed: null };
  readLists.set(files, read);
  return read;
}

/** The globs of a list of files that was checked before it was kept; what is none is left out. */
export function globsOf(files: readonly string[]): readonly Glob[] {
  return readFiles(files).globs;
}

export function placedIn(files: readonly string[]): readonly PlacedGlob[] {
  const read = readFiles(files);
  read.placed ??= read.globs.map(placedGlob);
  return read.placed;
}

function placedGlob(glob: Glob): PlacedGlob {
  const stored = asStored(glob);
  return { text: glob.text, stored, parts: literalParts(stored.text) };
}

/** The parts before the first one with a wildcard. */
export function literalParts(glob: string): readonly string[] {
  const parts = partsOf(glob);
  return isWild(glob) ? parts.slice(0, parts.findIndex(isWild)) : parts;
}

function isWild(text: string): boolean {
  return text.includes("*") || text.includes("?");
}

/** Of a glob in canonical form: only what a trailing slash leaves behind is empty. */
export function partsOf(glob: string): readonly string[] {
  const parts = glob.split("/");
  return parts.at(-1) === "" ? parts.slice(0, -1) : parts;
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
  if (known.count >= answersMax || known.kept.has(theirs)) return;
  known.count += 1;
  known.kept.set(theirs, isMet);
}

/** What comparing with these files costs: the characters of their globs from the first part with a wildcard on. */
export function comparingCost(files: readonly string[]): number {
  const behind = ({ text }: Glob) => text.length - literalParts(text).join("/").length;
  return globsOf(files).reduce((sum, glob) => (glob.literal === null ? sum + behind(glob) : sum), 0);
}

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
function forgetFirsts(way: readonly ClaimIndex[]): void {
  for (const node of way) atOrBelow.delete(node);
  const end = way.at(-1);
  if (end !== undefined) here.delete(end);
}

/** Whether another than `except` has a glob at the node or below. */
function hasOthers(node: ClaimIndex, except: string | null): boolean {
  return node.holders.size > (except !== null && node.holders.has(except) ? 1 : 0);
}

/** A glob of another than `except` above, at or below a path; it is not compared. */
function anyOnTheWay(index: ClaimIndex, parts: readonly string[], except: string | null): IndexedGlob | undefined {
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
