/**
 * Where a journal may lie: one real file, under one name, on a file system of this machine. Two names for one file,
 * or locks that a network forgets, would let two writers believe they are alone.
 * Nothing here opens the file: closing any descriptor of it would drop the locks that a connection holds.
 * Source: docs/protocol/record.md, section 13.
 */
import { lstatSync, realpathSync, type Stats, statfsSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { notRegular } from "../../../base/plain-file.ts";
import { makeProblem, type Problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { cannotOpenProblem } from "../sqlite-errors.ts";

/** The type number of the file system that holds `path`, as statfs(2) gives it. */
export type FileSystemType = (path: string) => number;

/** Asks the system. */
export const systemFileSystemType: FileSystemType = (path) => statfsSync(path).type;

/** statfs(2) types whose locks or syncs reach over a network or through another program. */
export const networkFileSystems: ReadonlyMap<number, string> = new Map([
  [0x6969, "nfs"],
  [0x517b, "smb"],
  [0xff534d42, "cifs"],
  [0xfe534d42, "smb2"],
  [0x01021997, "9p"],
  [0x65735546, "fuse"],
  [0x5346414f, "afs"],
  [0x6b414653, "afs"],
  [0x73757245, "coda"],
  [0x00c36400, "ceph"],
  [0x564c, "ncp"],
  [0x0bd00bd0, "lustre"],
  [0x47504653, "gpfs"],
  [0x01161970, "gfs2"],
  [0x7461636f, "ocfs2"],
  [0x786f4256, "vboxsf"],
  [0xbacbacbc, "vmhgfs"],
]);

/** A place that may hold a journal. */
export interface JournalPlace {
  /** The file's one real path; its companions (`-wal`, `-shm`, `.head`) are next to it. */
  readonly path: string;
  readonly exists: boolean;
}

/** The real place behind `path`, or why no journal may be there. */
export function resolvePlace(path: string, fileSystemType: FileSystemType): Result<JournalPlace, Problem> {
  const located = locate(resolve(path));
  if (!located.ok) return located;
  const place = located.value;
  const facts = place.exists ? statOrNull(place.path) : null;
  if (facts !== null && !facts.isFile()) {
    return err(
      makeProblem("journal-not-database", place.path, "This is not a file.", { hint: "Name a file for the journal." }),
    );
  }
  if (facts !== null && facts.nlink > 1) {
    return err(
      makeProblem(
        "journal-linked",
        place.path,
        `This file has ${facts.nlink} names (hard links), so two writers could miss each other.`,
        {
          hint: "Keep one name: copy the journal with `baton journal backup` and remove the other links.",
        },
      ),
    );
  }
  // JavaScript gets the type as a signed number on some systems; compared as unsigned 32 bits.
  const network = networkFileSystems.get(fileSystemType(dirname(place.path)) >>> 0);
  if (network !== undefined) {
    return err(
      makeProblem(
        "journal-network-file-system",
        place.path,
        `This folder is on a network or foreign file system (${network}), whose locks cannot be trusted.`,
        {
          received: network,
          hint: "Put the journal on a local disk, or share it through a hub (`baton up`).",
        },
      ),
    );
  }
  const foreign = foreignCompanion(place.path);
  return foreign === null ? ok(place) : err(foreign);
}

/** SQLite opens its companions by name: a pipe would hang it, a link or a device would be written to. */
function foreignCompanion(path: string): Problem | null {
  for (const companion of ["-wal", "-shm", "-journal"].map((ending) => `${path}${ending}`)) {
    const reason = notRegular(companion);
    if (reason !== null) return notOurs(companion, reason);
  }
  return null;
}

function notOurs(path: string, reason: string): Problem {
  return makeProblem("journal-cannot-open", path, `This file next to the journal cannot be used: ${reason}.`, {
    received: reason,
    hint: "Baton did not create it: look where it comes from (git log shows whether a commit brought it), and remove it.",
  });
}

function statOrNull(path: string): Stats | null {
  return statSync(path, { throwIfNoEntry: false }) ?? null;
}

/** Follows symbolic links of the file, or of the folder where the file is still to be made. */
function locate(path: string): Result<JournalPlace, Problem> {
  try {
    if (statOrNull(path) !== null) return ok({ path: realpathSync(path), exists: true });
    const made = lstatSync(path, { throwIfNoEntry: false });
    // A link that leads nowhere would choose where a new journal is created.
    if (made?.isSymbolicLink() === true) return err(notOurs(path, "it is a link that leads nowhere"));
    // What is here now and is no link was made since by another process that opens the same journal.
    return ok({ path: join(realpathSync(dirname(path)), basename(path)), exists: made !== undefined });
  } catch (error) {
    return err(cannotOpenProblem(path, error instanceof Error ? error.message : String(error)));
  }
}
