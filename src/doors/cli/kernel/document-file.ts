/**
 * A document that is changed in its place: read whole, replaced in one step, never through a link that leads out of the
 * root. The reader meanwhile sees the old text or the new one.
 */
import {
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { newMessageId } from "../../../base/new-ids.ts";
import { makeProblem, type Problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { unreadable } from "./input.ts";

/**
 * The file itself, links resolved; absolute. Refuses `not-found`, and `file-outside` for a link that leads out of
 * `root`.
 */
export function fileInPlace(directory: string, file: string, root: string): Result<string, Problem> {
  const named = resolve(directory, file);
  try {
    const real = realpathSync.native(named);
    const facts = statSync(real);
    if (facts.isDirectory()) return err(unreadable(file, Object.assign(new Error(), { code: "EISDIR" })));
    if (!facts.isFile()) return err(notPlain(file));
    // Where somebody names a file elsewhere, that is meant; where a link takes them there, it may not be.
    const plain = join(realpathSync.native(dirname(named)), basename(named));
    const isLink = lstatSync(plain).isSymbolicLink();
    const top = realpathSync.native(root);
    const startsInside = isBelow(resolve(root), named) || isBelow(top, named);
    if ((startsInside || isLink) && !isBelow(top, real)) return err(outside(file));
    return ok(real);
  } catch (cause) {
    return err(unreadable(file, cause));
  }
}

/**
 * Puts `text` in the place of what `real` (from `fileInPlace`) holds, durably and in one step; its mode stays. Where nothing
 * is, it is a new file.
 */
export function replaceFile(real: string, text: string): Result<void, Problem> {
  // A name that nobody can have put there before.
  const draft = join(dirname(real), `.${basename(real)}.${newMessageId()}`);
  try {
    const mode = statSync(real, { throwIfNoEntry: false })?.mode;
    writeWhole(draft, text, 0o666);
    // Not by opening it, which the process's mask would lessen.
    if (mode !== undefined) chmodSync(draft, mode & 0o777);
    renameSync(draft, real);
    return ok(undefined);
  } catch (cause) {
    rmSync(draft, { force: true });
    return err(unwritable(real, cause));
  }
}

/** Why no new file can be made there: something of that name exists, even a link to nowhere. Null: nothing does. */
export function fileTakenProblem(path: string): Problem | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined ? null : taken(path);
  } catch {
    // What may not be looked at may not be written either, which writing says better.
    return null;
  }
}

/** Writes a new file. Refuses `already-exists`, and never writes through a link. */
export function createFile(path: string, text: string): Result<void, Problem> {
  try {
    writeWhole(path, text, 0o666);
    return ok(undefined);
  } catch (cause) {
    if (codeOf(cause) !== "EEXIST") return err(unwritable(path, cause));
    return err(taken(path));
  }
}

function writeWhole(path: string, text: string, mode: number): void {
  const descriptor = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode);
  try {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function isBelow(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

function outside(file: string): Problem {
  return makeProblem("file-outside", file, "A symbolic link leads out of the root here, so the file is not changed.", {
    expected: "a file inside the root, or one that is named itself",
    received: file,
    hint: "Name the file that is meant, or give its root with --root.",
  });
}

function notPlain(file: string): Problem {
  return makeProblem("invalid-path", file, "This is no plain file, so nothing can be written in its place.", {
    expected: "a plain file",
    hint: "Name the document's own file.",
  });
}

function taken(path: string): Problem {
  return makeProblem("already-exists", path, "There is something of this name already; nothing was written.", {
    hint: "Name another file, or remove this one.",
  });
}

function unwritable(path: string, cause: unknown): Problem {
  return makeProblem("not-found", path, `This file cannot be written (${codeOf(cause)}).`, {
    hint: "Check that its folder is there and may be written to.",
  });
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
}
