/** Power cuts: nothing acknowledged is lost under FULL; the same campaign sees NORMAL lose. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { inLongRun } from "../run-size.ts";
import { journalUnderPowerCuts } from "./journal-power-cuts.ts";
import type { Holding } from "./ledger.ts";
import { cutPower, type PowerCutSubject } from "./power-cuts.ts";
import { chosenSeed } from "./seed.ts";
import { writeLogMissing } from "./write-log.ts";

const skip = writeLogMissing() ?? false;

test("the harness itself: bare SQLite loses nothing under FULL", { skip }, async (context) => {
  const report = await cutPower(bareSqlite("FULL"), { images: inLongRun(300, 120), seed: chosenSeed(11) });
  context.diagnostic(JSON.stringify(report));
  assert.equal(report.wrongImages, 0);
});

test("the harness itself: bare SQLite loses acknowledged rows under NORMAL", { skip }, async (context) => {
  const report = await cutPower(bareSqlite("NORMAL"), { images: 100, seed: chosenSeed(12) });
  context.diagnostic(JSON.stringify(report));
  assert.ok(report.wrongImages > 0, "a campaign that cannot see NORMAL lose proves nothing about FULL");
});

const cuts = inLongRun(2_000, 160);
const traces = inLongRun(5, 1);

test(`${cuts} power cuts lose nothing acknowledged of a journal with durability fsync`, { skip }, async (context) => {
  for (let trace = 0; trace < traces; trace++) {
    const subject = journalUnderPowerCuts({ durability: "fsync", verifyEvery: 20 });
    const report = await cutPower(subject, { images: cuts, seed: chosenSeed(13) + trace });
    context.diagnostic(JSON.stringify(report));
    assert.equal(report.wrongImages, 0, report.examples.join("\n"));
  }
});

test("durability os loses in the same campaign, and verify reports each loss to who presents a receipt", {
  skip,
}, async (context) => {
  const unreported: string[] = [];
  const subject = journalUnderPowerCuts({ durability: "os", verifyEvery: 1, unreported });
  const report = await cutPower(subject, { images: inLongRun(1_000, 80), seed: chosenSeed(14) });
  context.diagnostic(JSON.stringify({ ...report, examples: report.examples.slice(0, 1) }));
  assert.ok(report.wrongImages > 0, "the control: without the sync at each commit something is lost");
  assert.deepEqual(unreported, []);
});

function bareSqlite(synchronous: "FULL" | "NORMAL"): PowerCutSubject {
  const writer = join(import.meta.dirname, "raw-writer.ts");
  return {
    prepare(database) {
      using opened = disposable(database);
      opened.database.exec(
        "PRAGMA journal_mode=WAL; CREATE TABLE entry (seq INTEGER PRIMARY KEY, id TEXT UNIQUE, body TEXT)",
      );
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
    return { entries: rows.map((row) => ({ id: String(row.id), seq: Number(row.seq), hash: "" })), faults: [] };
  } catch (cause) {
    return { entries: [], faults: [String(cause)] };
  }
}

function disposable(path: string): Disposable & { readonly database: DatabaseSync } {
  const database = new DatabaseSync(path, { timeout: 30_000 });
  return { database, [Symbol.dispose]: () => database.close() };
}
