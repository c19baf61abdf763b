import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { attempt, must, mustRecord, type Tally, tally, team } from "../../../tests/journal/journal-subject.ts";
import { nextTurn } from "../../base/clock.ts";
import type { Attempt, Journal, Projection } from "../journal.ts";
import { openSqliteJournal } from "./open.ts";

const alpha = team("alpha");
const beta = team("beta");

function scratch(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "baton-ids-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "journal.db");
}

async function open(file: string, projection: Projection<Tally> = tally) {
  return must(await openSqliteJournal(file, projection));
}

/** Records entries `m-FIRST` to `m-(END - 1)`; when it resolves, a snapshot that became overdue is taken. */
async function fill(journal: Journal<Tally>, first: number, end: number, of = alpha): Promise<void> {
  const ids = Array.from({ length: end - first }, (_, index) => `m-${first + index}`);
  for (const done of await Promise.all(ids.map((id) => journal.commit(of, attempt({ id }))))) mustRecord(done);
  must(await journal.commit(of, { once: null, decide: () => ({ decline: [] }) })); // Waits its turn behind a snapshot.
}

function ask(file: string, question: string): unknown {
  const database = new DatabaseSync(file, { readOnly: true });
  const answer = Object.values(database.prepare(question).get() ?? {})[0];
  database.close();
  return answer;
}

const boundary = (file: string) => Number(ask(file, "SELECT seq FROM indexed WHERE team = 1"));
const rows = (file: string) => Number(ask(file, "SELECT count(*) FROM once"));

/** Resolves once the snapshot that is due in a quiet moment has taken the ids over up to `seq`. */
async function indexedUpTo(file: string, seq: number): Promise<void> {
  while (!(boundary(file) >= seq)) await nextTurn();
}

/** Every id from `m-0` to `m-(end - 1)` is a duplicate, a conflict under another digest, and found. */
async function checkHeld(journal: Journal<Tally>, end: number, step = 97): Promise<void> {
  for (let index = 0; index < end; index += step) {
    const id = `m-${index}`;
    const again = must(await journal.commit(alpha, attempt({ id })));
    assert.deepEqual([again.outcome, again.outcome === "duplicate" && again.receipt.seq], ["duplicate", index + 1]);
    const earlier: (number | null)[] = [];
    const conflict: Attempt<Tally> = {
      once: { principal: "dev-1", id, digest: "another" },
      decide(_state, moment) {
        earlier.push(moment.earlier?.seq ?? null);
        return { decline: [] };
      },
    };
    must(await journal.commit(alpha, conflict));
    assert.deepEqual(earlier, [index + 1]);
    assert.equal(must(await journal.find(alpha, id))[0]?.seq, index + 1);
  }
  assert.deepEqual(must(await journal.find(alpha, "m-nobody")), []);
  assert.deepEqual(must(await journal.find(beta, "m-0")), []);
}

test("ids are taken over with a snapshot, and hold before, behind and across the boundary, also after opening", async (t) => {
  const file = scratch(t);
  const journal = await open(file);
  await fill(journal, 0, 900);
  assert.equal(rows(file), 0, "no commit touches the table");
  await checkHeld(journal, 900);
  await fill(journal, 900, 1_700);
  await indexedUpTo(file, 1_700);
  await fill(journal, 1_700, 1_900);
  assert.equal(rows(file), 1_700);
  await checkHeld(journal, 1_900);
  assert.ok((await journal.verify()).ok);
  await journal.close();
  const again = await open(file);
  await checkHeld(again, 1_900);
  await again.close();
});

test("a snapshot that is due does not wait for ever, and is taken at the latest on closing", async (t) => {
  const file = scratch(t);
  const journal = await open(file);
  await fill(journal, 0, 4_300);
  assert.ok(boundary(file) >= 1_000, "taken in the midst of commits");
  await fill(journal, 4_300, 5_600);
  await journal.close();
  assert.equal(boundary(file), 5_600);
  assert.equal(ask(file, "SELECT seq FROM snapshot WHERE team = 1"), 5_600);
});

test("what one process indexes, another that folded it still finds, and takes no id twice", async (t) => {
  const file = scratch(t);
  const first = await open(file);
  await fill(first, 0, 500);
  const other = await open(file);
  await checkHeld(other, 500);
  await fill(first, 500, 3_000);
  await checkHeld(other, 3_000);
  await fill(other, 3_000, 6_000);
  await checkHeld(first, 6_000);
  assert.deepEqual((await first.verify()).problems, []);
  assert.equal(rows(file), boundary(file));
  await first.close();
  await other.close();
});

