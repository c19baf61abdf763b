/**
 * The yardstick of everything durable: what SQLite alone takes for BEGIN IMMEDIATE, one row of 700 bytes with the
 * sequence as key and one unique index, COMMIT, with WAL and synchronous FULL; and the same with many rows a commit.
 */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export interface RawInsert extends Disposable {
  /** Inserts `commits` times `rowsPerCommit` rows. */
  insert(commits: number, rowsPerCommit: number): void;
}

/** Opens an empty database in `folder`. */
export function openRawInsert(folder: string): RawInsert {
  const database = new DatabaseSync(join(folder, "raw.db"), { timeout: 30_000 });
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
  database.exec("CREATE TABLE row (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, body BLOB NOT NULL)");
  const statement = database.prepare("INSERT INTO row (seq, id, body) VALUES (?, ?, ?)");
  const body = Buffer.alloc(700, "b");
  let seq = 0;
  return {
    insert(commits, rowsPerCommit) {
      for (let commit = 0; commit < commits; commit++) {
        database.exec("BEGIN IMMEDIATE");
        for (let row = 0; row < rowsPerCommit; row++) {
          seq += 1;
          // A scattered key, as ids are.
          statement.run(seq, `${((seq * 2_654_435_761) % 4_294_967_296).toString(16)}-${seq}`, body);
        }
        database.exec("COMMIT");
      }
    },
    [Symbol.dispose]: () => database.close(),
  };
}
