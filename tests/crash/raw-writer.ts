/**
 * A writer without Baton: plain rows in a WAL database through node:sqlite. It shows that the harness itself works
 * (FULL loses nothing, NORMAL loses) independently of the journal's code.
 *
 * Arguments: database, file of acknowledgements, synchronous (FULL | NORMAL), number of rows.
 */
import { appendFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

const [path = "", acknowledgements = "", synchronous = "FULL", rows = "0"] = process.argv.slice(2);
const database = new DatabaseSync(path, { timeout: 30_000 });
database.exec(`PRAGMA synchronous=${synchronous}`);
const insert = database.prepare("INSERT INTO entry (id, body) VALUES (?, ?)");
for (let row = 0; row < Number(rows); row++) {
  const id = `${process.pid}-${row}`;
  database.exec("BEGIN IMMEDIATE");
  insert.run(id, "x".repeat((row * 97) % 3_000));
  database.exec("COMMIT");
  appendFileSync(acknowledgements, `${JSON.stringify({ id })}\n`);
}
database.close();
