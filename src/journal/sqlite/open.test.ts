import assert from "node:assert/strict";
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { attempt, must, mustRecord, tally, team } from "../../../tests/journal/journal-subject.ts";
import { networkFileSystems } from "./files/place.ts";
import { migrate, readForm, schemaVersion } from "./migrate.ts";
import { openSqliteJournal, type SqliteOptions } from "./open.ts";

const alpha = team("alpha");

function scratch(test: { after(done: () => void): void }): { folder: string; file: string } {
  const folder = mkdtempSync(join(tmpdir(), "baton-open-"));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, file: join(folder, "journal.db") };
}

async function refusal(file: string, options?: SqliteOptions) {
  const opened = await openSqliteJournal(file, tally, options);
  if (!opened.ok) return opened.error;
  await opened.value.close();
  return assert.fail("it opened");
}

async function fill(file: string, count: number) {
  const journal = must(await openSqliteJournal(file, tally));
  for (let index = 0; index < count; index += 1) mustRecord(await journal.commit(alpha, attempt({ id: `m-${index}` })));
  return journal;
}

test("refuses network file systems, by every type number that it knows", async (t) => {
  const { file } = scratch(t);
  for (const [type, name] of networkFileSystems) {
    const problem = await refusal(file, { fileSystemType: () => type });
    assert.deepEqual([problem.code, problem.received], ["journal-network-file-system", name]);
    assert.ok(problem.hint);
  }
  // Some systems give the type as a signed number.
  assert.equal((await refusal(file, { fileSystemType: () => 0xff534d42 | 0 })).received, "cifs");
});

test("refuses a file with two names, and follows a symbolic link to the one file", async (t) => {
  const { folder, file } = scratch(t);
  await (await fill(file, 1)).close();
  symlinkSync(file, join(folder, "link.db"));
  const linked = must(await openSqliteJournal(join(folder, "link.db"), tally));
  assert.equal(linked.place, file);
  assert.equal(must(await linked.read(alpha)).entries.length, 1);
  await linked.close();
  linkSync(file, join(folder, "other.db"));
  assert.equal((await refusal(file)).code, "journal-linked");
});

test("refuses what is no journal and leaves it as it was", async (t) => {
  const { folder, file } = scratch(t);
  const text = "not a database at all, but long enough to have a header of one hundred bytes ".repeat(9);
  writeFileSync(file, text);
  assert.equal((await refusal(file)).code, "journal-not-database");
  assert.equal(readFileSync(file, "utf8"), text);
  const foreign = join(folder, "foreign.db");
  const database = new DatabaseSync(foreign);
  database.exec("CREATE TABLE mine (a)");
  database.close();
  const before = readFileSync(foreign);
  assert.equal((await refusal(foreign)).code, "journal-not-database");
  assert.deepEqual(readFileSync(foreign), before);
  mkdirSync(join(folder, "folder.db"));
  assert.equal((await refusal(join(folder, "folder.db"))).code, "journal-not-database");
});

test("refuses a newer form, at opening and when it appears while open", async (t) => {
  const { file } = scratch(t);
  const journal = await fill(file, 1);
  const later = new DatabaseSync(file);
  later.exec("PRAGMA user_version = 99");
  later.close();
  const late = await journal.commit(alpha, attempt());
  assert.equal(!late.ok && late.error.code, "journal-newer");
  await journal.close();
  assert.equal((await refusal(file)).code, "journal-newer");
});

test("refuses a missing journal where it may not make one, and a missing folder always", async (t) => {
  const { folder, file } = scratch(t);
  assert.equal((await refusal(file, { create: false })).code, "journal-missing");
  assert.equal((await refusal(file, { readOnly: true })).code, "journal-missing");
  assert.equal((await refusal(join(folder, "no", "journal.db"))).code, "journal-cannot-open");
});

