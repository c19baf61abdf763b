/** A project that was copied, moved or restored, with the real commands of the system: `cp -r`, `mv`. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { called, calledWithCode } from "../e2e/called.ts";
import { folder, jsonLines, problemCodes } from "../e2e/command.ts";
import { startHub } from "../e2e/hub-process.ts";
import { git } from "../evidence/history.ts";

/** A project with a team of one agent; in a repository, or in a plain folder. */
async function project(isRepository = true): Promise<{ readonly parent: string; readonly place: string }> {
  const parent = folder();
  const place = join(parent, "shop");
  mkdirSync(place);
  if (isRepository) git(place, "init", "-q");
  await calledWithCode(0, place, ["init", "--yes", "--team", "shop"]);
  await calledWithCode(0, place, ["agent", "register", "dev-1", "--role", "dev"]);
  return { parent, place };
}

const copy = (from: string, to: string) => execFileSync("cp", ["-r", from, to]);
const register = (name: string) => ["agent", "register", name, "--role", "dev"];

async function agentsIn(place: string): Promise<readonly unknown[]> {
  return jsonLines(await calledWithCode(0, place, ["agent", "list", "--json"])).map(({ agent }) => agent);
}

/** What a fork keeps of an agent: all but its mail and what was seen of it. */
function memberOf({ agent, role, dialect, source, status, session }: Readonly<Record<string, unknown>>): unknown {
  return { agent, role, dialect, source, status, session };
}

async function isRefused(place: string): Promise<void> {
  const refused = await called(place, [...register("dev-9"), "--json"]);
  assert.deepEqual([refused.code, problemCodes(refused)], [1, ["journal-copied"]]);
}

for (const isRepository of [true, false]) {
  test(`a copy ${isRepository ? "of a repository" : "without a repository"} can be read and records nothing`, async () => {
    const { parent, place } = await project(isRepository);
    const second = join(parent, "copy");
    copy(place, second);
    await isRefused(second);
    assert.deepEqual(await agentsIn(second), ["dev-1"]);
    const status = await calledWithCode(0, second, ["status"]);
    assert.match(status.stderr, /copied from .*shop.*journal place --fork.*journal place --here/s);
    for (const words of [["up"], ["start", "--link"], ["journal", "accept-loss", "--reason", "x"]])
      assert.notEqual((await called(second, words)).code, 0, words.join(" "));
    assert.match((await called(second, ["doctor"])).stdout, /FAIL {2}state/);
    await calledWithCode(0, place, register("dev-2"));
    assert.deepEqual(await agentsIn(place), ["dev-1", "dev-2"], "the original goes on");
  });
}

test("a fork begins a new journal that names its origin, keeps its agents and the copied record, and goes on", async () => {
  const { parent, place } = await project();
  await calledWithCode(0, place, register("gone-1"));
  await calledWithCode(0, place, ["agent", "retire", "gone-1", "--reason", "done"]);
  const second = join(parent, "copy");
  copy(place, second);
  const before = jsonLines(await calledWithCode(0, place, ["agent", "list", "--json"]));
  const [forked] = jsonLines(await calledWithCode(0, second, ["journal", "place", "--fork", "--json"]));
  assert.equal(forked?.project, place);
  const after = jsonLines(await calledWithCode(0, second, ["agent", "list", "--json"]));
  assert.deepEqual(after.map(memberOf), before.map(memberOf));
  await calledWithCode(0, second, register("dev-2"));
  assert.deepEqual(await agentsIn(second), ["dev-1", "gone-1", "dev-2"]);
  const [first] = jsonLines(await calledWithCode(0, second, ["log", "--json"]));
  assert.ok(JSON.stringify(first).includes(`forked from ${place} at `), JSON.stringify(first));
  const kept = ["agent", "list", "--json", "--journal", `sqlite:${String(forked?.kept)}`];
  assert.deepEqual(
    jsonLines(await calledWithCode(0, second, kept)).map(({ agent }) => agent),
    ["dev-1", "gone-1"],
  );
  assert.deepEqual(await agentsIn(place), ["dev-1", "gone-1"]);
  assert.deepEqual(problemCodes(await called(second, ["journal", "place", "--fork", "--json"])), ["not-found"]);
  const third = join(parent, "third");
  copy(second, third);
  await isRefused(third);
  await calledWithCode(0, third, ["journal", "place", "--fork"]);
  assert.deepEqual(await agentsIn(third), ["dev-1", "gone-1", "dev-2"], "the fork of a fork keeps them as well");
});

