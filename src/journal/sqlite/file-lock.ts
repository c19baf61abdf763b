/**
 * A lock between processes of this machine. SQLite takes it as it locks a database, by the means of each system, and the
 * system frees it when its holder ends, however that happens. Nothing is ever in the file.
 */
import { DatabaseSync } from "node:sqlite";
import { notRegular, reasonOf } from "../../base/plain-file.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { isBusy } from "./sqlite-errors.ts";

/** Takes the lock at `path`, without waiting; null: somebody has it. Refuses with the reason what cannot be locked. */
export function takeSqliteLock(path: string): Result<Disposable | null, string> {
  let db: DatabaseSync | null = null;
  try {
    const reason = notRegular(path);
    if (reason !== null) return err(reason);
    const taken = new DatabaseSync(path, { timeout: 0 });
    db = taken;
    // Else an empty file would lie next to it.
    taken.exec("PRAGMA journal_mode = MEMORY");
    taken.exec("BEGIN EXCLUSIVE");
    db = null;
    return ok({ [Symbol.dispose]: () => taken.close() });
  } catch (cause) {
    return isBusy(cause) ? ok(null) : err(reasonOf(cause));
  } finally {
    db?.close();
  }
}