test("opens for reading only, next to a writer, and refuses commits", async (t) => {
  const { file } = scratch(t);
  const writer = await fill(file, 3);
  const reader = must(await openSqliteJournal(file, tally, { readOnly: true }));
  assert.equal(must(await reader.read(alpha)).entries.length, 3);
  const refused = await reader.commit(alpha, attempt());
  assert.equal(!refused.ok && refused.error.code, "journal-read-only");
  mustRecord(await writer.commit(alpha, attempt()));
  assert.equal(must(await reader.state(alpha)).state.count, 4);
  await reader.close();
  await writer.close();
});

test("several openers of a new file at one moment all succeed", async (t) => {
  const { file } = scratch(t);
  const opened = await Promise.all(Array.from({ length: 8 }, () => openSqliteJournal(file, tally)));
  await Promise.all(opened.map((journal) => must(journal).close()));
});

test("refuses as busy once the waiting time is over, and goes on when the lock is free", async (t) => {
  const { file } = scratch(t);
  await (await fill(file, 1)).close();
  const journal = must(await openSqliteJournal(file, tally, { waitMs: 30 }));
  const other = new DatabaseSync(file);
  other.exec("BEGIN IMMEDIATE");
  const refused = await journal.commit(alpha, attempt({ id: "m-2" }));
  assert.equal(!refused.ok && refused.error.code, "journal-busy");
  assert.deepEqual(journal.condition(), { condition: "ready" });
  assert.equal(must(await journal.read(alpha)).entries.length, 1);
  other.exec("COMMIT");
  other.close();
  assert.equal(mustRecord(await journal.commit(alpha, attempt({ id: "m-2" }))).seq, 2);
  await journal.close();
});

test("a backup is a complete journal and overwrites nothing", async (t) => {
  const { folder, file } = scratch(t);
  const journal = await fill(file, 20);
  const copy = join(folder, "copy.db");
  must(await journal.copyTo(copy));
  const again = await journal.copyTo(copy);
  assert.equal(!again.ok && again.error.code, "already-exists");
  const stats = must(await journal.stats());
  assert.deepEqual([stats.teams[0]?.entries, stats.teams[0]?.head.seq, stats.engine.pageBytes], [20, 20, 4096]);
  assert.ok(Number(stats.bytes) + Number(stats.engine.logBytes) > 4096);
  await journal.close();
  const restored = must(await openSqliteJournal(copy, tally));
  assert.ok((await restored.verify()).ok);
  assert.equal(mustRecord(await restored.commit(alpha, attempt())).seq, 21);
  await restored.close();
});

test("snapshots spare folding, and one that has changed is passed over, reported, and stops writing", async (t) => {
  const { file } = scratch(t);
  const journal = must(await openSqliteJournal(file, tally));
  const commits = Array.from({ length: 1_300 }, (_, index) => journal.commit(alpha, attempt({ id: `m-${index}` })));
  for (const done of await Promise.all(commits)) mustRecord(done);
  const { digest } = must(await journal.state(alpha)).state;
  await journal.close();
  let folded = 0;
  const evolve: typeof tally.evolve = (state, entry) => {
    folded += 1;
    return tally.evolve(state, entry);
  };
  const counting = { ...tally, evolve };
  const quick = must(await openSqliteJournal(file, counting));
  assert.equal(must(await quick.state(alpha)).state.digest, digest);
  assert.ok(folded < 1_300, `${folded} entries were folded`);
  await quick.close();
  const vandal = new DatabaseSync(file);
  vandal.exec("UPDATE snapshot SET state = replace(state, 'dev-1', 'dev-9')");
  vandal.close();
  const careful = must(await openSqliteJournal(file, tally));
  assert.equal(must(await careful.state(alpha)).state.digest, digest);
  const refused = await careful.commit(alpha, attempt());
  assert.equal(!refused.ok && refused.error.code, "journal-corrupt");
  const report = await careful.verify();
  assert.match(report.problems[0]?.message ?? "", /snapshot/);
  await careful.close();
});

