/**
 * A journal that an older Baton kept in `.baton/` moves into git's folder by itself, whole or not at all. A process that
 * moves one is killed at each of its changes to the file system, and the next one must find every entry.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { oldJournalAt } from "../../src/journal/engines.ts";
import { moveJournal } from "../../src/journal/sqlite/move.ts";
import { openTeamJournal } from "../../src/perform/open.ts";
import { bundledProgram } from "../apart/program.ts";
import { temporaryFolder } from "../crash/folder.ts";
import { injectionMissing } from "../crash/system-calls.ts";
import { called, calledWithCode } from "../e2e/called.ts";
import { contract, folder, jsonLines, problemCodes, team } from "../e2e/command.ts";
import { git } from "../evidence/history.ts";

/** A repository whose team has its journal in `.baton/`, as an older Baton left it. */
async function olderProject(): Promise<string> {
  const place = team();
  writeFileSync(join(place, ".baton/.gitignore"), "*\n!.gitignore\n!team.yaml\n!messages/\n!messages/**\n");
  await calledWithCode(0, place, ["send", "--as", "lead-1"], contract());
  rmSync(join(place, ".baton/home.json"));
  git(place, "init", "-q");
  return place;
}

/** The ids of all entries of the journal, in order. */
async function entriesOf(journal: string): Promise<readonly string[]> {
  const opened = await openTeamJournal(journal, { create: false, readOnly: true });
  assert.ok(opened.ok, JSON.stringify(opened));
  await using open = opened.value;
  const report = await open.verify();
  assert.deepEqual(report.problems, []);
  const teams = await open.teams();
  assert.ok(teams.ok);
  const hashes: string[] = [];
  for (const name of teams.value) {
    const page = await open.read(name, {});
    assert.ok(page.ok);
    hashes.push(...page.value.entries.map(({ hash }) => hash));
  }
  return hashes;
}

test("the first command moves the journal with all that it holds, and leaves a stub that an older Baton refuses", async () => {
  const place = await olderProject();
  const old = join(place, ".baton/journal.db");
  const before = await entriesOf(old);
  assert.ok(before.length > 0);
  writeFileSync(`${old}.code-${"0".repeat(64)}`, "1\n", { mode: 0o600 });
  const inbox = jsonLines(await calledWithCode(0, place, ["inbox", "--as", "dev-1", "--json"]));
  assert.deepEqual(
    inbox.map(({ id }) => id),
    ["plan_contract-1"],
  );
  const journal = join(place, ".git/baton/journal.db");
  assert.deepEqual((await entriesOf(journal)).slice(0, before.length), before);
  assert.equal(existsSync(`${journal}.head`), true, "the anchor came along");
  assert.deepEqual(readdirSync(join(place, ".baton")).toSorted(), [".gitignore", "journal.db", "team.yaml"]);
  // What an older Baton looks at before anything else: our own file, in a form that it does not know.
  const stub = new DatabaseSync(old, { readOnly: true });
  assert.ok(Number(stub.prepare("PRAGMA user_version").get()?.user_version) > 1_000);
  assert.match(String(stub.prepare("SELECT note FROM moved").get()?.note), /the folder baton of the repository/);
  stub.close();
  const named = await called(place, ["status", "--journal", "sqlite:.baton/journal.db", "--json"]);
  assert.deepEqual(problemCodes(named), ["journal-moved"]);
});

test("a journal moves also where a repository is made around it later, and into the folder of a subproject's own", async () => {
  const outer = folder();
  const place = join(outer, "packages/web");
  mkdirSync(place, { recursive: true });
  await calledWithCode(0, place, ["init", "--yes", "--team", "web"]);
  await calledWithCode(0, place, ["agent", "register", "dev-1", "--role", "dev"]);
  git(outer, "init", "-q");
  await calledWithCode(0, outer, ["init", "--yes", "--team", "outer"]);
  const agents = jsonLines(await calledWithCode(0, place, ["agent", "list", "--json"]));
  assert.deepEqual(
    agents.map(({ agent }) => agent),
    ["dev-1"],
  );
  assert.ok(existsSync(join(outer, ".git/baton/folders/packages%2Fweb/journal.db")));
  await calledWithCode(0, outer, ["agent", "register", "lead-1", "--role", "lead"]);
  assert.ok(existsSync(join(outer, ".git/baton/journal.db")));
});

test("nothing moves while another process has the journal open, and the refusal says what to end", async () => {
  const place = await olderProject();
  const old = join(place, ".baton/journal.db");
  const held = await openTeamJournal(old, { create: false });
  assert.ok(held.ok);
  const before = await entriesOf(old);
  const moved = await moveJournal(old, join(folder(), "journal.db"), { othersMs: 0 });
  assert.ok(!moved.ok && moved.error.code === "journal-busy", JSON.stringify(moved));
  assert.match(moved.error.hint ?? "", /baton stop/);
  assert.deepEqual(await entriesOf(old), before);
  assert.equal(oldJournalAt(old), "journal");
  await held.value.close();
  await calledWithCode(0, place, ["status"]);
  assert.equal(oldJournalAt(old), "stub");
});

