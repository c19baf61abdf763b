/**
 * The note next to a backup of a journal: as long as it is there, the copy is read and nothing is recorded in it, for
 * what is written there is missing in the journal that goes on. To make the copy a journal, remove the note. Rule:
 * docs/protocol/state-folder.md, section 4.
 */
import { lstatSync, rmSync, writeFileSync } from "node:fs";
import { type Problem, problem } from "../base/problem.ts";

/** The note of a backup in `file`. */
export function backupNote(file: string): string {
  return `${file}.backup`;
}

/** Notes that `file` is a backup that was just written. One of an earlier backup there is replaced. */
export function noteBackup(file: string): Problem | null {
  const note = backupNote(file);
  try {
    rmSync(note, { force: true });
    // A link that is there by now is not followed.
    writeFileSync(note, "Baton: this journal is a backup. Remove this file to record in it.\n", { flag: "wx" });
    return null;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return problem("journal-cannot-open", note, `The backup is whole, but not marked as one: ${reason}.`, {
      hint: "Do not record in it while the journal that it was made from goes on.",
    });
  }
}

/** Why nothing may be recorded in the journal `file`: it is a backup. Null: it is none. */
export function backupProblem(file: string): Problem | null {
  const note = backupNote(file);
  if (lstatSync(note, { throwIfNoEntry: false }) === undefined) return null;
  return problem("journal-copied", file, "This journal is a backup. It can be read; nothing is recorded.", {
    hint: `Record in the journal that it was made from; remove ${note} where that is gone, and this one goes on`,
  });
}
