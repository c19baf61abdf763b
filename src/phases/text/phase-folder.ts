/** Writing the folders of phases: each file once, nothing overwritten, nothing through a link. */
import { closeSync, lstatSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { PhaseRow } from "../services/phase-rows.ts";

type Rows = AsyncIterable<Result<PhaseRow, Problem>>;

/**
 * Writes rows below `folder`, which may exist; `rows` is asked twice, so that no existing file is written to. Answers
 * with how many rows each file got. Refuses `already-exists`, and `invalid-path` a link where a folder should be.
 */
export async function writePhases(
  folder: string,
  rows: () => Rows,
): Promise<Result<ReadonlyMap<string, number>, Problem>> {
  const planned = new Set<string>();
  for await (const row of rows()) {
    if (!row.ok) return row;
    planned.add(row.value.file);
  }
  for (const file of planned) {
    const problem = problemOf(folder, file);
    if (problem !== null) return err(problem);
  }
  return await writeRows(folder, rows());
}

async function writeRows(folder: string, rows: Rows): Promise<Result<ReadonlyMap<string, number>, Problem>> {
  const written = new Map<string, number>();
  const file = openFile();
  try {
    for await (const row of rows) {
      if (!row.ok) return row;
      const count = written.get(row.value.file) ?? 0;
      file.write(join(folder, row.value.file), row.value.line, count === 0);
      written.set(row.value.file, count + 1);
    }
    return ok(written);
  } catch (cause) {
    if (!(cause instanceof Error && "syscall" in cause)) throw cause;
    return err(cannotWrite(folder, cause));
  } finally {
    file.close();
  }
}

/** The one file that is open; the rows of a file mostly come together. */
function openFile() {
  let current: { readonly path: string; readonly handle: number } | null = null;
  const close = () => {
    if (current !== null) closeSync(current.handle);
    current = null;
  };
  return {
    close,
    /** Adds a line. A new file must not exist, not even as a link. */
    write(path: string, line: string, isNew: boolean): void {
      if (current?.path !== path) {
        close();
        makeFolder(dirname(path));
        current = { path, handle: openSync(path, isNew ? "wx" : "a", 0o644) };
      }
      writeSync(current.handle, `${line}\n`);
    },
  };
}

/** Makes a folder and those above it. Node's own way never ends where a file system takes no folders, as below `/proc`. */
function makeFolder(folder: string): void {
  if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  mkdirSync(folder);
}

function problemOf(folder: string, file: string): Problem | null {
  try {
    return existingProblem(folder, file);
  } catch (cause) {
    if (!(cause instanceof Error && "syscall" in cause)) throw cause;
    return cannotWrite(folder, cause);
  }
}

function existingProblem(folder: string, file: string): Problem | null {
  const path = join(folder, file);
  const phase = lstatSync(dirname(path), { throwIfNoEntry: false });
  if (phase !== undefined && !phase.isDirectory()) {
    return makeProblem(
      "invalid-path",
      dirname(path),
      "Here should be a folder of a phase, and something else is here.",
      {
        hint: "write into another folder",
      },
    );
  }
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return null;
  return makeProblem("already-exists", path, "There is a file already; nothing was written.", {
    hint: "write into another folder with --out, and compare",
  });
}

function cannotWrite(folder: string, cause: Error): Problem {
  const reason = "code" in cause ? String(cause.code) : String(cause);
  return makeProblem("not-found", folder, `The folders cannot be written (${reason}).`, {
    hint: "write where you may, into an empty folder",
  });
}
