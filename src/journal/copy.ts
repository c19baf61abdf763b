/**
 * A copy of a whole journal in one file of this machine, whatever engine keeps the journal. The copy is a journal in a file
 * with its anchor, so anybody can verify and read it without the engine.
 */
import type { Problem } from "../base/problem.ts";
import type { Result } from "../base/result.ts";
import type { Journal } from "./journal.ts";

/** The media type of a copy. */
export const copyMediaType = "application/vnd.sqlite3";
/** What a copy is, for people. */
export const copyKind = "A SQLite database.";

/**
 * Writes a copy to `file`, an absolute path. It is there whole or not at all. Refuses with `already-exists` where a file
 * is there, with the problems of reading the journal, and with those of writing a new one.
 */
export async function copyJournal<State>(journal: Journal<State>, file: string): Promise<Result<void, Problem>> {
  if (journal.copyTo !== undefined) return await journal.copyTo(file);
  const { copyEntries } = await import("./sqlite/copy.ts");
  return await copyEntries(journal, file);
}
