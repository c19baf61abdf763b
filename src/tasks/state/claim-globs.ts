/**
 * Lists of files of a claim or a task as globs: read once for each list, and whether two lists have a path in common is
 * remembered.
 */
import { asStored, type Glob, readGlob } from "../../base/paths/globs.ts";

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

export function isWild(text: string): boolean {
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
export function answerFor(files: readonly string[], theirs: readonly string[]): boolean | undefined {
  return answers.get(files)?.kept.get(theirs) ?? answers.get(theirs)?.kept.get(files);
}

export function keepAnswer(files: readonly string[], theirs: readonly string[], isMet: boolean): void {
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
