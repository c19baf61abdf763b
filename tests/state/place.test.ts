/** Where commands say that the state lies, and what they say where nothing is recorded yet. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { trackedBelow } from "../../src/evidence/git/repository.ts";
import { liesInWorkTree } from "../../src/perform/workspace/workspace.ts";
import { called, calledWithCode } from "../e2e/called.ts";
import { folder, jsonLines } from "../e2e/command.ts";
import { git } from "../evidence/history.ts";

test("right after init, verify and export say that nothing is recorded, and do not send to init again", async () => {
  for (const isRepository of [true, false]) {
    const place = folder();
    if (isRepository) git(place, "init", "-q");
    await calledWithCode(0, place, ["init", "--yes", "--team", "shop"]);
    for (const words of [
      ["journal", "verify"],
      ["journal", "export"],
    ]) {
      const { stderr } = await calledWithCode(3, place, words);
      assert.match(stderr, /Nothing is recorded yet/);
      assert.doesNotMatch(stderr, /baton init/);
    }
    await calledWithCode(0, place, ["agent", "register", "dev-1", "--role", "dev"]);
    await calledWithCode(0, place, ["journal", "verify"]);
  }
});

test("doctor shows where team and state lie, and the journal of a repository can be named from anywhere", async () => {
  const place = folder();
  git(place, "init", "-q");
  await calledWithCode(0, place, ["init", "--yes", "--team", "shop"]);
  const state = join(place, ".git/baton");
  const shown = () => called(place, ["doctor"]).then(({ stdout }) => stdout);
  assert.ok((await shown()).includes(`ok    state         ${state} (inside .git, where no commit can put a file)`));
  assert.equal(existsSync(state), false, "doctor changes nothing");
  await calledWithCode(0, place, ["agent", "register", "dev-1", "--role", "dev"]);
  assert.ok((await shown()).includes(`ok    place         ${place}`));
  const elsewhere = folder();
  const named = ["--journal", `sqlite:${state}/journal.db`];
  await calledWithCode(0, elsewhere, ["agent", "register", "dev-2", "--role", "dev", ...named]);
  const status = jsonLines(await calledWithCode(0, elsewhere, ["status", "--json", ...named]))[0];
  assert.equal(status?.team, "shop", "the team file of the project counts there as well");
  mkdirSync(join(place, "plain"));
  const agents = jsonLines(await calledWithCode(0, join(place, "plain"), ["agent", "list", "--json"]));
  assert.deepEqual(
    agents.map(({ agent }) => agent),
    ["dev-1", "dev-2"],
  );
});

test("a journal that is named in the work tree is known as one that a commit can replace", () => {
  const place = folder();
  assert.equal(liesInWorkTree(join(place, ".baton/journal.db")), false, "no repository");
  git(place, "init", "-q");
  assert.equal(liesInWorkTree(join(place, ".baton/journal.db")), true);
  assert.equal(liesInWorkTree(join(place, "deep/er/journal.db")), true);
  assert.equal(liesInWorkTree(join(place, ".git/baton/journal.db")), false);
  assert.equal(liesInWorkTree(join(folder(), "journal.db")), false);
});

test("what git tracks is found in any case of letters, for on some disks it is the same file", async () => {
  const place = folder();
  git(place, "init", "-q");
  mkdirSync(join(place, ".Baton"));
  writeFileSync(join(place, ".Baton/Journal.db"), "");
  writeFileSync(join(place, "baton"), "");
  git(place, "add", "-A", "-f");
  const tracked = await trackedBelow(place, ".baton", { PATH: process.env.PATH ?? "" });
  assert.deepEqual(tracked, { ok: true, value: [".Baton/Journal.db"] });
});

test("a journal that moves says where it is now, and what the file is that it left", async () => {
  const [place, other, third] = [folder(), folder(), folder()];
  git(place, "init", "-q");
  await calledWithCode(0, place, ["init", "--yes", "--team", "shop"]);
  const file = join(place, ".git/baton/journal.db");
  const early = await calledWithCode(0, place, ["journal", "place", third]);
  assert.equal(early.stdout.trim(), join(third, "journal.db"));
  assert.match(early.stderr, /Nothing is recorded yet/);
  await calledWithCode(0, place, ["journal", "place", "--default"]);
  await calledWithCode(0, place, ["agent", "register", "dev-1", "--role", "dev"]);
  for (const [words, now, before] of [
    [[other], join(other, "journal.db"), file],
    [["--default"], file, join(other, "journal.db")],
  ] as const) {
    const moved = await calledWithCode(0, place, ["journal", "place", ...words]);
    assert.equal(moved.stdout.trim(), now);
    assert.ok(moved.stderr.includes(`The file ${before} has no entries any more`), moved.stderr);
    assert.match((await calledWithCode(0, place, ["journal", "place", ...words])).stderr, /nothing was changed/);
    const shown = await calledWithCode(0, place, ["journal", "place"]);
    assert.deepEqual([shown.stdout.trim(), shown.stderr], [now, ""]);
  }
});
