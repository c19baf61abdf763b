/** The folders in which the demo works: a scratch folder that goes with it, or the one that its caller keeps. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { makeProblem, type Problem } from "../src/base/problem.ts";
import { err, ok, type Result } from "../src/base/result.ts";

/** A folder of the stage; `remove` does nothing to one that is kept. */
export interface Folder {
  readonly directory: string;
  remove(): void;
}

/** The folder that the caller named with `keep`, or a scratch folder. Refuses `already-exists` and what the system does. */
export function folderFor({
  keep,
  directory,
}: {
  readonly keep: string | null;
  readonly directory: string;
}): Result<Folder, Problem> {
  return keep === null ? scratchFolder() : keptFolder(resolve(directory, keep));
}

/** A new folder for temporary files. */
function scratchFolder(): Result<Folder, Problem> {
  try {
    const made = realpathSync(mkdtempSync(join(tmpdir(), "baton-demo-")));
    return ok({ directory: made, remove: () => rmSync(made, { recursive: true, force: true, maxRetries: 5 }) });
  } catch (problem) {
    const reason = problem instanceof Error ? problem.message : String(problem);
    const hint = "Point TMPDIR to a folder where you may write, or name one with --keep.";
    return err(makeProblem("journal-cannot-open", tmpdir(), `No scratch folder can be made (${reason}).`, { hint }));
  }
}

function keptFolder(wanted: string): Result<Folder, Problem> {
  try {
    if (existsSync(wanted) && readdirSync(wanted).length > 0) return err(inUse(wanted, "This folder holds something."));
    mkdirSync(wanted, { recursive: true });
    return ok({ directory: realpathSync(wanted), remove: () => undefined });
  } catch (problem) {
    const reason = problem instanceof Error ? problem.message : String(problem);
    return err(inUse(wanted, `This folder cannot be used (${reason}).`));
  }
}

function inUse(path: string, message: string): Problem {
  return makeProblem("already-exists", path, message, { hint: "Name a folder that is empty or not there yet." });
}