test("verify reports a change in every table", async (t) => {
  const changes: readonly string[] = [
    "UPDATE entry SET bytes = CAST(replace(CAST(bytes AS TEXT), 'hello', 'hallo') AS BLOB) WHERE place % 4294967296 = 3",
    "UPDATE entry SET hash = 'g' || substr(hash, 2) WHERE place % 4294967296 = 5",
    "INSERT INTO once (key, seq) VALUES ('1 m-2 dev-1', 3)",
    "INSERT INTO once (key, seq) VALUES ('1 m-9 dev-1', 3)",
    "INSERT INTO once (key, seq) VALUES ('2 m-2 dev-1', 3)",
    "INSERT INTO indexed (team, seq, hash, checksum) VALUES (1, 3, '', '')",
    "INSERT INTO indexed (team, seq, hash, checksum) VALUES (2, 3, '', '')",
    "DELETE FROM entry WHERE place % 4294967296 = 4",
    "DELETE FROM entry WHERE place % 4294967296 = 5",
    "UPDATE entry SET place = place + 1 WHERE place % 4294967296 = 5",
    "UPDATE team SET name = 'alphb'",
    "UPDATE team SET number = number + 1",
    "INSERT INTO team (name) VALUES ('ghost')",
    "UPDATE mark SET offered = offered + 1",
    "UPDATE mark SET agent = 'lead-2'",
    `PRAGMA user_version = ${schemaVersion + 1}`,
    "CREATE TABLE extra (a)",
  ];
  for (const change of changes) {
    const { file } = scratch(t);
    const journal = await fill(file, 5);
    must(await journal.mark(alpha, "lead-1", { offered: 2 }));
    assert.ok((await journal.verify()).ok);
    const vandal = new DatabaseSync(file);
    vandal.exec(change);
    vandal.close();
    const report = await journal.verify();
    assert.equal(report.ok, false, change);
    await journal.close();
  }
});

test("a trigger in the file is found at opening: nothing is written, and reading goes on", async (t) => {
  const { file } = scratch(t);
  await (await fill(file, 3)).close();
  const plant = new DatabaseSync(file);
  plant.exec("CREATE TRIGGER planted AFTER INSERT ON entry BEGIN DELETE FROM entry; END");
  plant.close();
  const journal = must(await openSqliteJournal(file, tally));
  const condition = journal.condition();
  assert.equal(condition.condition === "failed" && condition.problem.code, "journal-corrupt");
  const refused = await journal.commit(alpha, attempt({ id: "m-9" }));
  assert.equal(!refused.ok && refused.error.code, "journal-corrupt");
  assert.equal(must(await journal.read(alpha)).entries.length, 3);
  await journal.close();
  const look = new DatabaseSync(file);
  assert.equal(look.prepare("SELECT count(*) AS n FROM entry").get()?.n, 3);
  look.close();
});

test("a journal whose files were removed or replaced in use takes no more entries, and says so", async (t) => {
  for (const away of ["journal.db", "journal.db-wal"]) {
    const { folder, file } = scratch(t);
    const journal = await fill(file, 2);
    const copy = join(folder, "copy.db");
    must(await journal.copyTo(copy));
    mustRecord(await journal.commit(alpha, attempt({ id: "before" })));
    if (away === "journal.db") renameSync(copy, file);
    else rmSync(join(folder, away));
    const refused = await journal.commit(alpha, attempt({ id: "after" }));
    assert.equal(refused.ok ? "accepted" : refused.error.code, "journal-failed", away);
    assert.equal((await journal.probe()).ok, false);
    assert.equal(journal.condition().condition, "failed");
    await journal.close();
  }
});

/** A connection during whose second question another process makes the journal's tables. */
class Overtaken extends DatabaseSync {
  overtake: (() => void) | null = null;

  override prepare(...[sql, ...rest]: Parameters<DatabaseSync["prepare"]>) {
    if (sql === "PRAGMA user_version") {
      this.overtake?.();
      this.overtake = null;
    }
    return super.prepare(sql, ...rest);
  }
}

test("a journal that another process makes while it is opened is no other program's database", (t) => {
  const { file } = scratch(t);
  using db = new Overtaken(file);
  db.exec("PRAGMA journal_mode = WAL");
  db.overtake = () => {
    using other = new DatabaseSync(file);
    must(migrate(other, file));
  };
  assert.deepEqual(must(readForm(db, file)), { version: 0 });
  assert.deepEqual(must(readForm(db, file)), { version: schemaVersion });
});
