/**
 * Small files of Baton and of a team (notes next to a journal, the team file, codes), read and written so that a
 * program that can put a file or a link there gains nothing. No link is followed, only regular files of bounded size
 * are read, and a new file never takes the place of another one through its name. A pipe does not hang the reader, and
 * an endless device does not fill its memory. Rule: docs/protocol/record.md, sections 23 to 25.
 */
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { err, ok, type Result } from "./result.ts";

/** How much is read at once; most of these files are smaller. */
const chunkBytes = 4 * 1024;

/** Why a file cannot be used: the system's code, such as `EACCES`, or what it is instead of a regular file. */
export type FileReason = string;

/** A file's text and the facts of the very file that was read. */
export interface PlainFile {
  readonly text: string;
  readonly facts: Stats;
}

/** The file at `path`, or null where there is none. Refuses a link, what is no regular file, and more than `bytesMax`. */
export function readPlainFile(path: string, bytesMax: number): Result<PlainFile | null, FileReason> {
  let descriptor: number | null = null;
  try {
    const reason = notPlain(lstatSync(path), bytesMax);
    if (reason !== null) return err(reason);
    // The name may stand for something else by now: the open file is what counts, and opening must not wait for a pipe.
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const facts = fstatSync(descriptor);
    const opened = notPlain(facts, bytesMax);
    if (opened !== null) return err(opened);
    const bytes = readUpTo(descriptor, bytesMax);
    return bytes === null ? err(tooLarge(bytesMax)) : ok({ text: bytes.toString("utf8"), facts });
  } catch (cause) {
    const reason = reasonOf(cause);
    return reason === "ENOENT" || reason === "ENOTDIR" ? ok(null) : err(reason);
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

/** Why the file at `path` is not to be opened by name: it is a link, or no regular file. Null: it is one, or not there. */
export function notRegular(path: string): FileReason | null {
  const facts = lstatSync(path, { throwIfNoEntry: false });
  return facts === undefined ? null : notPlain(facts, Number.POSITIVE_INFINITY);
}

/** Creates the file; throws the system's error, `EEXIST` where anything is under the name, a link included. */
export function createPlainFile(path: string, text: string, options: WritingOptions = {}): void {
  const descriptor = openSync(path, "wx", options.mode ?? 0o600);
  try {
    writeFileSync(descriptor, text);
    if (options.isSynced === true) fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

export interface WritingOptions {
  /** Absent: only this user may read it. */
  readonly mode?: number;
  /** Whether the text is durable before the file gets its name. */
  readonly isSynced?: boolean;
  /** Where the text is written first; absent: a name of this process's own. */
  readonly draft?: string;
}

/** Replaces what is under `path` as a whole, a link by the file itself. Throws the system's error. */
export function replacePlainFile(path: string, text: string, options: WritingOptions = {}): void {
  const draft = options.draft ?? `${path}.draft-${process.pid}`;
  try {
    createAnyway(draft, () => createPlainFile(draft, text, options));
    renameSync(draft, path);
  } catch (cause) {
    rmSync(draft, { force: true });
    throw cause;
  }
}

/** Makes durable what was written to the file. Throws the system's error. */
export function syncFile(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes the names in a folder durable. Throws the system's error. */
export function syncFolder(path: string): void {
  // Folders cannot be opened there, and their changes are durable without it.
  if (process.platform !== "win32") syncFile(path);
}

/** Creates an empty file in place of what a killed process left, or somebody planted, under its name. */
export function putEmptyFile(path: string): void {
  createAnyway(path, () => createPlainFile(path, "", { mode: 0o644 }));
}

/** The name is the caller's alone: what is there is removed, never written to. */
function createAnyway(path: string, create: () => void): void {
  try {
    create();
  } catch (cause) {
    if (reasonOf(cause) !== "EEXIST") throw cause;
    unlinkSync(path);
    create();
  }
}

/** The system's code of an error, or its words. */
export function reasonOf(cause: unknown): FileReason {
  return cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
}

function notPlain(facts: Stats, bytesMax: number): FileReason | null {
  if (facts.isSymbolicLink()) return "it is a link, and no link is followed";
  if (!facts.isFile()) return "it is no regular file";
  return facts.size > bytesMax ? tooLarge(bytesMax) : null;
}

function tooLarge(bytesMax: number): FileReason {
  return `it has more than ${bytesMax} bytes`;
}

/** All bytes of the file; null: it has grown beyond `bytesMax` meanwhile. */
function readUpTo(descriptor: number, bytesMax: number): Buffer | null {
  const chunks: Buffer[] = [];
  let length = 0;
  for (;;) {
    const chunk = Buffer.alloc(Math.min(chunkBytes, bytesMax - length + 1));
    const count = readSync(descriptor, chunk, 0, chunk.length, null);
    if (count === 0) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, count));
    length += count;
    if (length > bytesMax) return null;
  }
}
