/** Two agents in a tree each: what each learns when both change a file, from the trees alone. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { lookAtTrees, nothingSeen } from "../../src/evidence/services/collisions.ts";
import { testTeam } from "../../src/testing/test-team.ts";
import { testEnvironment } from "./history.ts";
import { madeRepository, tree } from "./place.ts";
import { toldTo } from "./reporting.ts";

const lines = (...changed: readonly string[]) =>
  `${["one", "two", "three", "four", "five", "six", "seven"].map((line, at) => changed[at] ?? line).join("\n")}\n`;

/** Two developers whose trees begin at the main branch. */
async function twoTrees() {
  const made = await madeRepository({
    commits: [{ tree: tree({ "src/a.js": lines(), "src/b.js": lines() }), parents: [] }],
    references: { "refs/heads/main": 0 },
  });
  const agents = ["dev-1", "dev-2"].map((agent) => ({ agent, role: "dev" as const }));
  const team = await testTeam({ agents: [{ agent: "lead-1", role: "lead" }, ...agents] });
  const git = (directory: string, ...words: string[]) =>
    execFileSync(
      "git",
      ["-c", "core.hooksPath=/dev/null", "-c", "user.name=x", "-c", "user.email=x@example.invalid", ...words],
      {
        cwd: directory,
        env: testEnvironment,
        encoding: "utf8",
      },
    );
  const treeOf = (agent: string) => join(made.folder, "trees", agent);
  for (const { agent } of agents)
    git(made.directory, "worktree", "add", "--quiet", "-b", `baton/${agent}`, treeOf(agent), "main");
  const seen = nothingSeen();
  return {
    team,
    treeOf,
    git,
    write(agent: string, file: string, text: string) {
      mkdirSync(dirname(join(treeOf(agent), file)), { recursive: true });
      writeFileSync(join(treeOf(agent), file), text);
    },
    async found() {
      await lookAtTrees(team.context, { directory: made.directory, environment: testEnvironment }, seen);
      const status = await team.as("owner").status();
      assert.ok(status.ok);
      return status.value.collisions.map(({ file, kind, line }) => [file, kind, line]);
    },
    async [Symbol.asyncDispose]() {
      await team[Symbol.asyncDispose]();
      await made[Symbol.asyncDispose]();
    },
  };
}

test("the same lines in two trees are told to both agents and the lead once, and other lines only shown", async () => {
  await using at = await twoTrees();
  at.write("dev-1", "src/a.js", lines("mine"));
  assert.deepEqual(await at.found(), []);
  at.write("dev-2", "src/a.js", lines("one", "two", "three", "four", "five", "six", "theirs"));
  assert.deepEqual(await at.found(), [["src/a.js", "soft", null]], "seen without a commit, a hook or a claim");
  assert.deepEqual(await toldTo(at.team, "dev-1"), []);
  at.write("dev-2", "src/a.js", lines("other", "two", "three", "four", "five", "six", "theirs"));
  for (let look = 0; look < 2; look++) assert.deepEqual(await at.found(), [["src/a.js", "hot", 1]]);
  for (const agent of ["dev-1", "dev-2", "lead-1"]) {
    const told = await toldTo(at.team, agent);
    assert.equal(told.length, 1, agent);
    assert.match(told.join(), /dev-1 and dev-2 both change the same lines of src\/a\.js, about line 1/);
  }
  // Who has the other's commit and goes on from there meets nobody.
  at.git(at.treeOf("dev-1"), "commit", "--quiet", "-a", "-m", "mine");
  at.git(at.treeOf("dev-2"), "checkout", "--quiet", "src/a.js");
  at.git(at.treeOf("dev-2"), "merge", "--quiet", "baton/dev-1");
  at.write("dev-2", "src/a.js", lines("mine, and theirs"));
  assert.deepEqual(await at.found(), []);
});

test("a tree that only moved to what landed changes nothing, and what its agent does there counts from then on", async () => {
  await using at = await twoTrees();
  const [one, other] = [at.treeOf("dev-1"), at.treeOf("dev-2")];
  // Whose work landed goes on; the person's work is on the main branch, too.
  at.write("dev-1", "src/b.js", lines("landed"));
  at.git(one, "commit", "--quiet", "-a", "-m", "b");
  at.write("dev-1", "src/a.js", lines("mine"));
  assert.deepEqual(await at.found(), []);
  at.git(other, "checkout", "--quiet", "--detach");
  at.git(other, "merge", "--quiet", "--no-ff", "-m", "lands", "baton/dev-1");
  at.write("dev-2", "src/a.js", lines("another"));
  at.git(other, "commit", "--quiet", "-a", "-m", "a");
  at.git(other, "branch", "baton/main");
  at.git(other, "checkout", "--quiet", "baton/dev-2");
  assert.deepEqual(await at.found(), []);
  at.git(other, "merge", "--quiet", "--ff-only", "baton/main");
  for (let look = 0; look < 2; look++) assert.deepEqual(await at.found(), []);
  at.write("dev-2", "src/a.js", lines("theirs"));
  assert.deepEqual(await at.found(), [["src/a.js", "hot", 1]]);
});

test("what is new, deleted, binary or behind a link is shown and never read through", async () => {
  await using at = await twoTrees();
  at.write("dev-1", "new.js", "a\n");
  at.write("dev-2", "new.js", "b\n");
  at.write("dev-1", "folder/file.js", "a\n");
  at.write("dev-2", "folder", "a file\n");
  at.write("dev-1", "data.bin", "\0a");
  at.write("dev-2", "data.bin", "\0b");
  rmSync(join(at.treeOf("dev-1"), "src/b.js"));
  at.write("dev-2", "src/b.js", lines("changed"));
  at.write("dev-1", "src/a.js", lines("mine"));
  rmSync(join(at.treeOf("dev-2"), "src/a.js"));
  symlinkSync("/etc/passwd", join(at.treeOf("dev-2"), "src/a.js"));
  assert.deepEqual(
    new Map((await at.found()).map(([file, kind]) => [file, kind])),
    new Map([
      ["data.bin", "soft"],
      ["new.js", "hot"],
      ["src/a.js", "soft"],
      ["src/b.js", "soft"],
    ]),
  );
  assert.deepEqual(await at.found().then((all) => all.length), 4, "nothing is recorded twice");
});
