/**
 * What differs between two trees, as git lists it: paths with their modes and contents, of an index, a commit or a merge;
 * and of one file the lines. Renames are told where they are asked for; else both sides of one are in the list.
 */
import { canonicalPath } from "../../base/paths/paths.ts";
import { makeProblem } from "../../base/problem.ts";
import { type Commit, cutOff, hiddenHistory } from "./commits.ts";
import { ask, giveUp } from "./questions.ts";
import { cutOffCommits, type Repository } from "./repository.ts";

/** A path that changed. */
export interface ChangedPath {
  readonly path: string;
  readonly change: "added" | "deleted" | "modified" | "type-changed" | "renamed";
  /** Its name before; absent: the same. */
  readonly from?: string;
  /** Modes before and after, as git writes them; `000000`: not there. */
  readonly mode: { readonly before: string; readonly after: string };
  /** Ids of the contents before and after; all zeros: not there. */
  readonly content: { readonly before: string; readonly after: string };
  /** False: the name is no UTF-8, so no message can name it. */
  readonly isText: boolean;
}

/** The mode of a symbolic link and of a submodule's pointer. */
export const linkMode = "120000";
export const submoduleMode = "160000";

const emptyTrees = {
  sha1: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  sha256: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
} as const;

/** The id of the tree without entries; git knows it without having it. */
export const emptyTreeOf = ({ objectFormat }: Repository): string => emptyTrees[objectFormat];

const listing: readonly string[] = ["-z", "--raw", "--no-abbrev", "--ignore-submodules=none"];

/** Gives each path that differs between two commits or trees, as git's answer comes. */
export async function eachChange(
  repository: Repository,
  before: string,
  after: string,
  take: (change: ChangedPath) => void,
  renames: "both-sides" | "told" = "both-sides",
): Promise<void> {
  const words = ["diff-tree", "-r", ...listing, renames === "told" ? renamed : "--no-renames", before, after];
  await ask(repository, words, { each: changeReader(take), msMax: listingMsMax });
}

/** A few small trees can name billions of paths, and git holds all of them before it lists one. */
const listingMsMax = 20_000;

/** A file is a renamed one where it shares half of itself with one that went. */
const renamed = "-M50%";

/** The paths that differ between two commits. */
export async function changedPaths(
  repository: Repository,
  before: string,
  after: string,
): Promise<ReadonlySet<string>> {
  const paths = new Set<string>();
  if (before !== after) await eachChange(repository, before, after, ({ path }) => paths.add(path));
  return paths;
}

/** The paths in the index that differ from a commit or tree. */
export async function indexChanges(repository: Repository, from: string): Promise<readonly ChangedPath[]> {
  const changed: ChangedPath[] = [];
  const each = changeReader((change) => changed.push(change));
  await ask(repository, ["diff-index", "--cached", "--no-renames", ...listing, from], { each });
  return changed;
}

/** Most parents of a merge that are looked at. */
const parentsMax = 32;

/**
 * What a commit did itself: against its parent, of a first commit all; of a merge what it did not simply take over, because
 * it differs from every parent, or from one that had changed it since the merge base.
 */
export async function ownChanges(repository: Repository, { id, parents }: Commit): Promise<readonly ChangedPath[]> {
  if (cutOffCommits(repository).has(id)) return giveUp(cutOff(id));
  if (parents.length > parentsMax) return giveUp(tooManyParents(id, parents.length));
  const before = parents.length < 2 ? null : await mergeBase(repository, parents);
  const seen = new Map<string, { readonly change: ChangedPath; count: number; isUndone: boolean }>();
  for (const parent of parents.length === 0 ? [emptyTreeOf(repository)] : parents) {
    const brought = before === null ? null : await changedPaths(repository, before, parent);
    await eachChange(repository, parent, id, (change) => {
      const known = seen.get(change.path) ?? { change, count: 0, isUndone: false };
      known.count++;
      known.isUndone ||= brought?.has(change.path) === true;
      seen.set(change.path, known);
    });
  }
  const own = [...seen.values()].filter(({ count, isUndone }) => isUndone || count >= parents.length);
  return own.map(({ change }) => change);
}

