import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { attempt, must, mustRecord, tally, team } from "../../../tests/journal/journal-subject.ts";
import { steadyNow, systemClock } from "../../base/clock.ts";
import { anchorClock, clockOf, isAnchored, type Start, startOfMachine } from "./machine-clock.ts";
import { openSqliteJournal } from "./open.ts";

const hourMs = 3_600_000;
const knowsStarts = existsSync("/proc/sys/kernel/random/boot_id");

function scratch(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "baton-clock-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "journal.db");
}

/** A journal's file with one entry, opened next to it. */
async function fileWith(t: TestContext, recordedMs: number): Promise<DatabaseSync> {
  const file = scratch(t);
  const clock = { ...systemClock, now: () => recordedMs };
  const journal = must(await openSqliteJournal(file, tally, { clock }));
  mustRecord(await journal.commit(team("alpha"), attempt()));
  await journal.close();
  const db = new DatabaseSync(file);
  t.after(() => db.close());
  db.exec("DELETE FROM machine_clock");
  return db;
}

function start(id: string, sinceMs: number): Start {
  return { id, sinceMs: () => sinceMs };
}

function keptIn(db: DatabaseSync) {
  return { ...db.prepare("SELECT start, zero, ahead FROM machine_clock").get() };
}

test("each journal that is opened on this machine reads the same time, which passes as this machine's does", async (t) => {
  const file = scratch(t);
  const one = must(await openSqliteJournal(file, tally));
  const other = must(await openSqliteJournal(file, tally));
  const [before, between, after] = [steadyNow(one.clock), steadyNow(other.clock), steadyNow(one.clock)];
  assert.ok(before <= between && between <= after, `${before}, ${between}, ${after}`);
  await one.close();
  await other.close();
});

test("a start is put on the calendar once, by the wall clock, and never again in its time", async (t) => {
  const db = await fileWith(t, 5_000);
  anchorClock(db, start("a", 1_000), 10_000);
  assert.deepEqual(keptIn(db), { start: "a", zero: 9_000, ahead: 0 });
  anchorClock(db, start("a", 2_000), 10_000 + hourMs);
  assert.deepEqual(keptIn(db), { start: "a", zero: 9_000, ahead: 0 }, "the wall clock was set; the machine's was not");
});

/** How far the wall clock was ahead before a restart, what it shows after it, and what is then taken for the time. */
const restarts: readonly (readonly [string, aheadMs: number, wallMs: number, nowMs: number])[] = [
  ["a wall clock that was right", 0, 60_000, 60_000],
  ["one that was an hour ahead, and still is", hourMs, 60_000 + hourMs, 60_000],
  ["one that was ten years ahead, and was put right", 87_600 * hourMs, 60_000, 50_000],
  ["one that was an hour behind, and was put right", -hourMs, 60_000, 60_000],
  ["one that is set back by an hour", 0, 60_000 - hourMs, 50_000],
];

for (const [name, aheadMs, wallMs, nowMs] of restarts) {
  test(`after a restart the time is late, never early, and not before what is recorded: ${name}`, async (t) => {
    const db = await fileWith(t, 50_000);
    anchorClock(db, start("a", 1_000), 50_000);
    db.prepare("UPDATE machine_clock SET ahead = ?").run(aheadMs);
    anchorClock(db, start("b", 400), wallMs);
    assert.deepEqual(keptIn(db), { start: "b", zero: nowMs - 400, ahead: wallMs - nowMs });
  });
}

test("what is damaged in the file is put on the calendar again", { skip: !knowsStarts && "no boot id" }, async (t) => {
  const file = scratch(t);
  await must(await openSqliteJournal(file, tally)).close();
  const db = new DatabaseSync(file);
  db.exec("UPDATE machine_clock SET zero = 'soon'");
  assert.equal(isAnchored(db, startOfMachine()), false);
  db.close();
  const journal = must(await openSqliteJournal(file, tally));
  assert.ok(Math.abs(steadyNow(journal.clock) - systemClock.now()) < hourMs);
  await journal.close();
});

test("a system that names no start counts within the process", async (t) => {
  const db = await fileWith(t, 5_000);
  assert.equal(startOfMachine("/nowhere"), null);
  anchorClock(db, null);
  assert.deepEqual(keptIn(db), {});
  const clock = clockOf(db, null);
  assert.ok(Math.abs(steadyNow(clock) - systemClock.now()) < hourMs);
});

test("an entry says how far the wall clock is ahead, and the file remembers it", async (t) => {
  const file = scratch(t);
  const first = must(await openSqliteJournal(file, tally));
  const plain = mustRecord(await first.commit(team("alpha"), attempt()));
  assert.equal(Object.hasOwn(plain, "aheadMs"), false);
  await first.close();
  const db = new DatabaseSync(file);
  db.exec(`UPDATE machine_clock SET zero = zero - ${hourMs}`);
  const journal = must(await openSqliteJournal(file, tally));
  const entry = mustRecord(await journal.commit(team("alpha"), attempt()));
  const ahead = entry.aheadMs ?? 0;
  assert.ok(Math.abs(ahead - hourMs) < 60_000, `${ahead}`);
  assert.equal(keptIn(db).ahead, ahead);
  assert.deepEqual((await journal.verify()).problems, []);
  await journal.close();
  db.close();
});
