/** Whether anything was written to a journal, without opening it. */
import { DatabaseSync } from "node:sqlite";
import { blockingMsMax } from "./connection.ts";
import { isSqliteError } from "./sqlite-errors.ts";

/**
 * Asks whether something was committed to the journal since the last look that found so; the first finds it. `signal` ends
 * the watch. SQLite's own count of commits says it: it writes a commit to its log before others see it, and nothing
 * afterwards, so the times of the files do not.
 */
export function watchCommits(path: string, signal: AbortSignal): () => boolean {
  let db: DatabaseSync | null = null;
  let seen: unknown = null;
  signal.addEventListener("abort", () => void (db?.isOpen === true && db.close()), { once: true });
  return () => {
    if (signal.aborted) return false;
    try {
      db ??= new DatabaseSync(path, { readOnly: true, timeout: blockingMsMax });
      const version = db.prepare("PRAGMA data_version").get()?.data_version;
      const isNew = version !== seen;
      seen = version;
      return isNew;
    } catch (error) {
      // Busy or away for a moment: a later look finds what this one did not.
      if (isSqliteError(error)) return false;
      throw error;
    }
  };
}
