/**
 * The copy of a journal of any engine: its entries restored into a new journal in a file, with the marks and heartbeats
 * that are kept next to them. The copy gets its name when it is complete.
 */
import { renameSync, rmSync } from "node:fs";
import { reasonOf } from "../../base/plain-file.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { anchorPath } from "../anchor-file.ts";
import { copyTeams, unfolded } from "../copy-teams.ts";
import type { Journal } from "../journal.ts";
import { takenProblem } from "./files/backup.ts";
import { openSqliteJournal } from "./open.ts";
import { cannotOpenProblem } from "./sqlite-errors.ts";

/** Copies everything of `source` to `file`. Problems as of `copyJournal`. */
export async function copyIntoFile<State>(source: Journal<State>, file: string): Promise<Result<void, Problem>> {
  const taken = takenProblem(file);
  if (taken !== null) return err(taken);
  const draft = `${file}.part`;
  removeDraft(draft);
  try {
    const opened = await openSqliteJournal(draft, unfolded);
    if (!opened.ok) return opened;
    const copied = await copyTeams(source, opened.value);
    // Closing takes the log into the file and moves the anchor to the head.
    await opened.value.close();
    if (!copied.ok) return copied;
    renameSync(anchorPath(draft), anchorPath(file));
    renameSync(draft, file);
    return ok(undefined);
  } catch (cause) {
    if (!(cause instanceof Error && "syscall" in cause)) throw cause;
    return err(cannotOpenProblem(file, reasonOf(cause)));
  } finally {
    removeDraft(draft);
  }
}

function removeDraft(draft: string): void {
  for (const path of [draft, `${draft}-wal`, `${draft}-shm`, anchorPath(draft)]) rmSync(path, { force: true });
}