test("a hub of the original is none of the copy's", async () => {
  const { parent, place } = await project();
  await startHub(place);
  const second = join(parent, "copy");
  copy(place, second);
  for (const isForked of [false, true]) {
    if (isForked) await calledWithCode(0, second, ["journal", "place", "--fork"]);
    assert.match((await called(second, ["stop"])).said, /No hub/);
    assert.doesNotMatch((await called(second, ["status"])).stdout, /hub runs/);
  }
  assert.match((await called(place, ["status"])).stdout, /hub runs/);
});

test("what waits for the owner's word waits in a fork as well", async () => {
  const { parent, place } = await project();
  const teamFile = join(place, ".baton/team.yaml");
  writeFileSync(teamFile, "version: 1\nteam: shop\ndialects: [vbw/2]\nagents:\n  dev-7: { role: lead }\n");
  assert.deepEqual(await agentsIn(place), ["dev-1"]);
  const second = join(parent, "copy");
  copy(place, second);
  await calledWithCode(0, second, ["journal", "place", "--fork"]);
  await calledWithCode(0, second, register("dev-2"));
  assert.deepEqual(await agentsIn(second), ["dev-1", "dev-2"]);
  assert.match((await calledWithCode(0, second, ["team"])).stdout, /dev-7/);
});

test("a fork that was interrupted at any step is completed by the next one", async () => {
  const { parent, place } = await project();
  const journal = ".git/baton/journal.db";
  for (const step of ["put aside", "stub left", "begun"]) {
    const second = join(parent, step.replaceAll(" ", "-"));
    copy(place, second);
    const before = readFileSync(join(second, ".git/baton/home.json"));
    await calledWithCode(0, second, ["journal", "place", "--fork"]);
    // What a kill before the last step leaves: the note is the copied one.
    writeFileSync(join(second, ".git/baton/home.json"), before);
    if (step !== "begun")
      for (const end of ["", "-wal", "-shm", ".head"]) rmSync(join(second, journal + end), { force: true });
    await isRefusedToRecord(second);
    await calledWithCode(0, second, ["journal", "place", "--fork"]);
    await calledWithCode(0, second, register("dev-2"));
    assert.deepEqual(await agentsIn(second), ["dev-1", "dev-2"], step);
    const log = jsonLines(await calledWithCode(0, second, ["log", "--json"]));
    assert.equal(log.filter((line) => JSON.stringify(line).includes("forked from")).length, 1, step);
  }
});

async function isRefusedToRecord(place: string): Promise<void> {
  assert.notEqual((await called(place, register("dev-9"))).code, 0);
}

test("a folder that is renamed is the same, and a copy under its old name is noticed", async () => {
  const { parent, place } = await project();
  const renamed = join(parent, "renamed");
  execFileSync("mv", [place, renamed]);
  await calledWithCode(0, renamed, register("dev-2"));
  copy(renamed, place);
  await isRefused(place);
  await calledWithCode(0, renamed, register("dev-3"));
});

test("a project that was brought to another disk or restored goes on after `journal place --here`, unless the original is there", async () => {
  const { parent, place } = await project();
  const second = join(parent, "copy");
  copy(place, second);
  const refused = await called(second, ["journal", "place", "--here", "--json"]);
  assert.deepEqual(problemCodes(refused), ["journal-copied"]);
  rmSync(place, { recursive: true });
  await isRefused(second);
  await calledWithCode(0, second, ["journal", "place", "--here"]);
  await calledWithCode(0, second, register("dev-2"));
  assert.deepEqual(await agentsIn(second), ["dev-1", "dev-2"]);
  // A backup in the old place is another folder of the same name.
  copy(second, `${second}-backup`);
  rmSync(second, { recursive: true });
  renameSync(`${second}-backup`, second);
  await isRefused(second);
  await calledWithCode(0, second, ["journal", "place", "--here"]);
  await calledWithCode(0, second, register("dev-3"));
});

test("only another number of the disk, as after a start of the machine, is no copy", async () => {
  const { place } = await project();
  const note = join(place, ".git/baton/home.json");
  writeFileSync(note, readFileSync(note, "utf8").replace(/"device":"\d+"/, '"device":"1"'));
  await calledWithCode(0, place, register("dev-2"));
  assert.doesNotMatch(readFileSync(note, "utf8"), /"device":"1"/, "the note follows");
});

