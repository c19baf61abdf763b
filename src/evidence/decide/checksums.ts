/**
 * Files checked against their checksums. A file is looked at inside one root only: links are resolved first, and what
 * leads out of it, or is no plain file, is never opened. Files are read in pieces of one size, so memory does not grow
 * with them.
 *
 * Reading and hashing take turns with everything else that is ready: hashing in other threads was measured and gains
 * nothing here, since passing the bytes on costs about what hashing them does.
 * Source: docs/protocol/phases.md, sections 12 to 14.
 */
import { createHash, hash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, type Stats, statSync } from "node:fs";
import { join, sep } from "node:path";
import { nextTurn } from "../../base/clock.ts";
import { canonicalPath } from "../../base/paths/paths.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import {
  type FileState,
  fileProblem,
  type NamedFile,
  preventsAcceptance,
  type VerifiedFiles,
} from "../../messages/handoff-body.ts";

/** What was found of one file. */
export interface FileCheck {
  /** As it is named. */
  readonly path: string;
  readonly state: FileState;
  /** The checksum that is said, as written; null: none is, and being there is enough. */
  readonly expected: string | null;
  /** The file's own, `sha256:` and 64 hex digits; null: it was not read. */
  readonly actual: string | null;
  /** Why it has this state, where the state alone does not say. */
  readonly reason: string | null;
}

/** How many bytes are read at a time. */
const pieceBytes = 1024 * 1024;
/** How many bytes are hashed before others get a turn; some milliseconds' work. */
const turnBytes = 8 * pieceBytes;
/** How many files are looked at before others get a turn. */
const turnFiles = 64;

/** Whether a checksum tells files apart: `sha256:` and 64 hex digits, or the digits alone. */
export function isFullChecksum(checksum: string): boolean {
  return /^(?:sha256:)?[0-9a-f]{64}$/i.test(checksum);
}

/**
 * Looks at each file below `root` (absolute), in order. Refuses `not-found` (there is no such folder) and `interrupted`.
 * `hashAll`: also those without a checksum, to learn it.
 */
export async function checkFiles(
  root: string,
  files: readonly NamedFile[],
  options: { readonly signal?: AbortSignal; readonly hashAll?: boolean } = {},
): Promise<Result<readonly FileCheck[], Problem>> {
  const top = folderAt(root);
  if (top === null) return err(noFolder(root));
  const piece = Buffer.allocUnsafe(pieceBytes);
  const checks: FileCheck[] = [];
  let bytes = 0;
  for (const [index, file] of files.entries()) {
    const found = openInside(top, file.path);
    if ("state" in found) {
      checks.push(checked(file, found.state, { reason: found.reason }));
    } else {
      try {
        const isAsked = options.hashAll === true || (file.checksum !== null && isFullChecksum(file.checksum));
        const digest = isAsked ? await digestOf(found, piece, options.signal) : null;
        checks.push(judged(file, digest));
        bytes += isAsked ? found.size : 0;
      } catch (cause) {
        checks.push(checked(file, "missing", { reason: `it cannot be read (${codeOf(cause)})` }));
      } finally {
        closeSync(found.descriptor);
      }
    }
    if (bytes >= turnBytes || index % turnFiles === turnFiles - 1) {
      bytes = 0;
      await nextTurn();
    }
    if (options.signal?.aborted === true)
      return err(makeProblem("interrupted", root, "The files were not all looked at."));
  }
  return ok(checks);
}

/** What follows from sums that somebody else took, by path: a file without one was not found. */
export function checkSums(
  files: readonly NamedFile[],
  sums: { readonly [path: string]: string },
): readonly FileCheck[] {
  return files.map((file) => {
    const sum = Object.hasOwn(sums, file.path) ? sums[file.path] : undefined;
    const isInside = canonicalPath(file.path).ok;
    if (!isInside) return checked(file, "outside", { reason: "its path leads out of the root" });
    if (sum === undefined || !isFullChecksum(sum))
      return checked(file, "missing", { reason: "no SHA-256 of it is given" });
    return judged(file, sum.slice(-64).toLowerCase());
  });
}

