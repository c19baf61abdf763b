/**
 * A hostile project plants links, pipes and devices under the names that Baton uses. Each command must leave the file
 * outside the project as it is, create nothing there, and come to an end.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sha256 } from "../../src/base/canonical.ts";
import { systemClock } from "../../src/base/clock.ts";
import { leaveNote, runningHubs } from "../../src/doors/cli/place/running-hubs.ts";
import { codeFiles, leaveCode } from "../../src/main/code-files.ts";
import { called } from "../e2e/called.ts";
import { folder, team } from "../e2e/command.ts";
import { git } from "../evidence/history.ts";

type Plant = (path: string, outside: string) => void;

const plants: Readonly<Record<string, Plant>> = {
  "a link to a file outside": (path, outside) => symlinkSync(join(outside, "victim"), path),
  "a link that leads nowhere": (path, outside) => symlinkSync(join(outside, "new"), path),
  "a link to an endless device": (path) => symlinkSync("/dev/zero", path),
  "a pipe": (path) => execFileSync("mkfifo", [path]),
};

/** The names in `.baton/` that commands read or write. */
const names = [
  "journal.db",
  "journal.db-wal",
  "journal.db-shm",
  "journal.db-journal",
  "journal.db.head",
  "journal.db.head.tmp",
  "journal.db.sessions",
  `journal.db.hub-${process.pid}`,
  `journal.db.code-${"0".repeat(64)}`,
  "team.yaml",
  ".gitignore",
  "messages",
  "messages/own.json",
] as const;

for (const [what, plant] of Object.entries(plants)) {
  test(`commands change nothing outside where a project holds ${what} under any name of Baton's`, async () => {
    for (const name of names) {
      const outside = folder();
      writeFileSync(join(outside, "victim"), "precious");
      const place = team();
      const path = join(place, ".baton", name);
      mkdirSync(join(path, ".."), { recursive: true });
      rmSync(path, { recursive: true, force: true });
      plant(path, outside);
      for (const words of [
        ["agent", "register", "dev-2", "--role", "dev"],
        ["status"],
        ["journal", "verify"],
        ["start", "--link"],
        ["doctor"],
        ["init", "--yes", "--force", "--team", "web"],
      ]) {
        const done = await called(place, words);
        assert.notEqual(done.code, null, `${name}: ${words.join(" ")} came to its end`);
      }
      assert.equal(readFileSync(join(outside, "victim"), "utf8"), "precious", name);
      assert.deepEqual(readdirSync(outside), ["victim"], `${name}: nothing was created outside`);
    }
  });
}

test("a .baton that is a link is not followed, and the command says so", async () => {
  const elsewhere = team();
  const place = folder();
  symlinkSync(join(elsewhere, ".baton"), join(place, ".baton"));
  const before = readdirSync(join(elsewhere, ".baton"));
  for (const words of [["status"], ["agent", "register", "dev-2", "--role", "dev"], ["init", "--yes"]]) {
    const done = await called(place, words);
    assert.notEqual(done.code, 0);
    assert.match(done.stderr, /link/);
  }
  assert.deepEqual(readdirSync(join(elsewhere, ".baton")), before);
});

test("the state in git's folder, and the folder of sessions in it, are followed through no link", async () => {
  for (const planted of [".git/baton", ".git/baton/sessions"]) {
    const place = team();
    git(place, "init", "--quiet");
    const outside = folder();
    mkdirSync(join(place, planted, ".."), { recursive: true });
    symlinkSync(outside, join(place, planted));
    for (const words of [["status"], ["agent", "register", "dev-2", "--role", "dev"]]) {
      const done = await called(place, words);
      assert.notEqual(done.code, 0, `${planted}: ${words.join(" ")}`);
      assert.match(done.stderr, /no link is followed/);
    }
    assert.deepEqual(readdirSync(outside), [], planted);
  }
});

test("what a project plants as a hub's note or a session code counts for nothing, and a real one does", async () => {
  const outside = folder();
  const journal = join(folder(), "journal.db");
  const hash = sha256("chosen");
  writeFileSync(join(outside, "code"), `${systemClock.now() + 60_000}\n`, { mode: 0o600 });
  symlinkSync(join(outside, "code"), `${journal}.code-${hash}`);
  assert.equal(codeFiles(journal, systemClock).take(hash), false, "a link");
  rmSync(`${journal}.code-${hash}`);
  writeFileSync(`${journal}.code-${hash}`, `${systemClock.now() + 60_000}\n`, { mode: 0o644 });
  assert.equal(codeFiles(journal, systemClock).take(hash), false, "a file that others may read, as git makes it");
  const code = leaveCode(journal, systemClock, 60_000);
  assert.equal(codeFiles(journal, systemClock).take(sha256(code)), true);
  assert.equal(codeFiles(journal, systemClock).take(sha256(code)), false, "once");

  symlinkSync("/dev/zero", `${journal}.hub-4242`);
  assert.deepEqual(await runningHubs(journal), []);
  const victim = join(outside, "victim");
  writeFileSync(victim, "precious");
  symlinkSync(victim, `${journal}.hub-${process.pid}`);
  leaveNote(journal, { pid: process.pid, url: "http://127.0.0.1:1", startedAt: "", instance: "x" })();
  assert.equal(readFileSync(victim, "utf8"), "precious");
});

test("the check finds a command that follows a link", () => {
  // What the commands are tried with tells a follower from one that does not follow.
  const outside = folder();
  writeFileSync(join(outside, "victim"), "precious");
  const path = join(folder(), "journal.db.head.tmp");
  plants["a link to a file outside"]?.(path, outside);
  writeFileSync(path, "");
  assert.equal(readFileSync(join(outside, "victim"), "utf8"), "");
});