test("a copy in which a repository is made stays a copy when its journal moves", async () => {
  const { parent, place } = await project(false);
  const second = join(parent, "copy");
  copy(place, second);
  git(second, "init", "-q");
  await isRefused(second);
  assert.ok(existsSync(join(second, ".git/baton/journal.db")), "it has moved");
  await calledWithCode(0, second, ["journal", "place", "--fork"]);
  await calledWithCode(0, second, register("dev-2"));
  assert.deepEqual(await agentsIn(second), ["dev-1", "dev-2"]);
  git(place, "init", "-q");
  await calledWithCode(0, place, register("dev-3"));
  assert.deepEqual(await agentsIn(place), ["dev-1", "dev-3"]);
  assert.equal(existsSync(join(place, ".baton/home.json")), false);
});

test("the owner puts the journal into another folder and back, and a copy of the project does not share it", async () => {
  const { parent, place } = await project();
  const other = join(parent, "disk");
  mkdirSync(other);
  await calledWithCode(0, place, ["journal", "place", other]);
  await calledWithCode(0, place, register("dev-2"));
  assert.ok(existsSync(join(other, "journal.db")));
  const second = join(parent, "copy");
  copy(place, second);
  await isRefused(second);
  await calledWithCode(0, second, ["journal", "place", "--fork"]);
  await calledWithCode(0, second, register("dev-9"));
  assert.deepEqual(await agentsIn(place), ["dev-1", "dev-2"]);
  renameSync(other, `${other}-away`);
  assert.deepEqual(problemCodes(await called(place, ["status", "--json"])), ["journal-cannot-open"]);
  renameSync(`${other}-away`, other);
  await calledWithCode(0, place, ["journal", "place", "--default"]);
  assert.deepEqual(await agentsIn(place), ["dev-1", "dev-2"]);
  assert.equal(
    (await calledWithCode(0, place, ["journal", "place"])).stdout.trim(),
    join(place, ".git/baton/journal.db"),
  );
  mkdirSync(join(place, "inside"));
  await calledWithCode(64, place, ["journal", "place", "inside"]);
});

test("a journal in another folder knows its project there, and a copy of that folder is noticed", async () => {
  const { parent, place } = await project();
  const disk = join(parent, "disk");
  mkdirSync(disk);
  await calledWithCode(0, place, ["journal", "place", disk]);
  const named = (folderOf: string) => ["--journal", `sqlite:${join(folderOf, "journal.db")}`];
  const note = join(disk, "home.json");
  assert.equal(JSON.parse(readFileSync(note, "utf8")).project, place);
  // An older Baton wrote no note: the next command in the project does.
  rmSync(note);
  await calledWithCode(0, place, register("dev-2"));
  assert.ok(existsSync(note));
  await calledWithCode(0, parent, [...register("dev-3"), ...named(disk)]);
  assert.deepEqual(await agentsIn(place), ["dev-1", "dev-2", "dev-3"]);
  const second = join(parent, "disk-copy");
  copy(disk, second);
  const refused = await called(parent, [...register("dev-9"), ...named(second), "--json"]);
  assert.deepEqual([refused.code, problemCodes(refused)], [1, ["journal-copied"]]);
  // Another project takes neither this folder nor, while it is empty, one that is a project's own.
  const other = join(parent, "other");
  mkdirSync(other);
  git(other, "init", "-q");
  await calledWithCode(0, other, ["init", "--yes", "--team", "other"]);
  await calledWithCode(0, other, register("dev-1"));
  for (const end of ["", ".head"]) rmSync(join(other, `.git/baton/journal.db${end}`), { force: true });
  const taken = await called(place, ["journal", "place", join(other, ".git/baton"), "--json"]);
  assert.deepEqual(problemCodes(taken), ["already-exists"]);
  assert.match(taken.said, /another project/);
  // Back home, the folder belongs to nobody.
  await calledWithCode(0, place, ["journal", "place", "--default"]);
  assert.ok(!existsSync(note));
  assert.deepEqual(await agentsIn(place), ["dev-1", "dev-2", "dev-3"]);
});

test("a committed file chooses no place, outside of a repository either", async () => {
  const { parent, place } = await project(false);
  writeFileSync(join(place, ".baton/place.json"), JSON.stringify({ folder: parent }));
  await calledWithCode(0, place, register("dev-2"));
  assert.equal(existsSync(join(parent, "journal.db")), false);
  git(place, "init", "-q");
  await calledWithCode(0, place, register("dev-3"));
  assert.equal(existsSync(join(parent, "journal.db")), false);
  writeFileSync(
    join(place, ".baton/team.yaml"),
    `${readFileSync(join(place, ".baton/team.yaml"), "utf8")}\njournal: ${parent}/x.db\n`,
  );
  await called(place, register("dev-4"));
  assert.equal(existsSync(join(parent, "x.db")), false);
});
