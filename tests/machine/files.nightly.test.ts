/** Files that are no journal, a newer one, a copy without its log, or reached by a second name: each says what to do. */
import assert from "node:assert/strict";
import { linkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { Problem, ProblemCode } from "../../src/base/problem.ts";
import type { Result } from "../../src/base/result.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/index.ts";
import { schemaVersion } from "../../src/journal/sqlite/migrate.ts";
import { crashedJournal } from "../crash/crashed-journal.ts";
import { temporaryFolder, writeImage } from "../crash/folder.ts";
import { attemptOf, crashTeam, hold, openJournal, tally } from "../crash/journal-subject.ts";

const crashes = process.platform === "win32" ? "the crash that leaves a log needs signal 9" : false;

test("a file that is no database is refused and left as it is", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "notes.txt");
  writeFileSync(path, "These are notes, not a journal.\n".repeat(300));
  assertRefused(await openJournal(path), "journal-not-database");
});

test("another program's database is refused", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "other.db");
  inDatabase(path, "CREATE TABLE song (title TEXT); INSERT INTO song VALUES ('one')");
  assertRefused(await openJournal(path), "journal-not-database");
});

test("a folder is refused", async () => {
  using folder = temporaryFolder();
  assertRefused(await openJournal(folder.path), "journal-not-database");
});

test("a journal of a newer form is refused and keeps its form", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "journal.db");
  await write(path);
  inDatabase(path, "PRAGMA user_version = 999");
  assertRefused(await openJournal(path), "journal-newer");
  inDatabase(path, `PRAGMA user_version = ${schemaVersion}`);
  assert.equal((await hold(path)).entries.length, 1, "nothing was changed by the refusal");
});

test("a hard link is refused, a symbolic link leads to the one real file", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "journal.db");
  const second = join(folder.path, "second.db");
  await write(path);
  linkSync(path, second);
  assertRefused(await openJournal(second), "journal-linked");
  assertRefused(await openJournal(path), "journal-linked");
  rmSync(second);
  symlinkSync(path, second);
  assert.equal((await hold(second)).entries.length, 1);
  const opened = await openJournal(second);
  assert.ok(opened.ok);
  const committed = await opened.value.commit(crashTeam, attemptOf("dev-1", "m-2", 100));
  assert.ok(committed.ok);
  assert.equal((await hold(path)).entries.length, 2, "both names write the one log");
  await opened.value.close();
});

test("a network file system is refused", async () => {
  using folder = temporaryFolder();
  const nfs = 0x6969;
  const path = join(folder.path, "journal.db");
  assertRefused(await openSqliteJournal(path, tally, { fileSystemType: () => nfs }), "journal-network-file-system");
});

test("a journal copied without its log is readable, not writable, until the loss is accepted", {
  skip: crashes,
}, async () => {
  using folder = temporaryFolder();
  const copy = join(folder.path, "copy");
  const path = join(copy, "journal.db");
  const journal = crashedJournal({ checkpointed: 10, logged: 15 });
  writeImage(new Map([...journal.files].filter(([name]) => name !== "journal.db-wal")), copy);
  const opened = await openJournal(path);
  assert.ok(opened.ok);
  await using reopened = opened.value;
  const condition = reopened.condition();
  assert.equal(condition.condition, "regressed");
  assert.ok(condition.condition === "regressed" && condition.anchor.seq === 25 && condition.head.seq === 10);
  const page = await reopened.read(crashTeam, {});
  assert.ok(page.ok && page.value.entries.length === 10, "it stays readable");
  assertRefused(await reopened.commit(crashTeam, attemptOf("dev-1", "later-1", 100)), "journal-regressed");
  const report = await reopened.verify();
  assert.equal(report.ok, false);
  const owner = { agent: "owner", role: null, via: "launcher" } as const;
  const accepted = await reopened.acceptLoss(crashTeam, owner, "the log was not copied");
  assert.ok(accepted.ok, JSON.stringify(accepted));
  assert.equal(accepted.value.epoch, 2);
  assert.equal(accepted.value.seq, 26, "no seq that was ever acknowledged is used again");
  const committed = await reopened.commit(crashTeam, attemptOf("dev-1", "later-1", 100));
  assert.ok(committed.ok && committed.value.outcome === "recorded");
  const verified = await reopened.verify();
  assert.deepEqual(verified.problems, []);
  const presented = await reopened.verify({ presented: journal.receipts.slice(-1) });
  assert.equal(presented.ok, false, "who still holds a receipt from the lost range learns that its message is gone");
});

test("a copy without log and without anchor is reported by the receipt that a client presents", {
  skip: crashes,
}, async () => {
  using folder = temporaryFolder();
  const copy = join(folder.path, "copy");
  const journal = crashedJournal({ checkpointed: 10, logged: 15 });
  writeImage(new Map([...journal.files].filter(([name]) => name === "journal.db")), copy);
  const opened = await openJournal(join(copy, "journal.db"));
  assert.ok(opened.ok);
  await using reopened = opened.value;
  const report = await reopened.verify({ presented: journal.receipts.slice(-1) });
  assert.equal(report.ok, false);
  assert.ok(report.problems.every((problem) => (problem.hint ?? "") !== ""));
});

async function write(path: string): Promise<void> {
  const opened = await openJournal(path);
  assert.ok(opened.ok);
  await using journal = opened.value;
  const committed = await journal.commit(crashTeam, attemptOf("dev-1", "m-1", 100));
  assert.ok(committed.ok);
}

function inDatabase(path: string, statements: string): void {
  const database = new DatabaseSync(path);
  database.exec(statements);
  database.close();
}

/** Refused with this code and with what to do next. */
function assertRefused(result: Result<unknown, Problem>, code: ProblemCode): void {
  assert.equal(result.ok ? "accepted" : result.error.code, code);
  assert.ok(!result.ok && result.error.message !== "" && (result.error.hint ?? "") !== "", "it says what to do next");
}
