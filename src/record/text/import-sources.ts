/**
 * What `journal import` reads: files, and folders whose files it knows by their names. A folder is read as deep as
 * phase folders go and no further; what in it is a link, no plain file or oddly named is reported and not followed.
 */
import { lstatSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { unreadable } from "../../doors/cli/kernel/input.ts";
import { isPhaseName } from "../../perform/restoring.ts";

/** A file to be read. */
export interface ImportFile {
  readonly path: string;
  /** A pipe: what was read is gone. */
  readonly isOnce?: true;
  /** As people know it: the path, or `-`. */
  readonly shown: string;
  /** Where it is one of a phase folder: `01-auth/critique.jsonl`. */
  readonly phaseFile?: string;
}

/** Most files of one import. */
const filesMax = 10_000;

/** The files that `path` means, in order. Refuses `not-found`, and `invalid-path` what may not be read in a folder. */
export function importFiles(path: string): Result<readonly ImportFile[], Problem> {
  try {
    const facts = statSync(path);
    if (!facts.isDirectory()) return ok([{ path, shown: path, ...(facts.isFile() ? {} : { isOnce: true as const }) }]);
    const folder = basename(path) === "." || basename(path) === ".." ? "phase" : basename(path);
    const found = filesIn(path, folder, 0);
    if (!found.ok || found.value.length > 0) return found;
    return err(
      makeProblem("not-found", path, "There is nothing in this folder that can be imported.", {
        expected: "*.jsonl of a phase, folders of phases, or inboxes (*.json)",
      }),
    );
  } catch (cause) {
    if (!(cause instanceof Error && "syscall" in cause)) throw cause;
    return err(unreadable(path, cause));
  }
}

/** `depth` 0: the folder that was named, which may hold phases instead of being one. */
function filesIn(folder: string, phase: string, depth: 0 | 1): Result<readonly ImportFile[], Problem> {
  const found: ImportFile[] = [];
  for (const name of readdirSync(folder).toSorted()) {
    const path = join(folder, name);
    const facts = lstatSync(path);
    const isPhase = depth === 0 && facts.isDirectory() && isPhaseName(name);
    const isRows = name.endsWith(".jsonl");
    const isInbox = depth === 0 && name.endsWith(".json");
    if (!isRows && !isInbox && !isPhase) continue;
    if (!isPhase && !facts.isFile()) return err(notPlain(path));
    if (!isPhaseName(name) || !isPhaseName(phase)) return err(oddName(path));
    if (isPhase) {
      const inside = filesIn(path, name, 1);
      if (!inside.ok) return inside;
      found.push(...inside.value);
    } else found.push({ path, shown: path, ...(isRows ? { phaseFile: `${phase}/${name}` } : {}) });
    if (found.length > filesMax) return err(tooMany(folder));
  }
  return ok(found);
}

function notPlain(path: string): Problem {
  return makeProblem("invalid-path", path, "This is a link or no plain file; in a folder only plain files are read.", {
    hint: "name the file itself, or move it out of the folder",
  });
}

function oddName(path: string): Problem {
  return makeProblem("invalid-path", path, "This name cannot be kept as a phase's or a file's.", {
    expected: "a letter or digit, then at most 127 of A-Z a-z 0-9 . _ -",
    hint: "rename it",
  });
}

function tooMany(path: string): Problem {
  return makeProblem("too-large", path, `There are more than ${filesMax} files in this folder.`, {
    hint: "import its folders one by one",
  });
}
