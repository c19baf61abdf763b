/**
 * What stays where a journal was: a small database of our own in a form that no Baton writes, so that an older Baton refuses
 * it as newer instead of starting an empty journal, and this one says where the journal went. It holds words for people,
 * never a path that a program would follow: a commit could bring such a file.
 */
import { renameSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { applicationId, movedForm } from "../migrate.ts";

/** Puts the stub in the place of the journal at `path`, at once and as a whole. Throws errors of SQLite and the system. */
export function putStub(path: string): void {
  const draft = `${path}.moved-${process.pid}`;
  try {
    rmSync(draft, { force: true });
    const db = new DatabaseSync(draft);
    try {
      // Nobody else knows the draft, and what is half written is never used.
      db.exec("PRAGMA journal_mode = MEMORY");
      db.exec("BEGIN");
      db.exec("CREATE TABLE moved (note TEXT)");
      db.prepare("INSERT INTO moved VALUES (?)").run(
        "Baton's journal has moved, usually to the folder baton of the repository's git folder. A newer Baton finds it there.",
      );
      db.exec(`PRAGMA application_id = ${applicationId}`);
      db.exec(`PRAGMA user_version = ${movedForm}`);
      db.exec("COMMIT");
    } finally {
      db.close();
    }
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}
