/**
 * Writes into a planning folder that others write too: whole files replaced at once, lines appended in one piece. No link is
 * followed, above the file or at its place, and nothing outside the folder is touched. Names come from the folder's own
 * listing or are Baton's. Rule: docs/protocol/record.md, section 29.
 */
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { readPlainFile, reasonOf, replacePlainFile } from "../../base/plain-file.ts";
import type { Finding } from "../reading/found.ts";

/** Most bytes of a file that is read before it is replaced. */
const fileBytesMax = 2 * 1024 * 1024;
/** So much of a log's end is looked at. */
const tailBytes = 64 * 1024;

/** A folder that is written. Paths are below it, with `/`. */
export interface WrittenFolder {
  /** What is there; null: nothing, or it cannot be read, which is then a finding. */
  read(path: string): string | null;
  /** Whether something is there that no link leads to. */
  has(path: string): boolean;
  /** Replaces the file as a whole, unless it is the same already. Whether it is there now as given. */
  write(path: string, text: string): boolean;
  /** Appends whole lines, in one piece. */
  append(path: string, lines: readonly string[]): boolean;
  /** The last lines of a log. */
  tail(path: string): readonly string[];
  remove(path: string): boolean;
  /** The names of the folders in a folder, in order. */
  folders(path: string): readonly string[];
  /** The names of the plain files in a folder, in order. */
  names(path: string): readonly string[];
  /** What could not be done, with the reason. */
  readonly findings: readonly Finding[];
  /** Paths that were written or removed. */
  readonly written: readonly string[];
}

/** The planning folder at `root`, relative to the project. */
export function writtenFolder(project: string, root: string): WrittenFolder {
  const findings: Finding[] = [];
  const written: string[] = [];
  const fail = (path: string, why: string): null => {
    findings.push({ file: `${root}/${path}`, line: null, why });
    return null;
  };
  /** The file's place, its folders there; null: a link or something else is in the way. */
  const placeOf = (path: string, makes: boolean): string | null => {
    const problem = folderProblem(project, dirname(join(root, path)), makes);
    return problem === null ? join(project, root, path) : fail(path, problem);
  };
  const attempt = (path: string, act: (file: string) => void): boolean => {
    const file = placeOf(path, true);
    if (file === null) return false;
    try {
      act(file);
      written.push(path);
      return true;
    } catch (cause) {
      return fail(path, `It cannot be written (${reasonOf(cause)}).`) !== null;
    }
  };
  const read = (path: string): string | null => {
    const file = placeOf(path, false);
    if (file === null) return null;
    const found = readPlainFile(file, fileBytesMax);
    if (found.ok) return found.value?.text ?? null;
    return fail(path, `It cannot be read (${found.error}).`);
  };
  return {
    findings,
    written,
    read,
    has(path) {
      const file = placeOf(path, false);
      return file !== null && lstatSync(file, { throwIfNoEntry: false }) !== undefined;
    },
    write(path, text) {
      const file = placeOf(path, true);
      if (file === null) return false;
      const found = readPlainFile(file, fileBytesMax);
      if (!found.ok) return fail(path, `It is left as it is (${found.error}).`) !== null;
      if (found.value?.text === text) return true;
      const mode = (found.value?.facts.mode ?? 0o644) & 0o777;
      // Both tools pass over names with `.tmp`.
      const draft = `${file}.tmp-${process.pid}`;
      return attempt(path, () => replacePlainFile(file, text, { mode, draft }));
    },
    append: (path, lines) => attempt(path, (file) => appendLines(file, lines)),
    tail(path) {
      const file = placeOf(path, false);
      return file === null ? [] : tailOf(file);
    },
    remove: (path) => attempt(path, (file) => rmSync(file, { force: true })),
    folders: (path) => entriesIn(project, `${root}/${path}`, (entry) => entry.isDirectory()),
    names: (path) => entriesIn(project, `${root}/${path}`, (entry) => entry.isFile()),
  };
}

/** Why a folder in the project cannot be used; null: it is there, made if `makes`, and none of it is a link. */
function folderProblem(project: string, folder: string, makes: boolean): string | null {
  let at = project;
  for (const part of folder.split("/")) {
    at = join(at, part);
    try {
      const facts = lstatSync(at, { throwIfNoEntry: false });
      if (facts === undefined && makes) mkdirSync(at);
      else if (facts === undefined) return null;
      else if (facts.isSymbolicLink()) return "A folder above it is a link; no link is followed.";
      else if (!facts.isDirectory()) return "What is above it is no folder.";
    } catch (cause) {
      return `Its folder cannot be used (${reasonOf(cause)}).`;
    }
  }
  return null;
}

function entriesIn(project: string, folder: string, isWanted: (entry: Dirent) => boolean): readonly string[] {
  if (folderProblem(project, folder, false) !== null) return [];
  try {
    const entries = readdirSync(join(project, folder), { withFileTypes: true });
    return entries.flatMap((entry) => (isWanted(entry) ? [entry.name] : [])).toSorted();
  } catch {
    // There is none, or it cannot be read: then nothing is known of it.
    return [];
  }
}

const noFollow = constants.O_NOFOLLOW ?? 0;

function appendLines(file: string, lines: readonly string[]): void {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK | noFollow;
  const descriptor = openSync(file, flags, 0o644);
  try {
    const facts = fstatSync(descriptor);
    if (!facts.isFile()) throw Object.assign(new Error("it is no regular file"), { code: "EINVAL" });
    const last = Buffer.alloc(1);
    // A line that another writer left without its end stays a line by itself.
    const isOpen = facts.size > 0 && readSync(descriptor, last, 0, 1, facts.size - 1) === 1 && last[0] !== 10;
    writeSync(descriptor, `${isOpen ? "\n" : ""}${lines.join("\n")}\n`);
  } finally {
    closeSync(descriptor);
  }
}

function tailOf(file: string): readonly string[] {
  let descriptor: number | null = null;
  try {
    if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return [];
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | noFollow);
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.alloc(Math.min(size, tailBytes));
    const count = readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString("utf8", 0, count).split("\n");
  } catch {
    // Without its end the log is appended to as if nothing of ours were in it.
    return [];
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}