test("a program with another projection, or one that only reads, finds the same ids", async (t) => {
  const file = scratch(t);
  const journal = await open(file);
  await fill(journal, 0, 1_500);
  await journal.close();
  const later = await open(file, { ...tally, version: "tally-2" });
  await checkHeld(later, 1_500);
  await fill(later, 1_500, 3_100);
  assert.deepEqual((await later.verify()).problems, []);
  await later.close();
  const earlier = await open(file);
  await checkHeld(earlier, 3_100);
  await earlier.close();
  const reader = must(await openSqliteJournal(file, tally, { readOnly: true }));
  assert.equal(must(await reader.find(alpha, "m-3"))[0]?.seq, 4);
  assert.equal(must(await reader.find(alpha, "m-3099"))[0]?.seq, 3_100);
  await reader.close();
});

test("every holder of an id is found at any place, and refusals hold none", async (t) => {
  const file = scratch(t);
  const journal = await open(file);
  mustRecord(await journal.commit(alpha, attempt({ agent: "qa-1", id: "shared" })));
  await fill(journal, 0, 1_200);
  await indexedUpTo(file, 1_000);
  assert.equal(must(await journal.find(alpha, "shared"))[0]?.seq, 1);
  const second = mustRecord(await journal.commit(alpha, attempt({ agent: "qa-2", id: "shared" })));
  assert.equal(
    mustRecord(await journal.commit(alpha, attempt({ agent: "qa-1", id: "shared", content: {} }))).kind,
    "refusal",
  );
  assert.deepEqual(
    must(await journal.find(alpha, "shared")).map(({ seq }) => seq),
    [second.seq, 1],
    "one in the table, one in the fold",
  );
  const again = must(await journal.commit(alpha, attempt({ agent: "qa-1", id: "shared" })));
  assert.equal(again.outcome === "duplicate" && again.receipt.seq, 1);
  await journal.close();
});

test("a second team's ids are its own", async (t) => {
  const file = scratch(t);
  const journal = await open(file);
  await fill(journal, 0, 1_100);
  await fill(journal, 0, 1_100, beta);
  assert.equal(must(await journal.find(beta, "m-7"))[0]?.team, beta);
  assert.deepEqual((await journal.verify()).problems, []);
  await journal.close();
});

test("every change of the index is reported; a changed boundary and a row that names another entry stop writing", async (t) => {
  const file = scratch(t);
  const journal = await open(file);
  await fill(journal, 0, 1_300);
  await journal.close();
  const stops = [
    "UPDATE indexed SET seq = seq - 1",
    "UPDATE indexed SET seq = 10000",
    "UPDATE indexed SET hash = 'g' || substr(hash, 2)",
    "UPDATE indexed SET checksum = 'x'",
    "UPDATE indexed SET team = 2",
    "DELETE FROM indexed",
    "UPDATE once SET seq = seq + 1 WHERE key = '1 m-5 dev-1'",
    "UPDATE once SET seq = 99999 WHERE key = '1 m-5 dev-1'",
  ];
  const others = [
    "DELETE FROM once WHERE seq = 2",
    "DELETE FROM once",
    "UPDATE once SET key = key || 'x' WHERE seq = 2",
    "UPDATE once SET key = '2' || substr(key, 2) WHERE seq = 2",
    "INSERT INTO once (key, seq) VALUES ('1 m-9999 dev-1', 3)",
    "INSERT INTO once (key, seq) VALUES ('1 m-9999 dev-1', 9999)",
    "INSERT INTO once (key, seq) VALUES ('7 m-1 dev-1', 2)",
    "INSERT INTO indexed (team, seq, hash, checksum) VALUES (7, 3, '', '')",
  ];
  for (const change of [...stops, ...others]) {
    const copy = `${file}.copy`;
    copyFileSync(file, copy);
    const vandal = new DatabaseSync(copy);
    assert.equal(vandal.prepare(change).run().changes > 0, true, change);
    vandal.close();
    const careful = await open(copy);
    if (stops.includes(change)) {
      assert.equal(must(await careful.state(alpha)).state.count, 1_300, change);
      const refused = await careful.commit(alpha, attempt({ id: "m-5" }));
      assert.equal(!refused.ok && refused.error.code, "journal-corrupt", change);
    }
    assert.equal((await careful.verify()).ok, false, change);
    await careful.close();
  }
});

test("an index that went back under an open journal stops writing", async (t) => {
  const file = scratch(t);
  const journal = await open(file);
  await fill(journal, 0, 1_300);
  await indexedUpTo(file, 1_000);
  const vandal = new DatabaseSync(file);
  vandal.exec("DELETE FROM indexed; DELETE FROM once");
  vandal.close();
  const refused = await journal.commit(alpha, attempt({ id: "m-1" }));
  assert.equal(!refused.ok && refused.error.code, "journal-corrupt");
  await journal.close();
});
