/** What git and its users do to a repository every day, with the real git: the record is the same afterwards. */
import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { called, calledWithCode } from "../e2e/called.ts";
import { contract, folder, jsonLines, problemCodes } from "../e2e/command.ts";
import { git } from "../evidence/history.ts";

/** A repository with a team, whose files are committed where `isCommitted` says so, and a contract in dev-1's inbox. */
async function repository(isCommitted = true): Promise<string> {
  const place = join(folder(), "shop");
  mkdirSync(place);
  git(place, "init", "-q", "-b", "main");
  git(place, "commit", "-q", "--allow-empty", "-m", "Start");
  await calledWithCode(0, place, ["init", "--yes", "--team", "shop"]);
  await calledWithCode(0, place, ["agent", "register", "lead-1", "--role", "lead"]);
  await calledWithCode(0, place, ["agent", "register", "dev-1", "--role", "dev"]);
  if (isCommitted) {
    git(place, "add", "-A");
    git(place, "commit", "-q", "-m", "The team is defined");
  }
  await calledWithCode(0, place, ["send", "--as", "lead-1"], contract());
  return place;
}

/** The record is whole, and it goes on. */
async function goesOn(place: string, name = "dev-2"): Promise<void> {
  const inbox = jsonLines(await calledWithCode(0, place, ["inbox", "--as", "dev-1", "--json"]));
  assert.deepEqual(
    inbox.map(({ id }) => id),
    ["plan_contract-1"],
  );
  await calledWithCode(0, place, ["agent", "register", name, "--role", "dev"]);
  await calledWithCode(0, place, ["journal", "verify"]);
  const agents = jsonLines(await calledWithCode(0, place, ["agent", "list", "--json"])).map(({ agent }) => agent);
  assert.ok(agents.includes("dev-1") && agents.includes(name), agents.join());
}

for (const isCommitted of [true, false]) {
  const what = isCommitted ? "a committed team file" : "a team file that was never committed";
  test(`git clean -fdx takes nothing of the record, with ${what}`, async () => {
    const place = await repository(isCommitted);
    git(place, "clean", "-fdxq");
    assert.equal(existsSync(join(place, ".baton/team.yaml")), isCommitted);
    await goesOn(place);
  });

  test(`git stash -u and -a take nothing of the record, with ${what}`, async () => {
    const place = await repository(isCommitted);
    writeFileSync(join(place, "work.txt"), "half done\n");
    git(place, "stash", "-u", "-q");
    await goesOn(place);
    writeFileSync(join(place, "more.txt"), "half done\n");
    git(place, "stash", "-a", "-q");
    await goesOn(place, "dev-3");
  });
}

test("git checkout of a commit without the team, and back, takes nothing of the record", async () => {
  const place = await repository();
  git(place, "checkout", "-q", "HEAD~1");
  assert.equal(existsSync(join(place, ".baton/team.yaml")), false);
  await goesOn(place);
  git(place, "checkout", "-q", "main");
  await goesOn(place, "dev-3");
});

test("a pull that brings .baton/journal.db replaces nothing, and doctor reports it", async () => {
  const place = await repository();
  const clone = `${place}-clone`;
  git(place, "clone", "-q", place, clone);
  await calledWithCode(0, clone, ["agent", "register", "lead-1", "--role", "lead"]);
  for (const name of ["journal.db", "journal.db.head"])
    copyFileSync(join(clone, ".git/baton", name), join(clone, ".baton", name));
  git(clone, "add", "-f", ".baton");
  git(clone, "commit", "-q", "-m", "Work");
  git(place, "pull", "-q", clone, "main");
  assert.ok(existsSync(join(place, ".baton/journal.db")), "the pull brought it");
  const before = readFileSync(join(place, ".baton/journal.db"));
  await goesOn(place);
  assert.deepEqual(readFileSync(join(place, ".baton/journal.db")), before);
  assert.match(
    (await called(place, ["doctor"])).stdout,
    /warn {2}old journal .*journal\.db.*commit may have brought it/,
  );

  // A fresh clone has its own no record: what came with the commit is not taken for one.
  const fresh = `${place}-fresh`;
  git(place, "clone", "-q", place, fresh);
  const refused = await called(fresh, ["agent", "register", "dev-1", "--role", "dev", "--json"]);
  assert.deepEqual([refused.code, problemCodes(refused)], [1, ["journal-tracked"]]);
  assert.match((await called(fresh, ["status"])).stderr, /git log.*git rm/s);
  assert.match((await called(fresh, ["doctor"])).stdout, /FAIL {2}old journal/);
  git(fresh, "rm", "-rq", ".baton/journal.db", ".baton/journal.db.head");
  await calledWithCode(0, fresh, ["agent", "register", "dev-1", "--role", "dev"]);
});

test("a submodule or a repository that takes the place of .baton brings no journal", async () => {
  const place = await repository();
  const other = folder();
  git(other, "init", "-q", "-b", "main");
  copyFileSync(join(place, ".git/baton/journal.db"), join(other, "journal.db"));
  copyFileSync(join(place, ".baton/team.yaml"), join(other, "team.yaml"));
  git(other, "add", "-A");
  git(other, "commit", "-q", "-m", "A team");
  const victim = folder();
  git(victim, "init", "-q");
  git(victim, "submodule", "add", "-q", other, ".baton");
  assert.deepEqual(problemCodes(await called(victim, ["status", "--json"])), ["journal-tracked"]);
});

test("linked worktrees share one record, and one that is removed or deleted takes nothing of it", async () => {
  const place = await repository();
  const [linked, second] = [`${place}-linked`, `${place}-second`];
  for (const [path, branch] of [
    [linked, "one"],
    [second, "two"],
  ] as const)
    git(place, "worktree", "add", "-q", "-b", branch, path);
  await goesOn(linked, "dev-2");
  await goesOn(second, "dev-3");
  git(place, "worktree", "remove", "--force", linked);
  rmSync(second, { recursive: true });
  git(place, "worktree", "prune");
  git(place, "gc", "-q", "--prune=now");
  await goesOn(place, "dev-4");
});

test("worktrees of a bare repository and of one whose git folder lies elsewhere have one record", async () => {
  const parent = folder();
  const seed = await repository();
  git(parent, "clone", "-q", "--bare", seed, join(parent, "shop.git"));
  const trees = ["one", "two"].map((name) => join(parent, name));
  for (const tree of trees) git(join(parent, "shop.git"), "worktree", "add", "-q", tree);
  const [one = "", two = ""] = trees;
  await calledWithCode(0, one, ["agent", "register", "dev-1", "--role", "dev"]);
  const agents = jsonLines(await calledWithCode(0, two, ["agent", "list", "--json"]));
  assert.deepEqual(
    agents.map(({ agent }) => agent),
    ["dev-1"],
  );
  assert.ok(existsSync(join(parent, "shop.git/baton/journal.db")));
  const apart = join(parent, "apart");
  mkdirSync(apart);
  git(apart, "init", "-q", `--separate-git-dir=${join(parent, "apart.git")}`);
  await calledWithCode(0, apart, ["init", "--yes"]);
  await calledWithCode(0, apart, ["agent", "register", "dev-1", "--role", "dev"]);
  assert.ok(existsSync(join(parent, "apart.git/baton/journal.db")));
});
