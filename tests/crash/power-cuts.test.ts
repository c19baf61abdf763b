/** Power cuts: nothing acknowledged is lost under FULL; the same campaign sees NORMAL lose. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { Holding } from "./ledger.ts";
import { cutPower, type PowerCutSubject } from "./power-cuts.ts";
import { chosenSeed } from "./seed.ts";
import { writeLogMissing } from "./write-log.ts";

const skip = writeLogMissing() ?? false;

test("the harness itself: bare SQLite loses nothing under FULL", { skip }, async (context) => {
  const report = await cutPower(bareSqlite("FULL"), { images: 300, seed: chosenSeed(11) });
  context.diagnostic(JSON.stringify(report));
  assert.equal(report.wrongImages, 0);
});

test("the harness itself: bare SQLite loses acknowledged rows under NORMAL", { skip }, async (context) => {
  const report = await cutPower(bareSqlite("NORMAL"), { images: 100, seed: chosenSeed(12) });
  context.diagnostic(JSON.stringify(report));
  assert.ok(report.wrongImages > 0, "a campaign that cannot see NORMAL lose proves nothing about FULL");
});

function bareSqlite(synchronous: "FULL" | "NORMAL"): PowerCutSubject {
  const writer = join(import.meta.dirname, "raw-writer.ts");
  return {
    prepare(database) {
      using opened = disposable(database);
      opened.database.exec("PRAGMA journal_mode=WAL; CREATE TABLE entry (seq INTEGER PRIMARY KEY, id TEXT UNIQUE, body TEXT)");
    },
    stages(database, acknowledgements) {
      const program = [writer, database, acknowledgements, synchronous, "120"];
      return [[program, program], [program]];
    },
    inspect: readRows,
  };
}

function readRows(path: string): Holding {
  using opened = disposable(path);
  try {
    const rows = opened.database.prepare("SELECT seq, id FROM entry ORDER BY seq").all();
    return { entries: rows.map((row) => ({ id: String(row["id"]), seq: Number(row["seq"]), hash: "" })), faults: [] };
  } catch (cause) {
    return { entries: [], faults: [String(cause)] };
  }
}

function disposable(path: string): Disposable & { readonly database: DatabaseSync } {
  const database = new DatabaseSync(path, { timeout: 30_000 });
  return { database, [Symbol.dispose]: () => database.close() };
}