test("two processes that move one journal at once leave one journal", async () => {
  const place = await olderProject();
  const old = join(place, ".baton/journal.db");
  const to = join(folder(), "journal.db");
  const before = await entriesOf(old);
  const moved = await Promise.all([moveJournal(old, to), moveJournal(old, to), moveJournal(old, to)]);
  assert.deepEqual(
    moved.map(({ ok }) => ok),
    [true, true, true],
  );
  assert.deepEqual(await entriesOf(to), before);
  assert.equal(oldJournalAt(old), "stub");
});

test("a journal that is none, of a newer Baton, or behind its anchor is not made another by moving", async () => {
  const place = await olderProject();
  const old = join(place, ".baton/journal.db");
  const sound = readFileSync(old);
  writeFileSync(old, "words, and no database at all");
  assert.equal(problemCodes(await called(place, ["status", "--json"]))[0], "journal-not-database");
  writeFileSync(old, sound);
  const db = new DatabaseSync(old);
  const form = Number(db.prepare("PRAGMA user_version").get()?.user_version);
  db.exec("PRAGMA user_version = 999");
  db.close();
  assert.equal(problemCodes(await called(place, ["status", "--json"]))[0], "journal-newer");
  const again = new DatabaseSync(old);
  again.exec(`PRAGMA user_version = ${form}`);
  again.close();
  const [name, anchor] =
    Object.entries(JSON.parse(readFileSync(`${old}.head`, "utf8")) as Record<string, object>)[0] ?? [];
  writeFileSync(`${old}.head`, JSON.stringify({ [name ?? ""]: { ...anchor, seq: 99 } }));
  const status = jsonLines(await calledWithCode(0, place, ["status", "--json"]))[0];
  assert.equal(status?.journal, "regressed", "a loss that was known stays known");
});

/** The system calls by which the mover changes files; a program that only starts makes none of them. */
const changingCalls = ["pwrite64", "fsync", "fdatasync", "ftruncate", "rename", "unlink"] as const;
const mover = await bundledProgram("tests/state/mover.ts");

test("killed at any change to the file system, either the old journal is complete or the new one", {
  skip: injectionMissing() ?? false,
}, async () => {
  const place = await olderProject();
  const image = join(place, ".baton");
  const before = await entriesOf(join(image, "journal.db"));
  const struckIn = new Map<string, number>();
  for (const call of changingCalls) {
    for (let nth = 1; ; nth += 1) {
      // Where the machine offers both, from one file system to another.
      using disk = temporaryFolder("disk");
      using memory = temporaryFolder("memory");
      const [from, to] = [join(disk.path, "journal.db"), join(memory.path, "journal.db")];
      for (const name of readdirSync(image).filter((name) => name.startsWith("journal.db")))
        writeFileSync(join(disk.path, name), readFileSync(join(image, name)));
      const inject = ["-e", `trace=${call}`, "-e", `inject=${call}:signal=KILL:when=${nth}`];
      const run = spawnSync("strace", ["-f", "-qq", "-o", "/dev/null", ...inject, process.execPath, mover, from, to]);
      if (run.signal === null && run.status === 0) break;
      struckIn.set(call, nth);
      await checkAfterKill({ from, to, before, what: `${call} ${nth}` });
    }
  }
  const struck = [...struckIn.values()].reduce((sum, count) => sum + count, 0);
  assert.ok(struck >= 25, `struck ${struck} times: ${JSON.stringify([...struckIn])}`);
  assert.ok((struckIn.get("rename") ?? 0) >= 3, JSON.stringify([...struckIn]));
});

async function checkAfterKill(kill: {
  readonly from: string;
  readonly to: string;
  readonly before: readonly string[];
  readonly what: string;
}): Promise<void> {
  const { from, to, before, what } = kill;
  if (existsSync(to)) assert.deepEqual(await entriesOf(to), before, `${what}: the new journal is complete`);
  else assert.notEqual(oldJournalAt(from), "stub", `${what}: the old journal is still there`);
  const again = await moveJournal(from, to);
  assert.ok(again.ok, `${what}: ${JSON.stringify(again)}`);
  assert.deepEqual(await entriesOf(to), before, `${what}: nothing is lost after the next try`);
  assert.equal(oldJournalAt(from), "stub", what);
}

test("the check finds a journal that lost an entry, and a mover that leaves neither", async () => {
  const place = await olderProject();
  const from = join(place, ".baton/journal.db");
  const before = await entriesOf(from);
  const to = join(folder(), "journal.db");
  renameSync(from, `${to}.elsewhere`);
  await assert.rejects(checkAfterKill({ from, to, before, what: "planted" }));
  renameSync(`${to}.elsewhere`, from);
  await assert.rejects(checkAfterKill({ from, to, before: [...before, "one more"], what: "planted" }));
});
