/** A journal on a full disk and on a read-only file system: refused with what to do next, and nothing lost. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { Problem, ProblemCode } from "../../src/base/problem.ts";
import { temporaryFolder } from "../crash/folder.ts";
import { attemptOf, crashTeam, hold, openJournal } from "../crash/journal-subject.ts";
import { mountingMissing, visitMounted } from "./mount.ts";

const skip = mountingMissing() ?? false;

test("a full disk refuses a send as journal-full, loses nothing, and takes it once there is room", { skip }, () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "journal.db");
  const ballast = { path: join(folder.path, "ballast"), bytes: 1_000_000 };
  const report = visitMounted('mount -t tmpfs -o size=2m tmpfs "$1"', folder.path, {
    path,
    agent: "dev-1",
    sends: 2_000,
    ballast,
    sendsAfter: 20,
  });
  assert.equal(report.opening, null);
  assertNames(report.refusal, "journal-full");
  assert.ok(report.acknowledged > 40, "there was room for some before, and again after");
  assert.equal(report.readable, report.acknowledged - 20, "what was acknowledged stays readable on the full disk");
  assert.equal(report.conditionAfterRefusal, "ready", "a full disk is no corruption");
  assert.equal(report.refusalAfter, null, "the same journal goes on once there is room");
  assert.deepEqual(report.wrong, []);
});

test("a disk too full to make a journal says so", { skip }, () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "journal.db");
  const ballast = { path: join(folder.path, "ballast"), bytes: 1_020_000 };
  const report = visitMounted('mount -t tmpfs -o size=1m tmpfs "$1"', folder.path, {
    path,
    agent: "dev-1",
    sends: 1,
    ballast,
  });
  assertNames(report.opening ?? report.refusal, "journal-full");
});

test("a read-only file system lets read and refuses to write", { skip }, async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "journal.db");
  await write(path, 5);
  const report = visitMounted('mount --bind "$1" "$1"; mount -o remount,bind,ro "$1"', folder.path, {
    path,
    agent: "dev-2",
    sends: 1,
  });
  assert.equal(report.opening, null, "what can be read may be read");
  assertNames(report.refusal, "journal-read-only");
  assert.equal(report.readable, 5);
  assert.deepEqual(report.wrong, []);
  assert.equal((await hold(path)).entries.length, 5);
});

test("a read-only file system without a journal says so", { skip }, () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "journal.db");
  const report = visitMounted('mount --bind "$1" "$1"; mount -o remount,bind,ro "$1"', folder.path, {
    path,
    agent: "dev-2",
    sends: 1,
  });
  const problem = report.opening ?? report.refusal;
  assert.ok(
    problem !== null && ["journal-read-only", "journal-missing", "journal-cannot-open"].includes(problem.code),
    JSON.stringify(problem),
  );
  assert.ok((problem.hint ?? "") !== "");
});

async function write(path: string, sends: number): Promise<void> {
  const opened = await openJournal(path);
  assert.ok(opened.ok);
  await using journal = opened.value;
  for (let position = 0; position < sends; position++) {
    const committed = await journal.commit(crashTeam, attemptOf("dev-1", `m-${position}`, 500));
    assert.ok(committed.ok);
  }
}

/** The problem has this code and names what to do next. */
function assertNames(problem: Problem | null, code: ProblemCode): void {
  assert.equal(problem?.code, code, JSON.stringify(problem));
  assert.ok(problem?.message !== "" && (problem?.hint ?? "") !== "", "it says what to do next");
}