async function mergeBase(repository: Repository, parents: readonly string[]): Promise<string> {
  const hidden = await hiddenHistory(repository);
  if (hidden !== null) return giveUp(hidden);
  const words = ["merge-base", ...(parents.length > 2 ? ["--octopus"] : []), ...parents];
  const { output } = await ask(repository, words, { answers: [0, 1] });
  return output.toString("latin1").split("\n")[0] || emptyTreeOf(repository);
}

function tooManyParents(id: string, count: number) {
  return makeProblem("too-large", id, `The merge has ${count} parents; at most ${parentsMax} are looked at.`);
}

const changes: Readonly<Record<string, ChangedPath["change"]>> = {
  A: "added",
  D: "deleted",
  T: "type-changed",
  R: "renamed",
};

/** Reads the list as it comes. A conflict in the index is a change: it was touched, and nobody knows what becomes of it. */
function changeReader(take: (change: ChangedPath) => void): (piece: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let [fields, from]: [readonly string[] | null, string | null] = [null, null];
  return (piece) => {
    const all = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    let at = 0;
    for (let end = all.indexOf(0, at); end >= 0; end = all.indexOf(0, at)) {
      const part = all.subarray(at, end);
      at = end + 1;
      if (fields === null) {
        fields = part.toString("latin1", 1).split(" ");
        continue;
      }
      const [modeBefore = "", modeAfter = "", before = "", after = "", letter = ""] = fields;
      const { text, isText } = nameIn(part);
      if (letter.startsWith("R") && from === null) {
        from = text;
        continue;
      }
      take({
        path: text,
        change: changes[letter.slice(0, 1)] ?? "modified",
        ...(from === null ? {} : { from }),
        mode: { before: modeBefore, after: modeAfter },
        content: { before, after },
        isText,
      });
      [fields, from] = [null, null];
    }
    rest = all.subarray(at);
  };
}

/** A name of bytes as text; `isText` false: it is not UTF-8, and shown byte by byte. */
function nameIn(bytes: Buffer): { readonly text: string; readonly isText: boolean } {
  const text = bytes.toString("utf8");
  return text.includes("\ufffd") && !Buffer.from(text, "utf8").equals(bytes)
    ? { text: bytes.toString("latin1"), isText: false }
    : { text, isText: true };
}

/*
 * Lines of one file. Git compares them, whatever the repository's settings and attributes say of showing differences; its
 * path is a literal one.
 */

/** One line of a hunk, with its number on each side; null: it is not there. */
export interface DiffLine {
  readonly op: " " | "+" | "-";
  readonly old: number | null;
  readonly new: number | null;
  readonly text: string;
  /** The side ends here without a line feed. */
  noNewline?: true;
}

/** Lines that changed, with some around them. */
export interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** The last line before it that begins a part of the file, such as a function; empty: there is none. */
  readonly heading: string;
  readonly lines: readonly DiffLine[];
}

export interface FileDiff {
  readonly binary: boolean;
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly Hunk[];
  /** There is more than is shown. */
  readonly isCut: boolean;
}