/** The files that fail, as problems: `file-changed`, `file-missing`, `file-outside`. Weak ones do not. */
export function fileProblems(checks: readonly FileCheck[]): readonly Problem[] {
  return checks.flatMap(({ path, state, expected, actual, reason }) =>
    preventsAcceptance(state)
      ? [fileProblem({ path, state, reason }, { expected: expected ?? undefined, received: actual ?? undefined })]
      : [],
  );
}

/** The most failing files that a report names. */
const failedMax = 20;

/** The checks as a report about the document with that digest. */
export function reportOf(digest: string, checks: readonly FileCheck[]): VerifiedFiles {
  const failed = checks.flatMap(({ path, state, reason }) =>
    preventsAcceptance(state) ? [{ path, state, reason }] : [],
  );
  const weak = checks.filter(({ state }) => state === "weak").length;
  return { digest, files: checks.length, weak, failed: failed.slice(0, failedMax) };
}

function judged(file: NamedFile, digest: string | null): FileCheck {
  const actual = digest === null ? null : `sha256:${digest}`;
  const { checksum } = file;
  if (checksum === null) return checked(file, "ok", { actual });
  if (!isFullChecksum(checksum)) return checked(file, "weak", { actual, reason: weakReason });
  return checked(file, checksum.slice(-64).toLowerCase() === digest ? "ok" : "changed", { actual });
}

const weakReason = "its checksum is no SHA-256 of 64 hex digits, so it tells nothing";

function checked(
  { path, checksum }: NamedFile,
  state: FileState,
  { actual = null, reason = null }: { readonly actual?: string | null; readonly reason?: string | null },
): FileCheck {
  return { path, state, expected: checksum, actual, reason };
}

interface Opened {
  readonly descriptor: number;
  readonly size: number;
}

type Unopened = { readonly state: "missing" | "outside"; readonly reason: string | null };

/** The plain file at `path` below `top`, a real path; or why it is not opened. */
function openInside(top: string, path: string): Opened | Unopened {
  const canonical = canonicalPath(path);
  if (!canonical.ok) return { state: "outside", reason: lowerFirst(canonical.error.message.replace(/\.$/, "")) };
  try {
    const real = realpathSync.native(join(top, canonical.value));
    if (!real.startsWith(top.endsWith(sep) ? top : top + sep))
      return { state: "outside", reason: "a symbolic link leads out of the root" };
    // Neither waits for a pipe's other end nor follows a link that was put here in this moment.
    const descriptor = openSync(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    const stat = fstatSync(descriptor);
    if (stat.isFile()) return { descriptor, size: stat.size };
    closeSync(descriptor);
    return { state: "missing", reason: kindOf(stat) };
  } catch (cause) {
    return { state: "missing", reason: missingReasons[codeOf(cause)] ?? null };
  }
}

const missingReasons: Readonly<Record<string, string>> = {
  EACCES: "it may not be read",
  EPERM: "it may not be read",
  ELOOP: "symbolic links lead round in a circle",
  ENAMETOOLONG: "its name is longer than this file system takes",
  ENOTDIR: "a part of its path is no folder",
};

function kindOf(stat: Stats): string {
  return stat.isDirectory() ? "it is a folder" : "it is no plain file";
}

async function digestOf({ descriptor, size }: Opened, piece: Buffer, signal: AbortSignal | undefined): Promise<string> {
  const length = readSync(descriptor, piece, 0, pieceBytes, 0);
  if (length < pieceBytes && length >= size) return hash("sha256", piece.subarray(0, length), "hex");
  const digest = createHash("sha256").update(piece.subarray(0, length));
  for (let at = length, turn = turnBytes; ; turn -= pieceBytes) {
    const more = readSync(descriptor, piece, 0, pieceBytes, at);
    if (more === 0 || (signal?.aborted === true && at < size)) return digest.digest("hex");
    digest.update(piece.subarray(0, more));
    at += more;
    if (turn <= 0) {
      turn = turnBytes;
      await nextTurn();
    }
  }
}

function folderAt(root: string): string | null {
  try {
    const top = realpathSync.native(root);
    return statSync(top).isDirectory() ? top : null;
  } catch {
    // Not there, or not to be entered: no file can be looked at below it.
    return null;
  }
}

function noFolder(root: string): Problem {
  return makeProblem("not-found", root, "There is no such folder to look for the files in.", {
    hint: "Name the repository's root with --root.",
  });
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
}

function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