/** How git is asked for lines. */
const plainly: readonly string[] = ["-r", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=none"];

/** Counts of lines by path; null: git counts none, because the content is binary or too large. */
export async function lineCounts(
  repository: Repository,
  before: string,
  after: string,
  changed: readonly ChangedPath[],
): Promise<ReadonlyMap<string, { readonly added: number; readonly removed: number } | null>> {
  const counts = new Map<string, { added: number; removed: number } | null>();
  if (changed.length === 0) return counts;
  const paths = changed.flatMap(({ path, from }) => (from === undefined ? [path] : [from, path]));
  const words = ["diff-tree", ...plainly, "-z", "--numstat", renamed, before, after, "--", ...paths];
  const parts = (await ask(repository, words)).output.toString("utf8").split("\0").values();
  for (const part of parts) {
    const [added = "", removed = "", path = ""] = part.split("\t");
    if (path === "") parts.next();
    const name = path === "" ? (parts.next().value ?? "") : path;
    counts.set(name, added === "-" ? null : { added: Number(added), removed: Number(removed) });
  }
  return counts;
}

/** Most lines of a difference that are shown, most characters of one, and most bytes that are looked at for them. */
const shownLinesMax = 2_000;
const lineCharactersMax = 2_000;
const diffBytesMax = 4 * 1024 * 1024;

/** The hunks of one file between two commits; of a long difference the beginning. */
export async function hunksOf(
  repository: Repository,
  before: string,
  after: string,
  { path, from }: ChangedPath,
): Promise<Pick<FileDiff, "hunks" | "isCut">> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  const words = ["diff-tree", ...plainly, "-p", "-U3", renamed, before, after, "--", path];
  await ask(repository, from === undefined ? words : [...words, from], {
    each: (piece) => {
      if (bytes < diffBytesMax) pieces.push(piece);
      bytes += piece.length;
    },
  });
  const lines = Buffer.concat(pieces).toString("utf8").split("\n").slice(0, -1);
  const hunks: (Hunk & { readonly lines: DiffLine[] })[] = [];
  let hunk: (typeof hunks)[number] | null = null;
  let [old, now, shown, isCut] = [0, 0, 0, bytes > diffBytesMax];
  for (const line of lines) {
    const head = hunkAt(line);
    if (head !== null || line.startsWith("diff --git ")) {
      hunk = head === null ? null : { ...head, lines: [] };
      if (hunk !== null) hunks.push(hunk);
      [old, now] = [hunk?.oldStart ?? 0, hunk?.newStart ?? 0];
      continue;
    }
    if (hunk === null) continue;
    const last = hunk.lines.at(-1);
    if (line.startsWith("\\")) {
      if (last !== undefined) last.noNewline = true;
      continue;
    }
    if (++shown > shownLinesMax) return { hunks, isCut: true };
    const op = line.startsWith("+") ? "+" : line.startsWith("-") ? "-" : " ";
    isCut ||= line.length > lineCharactersMax + 1;
    const text = line.slice(1, lineCharactersMax + 1).toWellFormed();
    hunk.lines.push({ op, old: op === "+" ? null : old++, new: op === "-" ? null : now++, text });
  }
  return { hunks, isCut };
}

/** The first line of a hunk; null: it is another line. */
function hunkAt(line: string): Omit<Hunk, "lines"> | null {
  const [, oldStart, oldLines = "1", newStart, newLines = "1", heading = ""] =
    /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/.exec(line) ?? [];
  if (oldStart === undefined || newStart === undefined) return null;
  return {
    oldStart: Number(oldStart),
    oldLines: Number(oldLines),
    newStart: Number(newStart),
    newLines: Number(newLines),
    heading,
  };
}

/** A line at a commit, by its file, and the commit that may have changed it; full ids. */
export interface LineAt {
  readonly before: string;
  readonly after: string;
  readonly file: string;
  /** The first is 1; 0: the file as a whole. */
  readonly line: number;
}

/**
 * Whether a later commit changes or takes away the line, or puts something in right next to it; a file that is gone, or
 * became something else, has no line left as it was. Rules: docs/protocol/verdicts.md, section 10.
 */
export async function isLineTouched(repository: Repository, { before, after, file, line }: LineAt): Promise<boolean> {
  const path = canonicalPath(file);
  if (!path.ok) return false;
  const words = ["diff-tree", ...plainly, "-p", "-U0", "--text", "--no-renames", before, after, "--", path.value];
  const { output } = await ask(repository, words);
  if (line === 0) return output.length > 0;
  return output
    .toString("utf8")
    .split("\n")
    .some((each) => {
      const { oldStart, oldLines } = hunkAt(each) ?? { oldStart: -1, oldLines: 0 };
      if (oldStart < 0) return false;
      return oldLines === 0
        ? line === oldStart || line === oldStart + 1
        : line >= oldStart && line < oldStart + oldLines;
    });
}
