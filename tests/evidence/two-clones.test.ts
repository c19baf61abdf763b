/** Two hubs with clones that differ: the clone that lacks a commit takes back nothing that the other one found. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { teamHandle } from "../../src/perform/handle.ts";
import { git, testEnvironment } from "./history.ts";
import { type Made, madeRepository } from "./place.ts";
import { report, reporting, state, toldTo, work } from "./reporting.ts";

/** The repository, and a clone of it as it was before the last commit. */
async function clones() {
  const made = await madeRepository({ ...work, references: { "refs/heads/main": 0, "refs/keep": 1 } });
  const behind = join(made.folder, "behind");
  git(made.folder, "clone", "--quiet", "--no-local", "--single-branch", `file://${made.directory}`, behind);
  git(made.directory, "update-ref", "refs/heads/main", made.ids[1] ?? "");
  return { made, has: placeAt(made.directory), lacks: placeAt(behind), behind };
}

const placeAt = (directory: string) => ({ directory, environment: testEnvironment });

async function withClones(body: (given: Awaited<ReturnType<typeof clones>>) => Promise<void>): Promise<void> {
  const given = await clones();
  await using _: Made = given.made;
  await body(given);
}

test("what one hub verified stays so while the clone of another lacks the commit, and is judged there after a pull", async () => {
  await withClones(async ({ made, has, lacks, behind }) => {
    await using team = await reporting(made.ids[1] ?? "", ["src/a.js"]);
    const owner = team.as("owner");
    const head = async () => {
      const status = await owner.status();
      assert.ok(status.ok);
      return status.value.head.seq;
    };
    await owner.verify(has);
    const verified = await head();
    for (const options of [{}, { tasks: ["1-1-T1"] }]) {
      const judged = await owner.verify(lacks, options);
      assert.ok(judged.ok);
      const [found] = judged.value;
      assert.deepEqual([found?.state, found?.problems.map(({ code }) => code)], ["reported", ["commit-missing"]]);
      assert.ok((await owner.verify(has, options)).ok);
    }
    assert.deepEqual([await state(team), await head()], [["verified"], verified], "nothing was recorded");
    assert.deepEqual(await toldTo(team, "dev-1"), []);
    git(behind, "fetch", "--quiet");
    const pulled = await owner.verify(lacks);
    assert.equal(pulled.ok && pulled.value[0]?.state, "verified");
    git(behind, "update-ref", "--no-deref", "-d", "refs/remotes/origin/main");
    await owner.verify(lacks);
    assert.deepEqual(await state(team), ["stale", "commit-unreachable"], "this clone has it, and no branch does");
  });
});

test("stale and disputed work is not found to be something else where its commit is not there", async () => {
  await withClones(async ({ made, has, lacks }) => {
    await using team = await reporting(made.ids[1] ?? "", ["src/a.js"]);
    const owner = team.as("owner");
    await owner.verify(has);
    git(made.directory, "update-ref", "refs/heads/main", made.ids[0] ?? "");
    await owner.verify(has);
    await owner.verify(lacks);
    assert.deepEqual(await state(team), ["stale", "commit-unreachable"]);
    git(made.directory, "update-ref", "refs/heads/main", made.ids[1] ?? "");
    await report(team, made.ids[1] ?? "", ["src/b.js"]);
    await owner.verify(has);
    const disputed = await state(team);
    assert.equal(disputed[0], "disputed");
    await owner.verify(lacks);
    assert.deepEqual(await state(team), disputed);
  });
});

test("work that a later commit overtook stays stale while the clone of another hub lacks that commit", async () => {
  await withClones(async ({ made, has, lacks, behind }) => {
    await using team = await reporting(made.ids[1] ?? "", ["src/a.js"]);
    const owner = team.as("owner");
    await owner.verify(has);
    git(behind, "fetch", "--quiet");
    git(made.directory, "update-ref", "refs/heads/main", made.ids[2] ?? "");
    await owner.verify(has);
    const judged = await owner.verify(lacks);
    assert.deepEqual(judged.ok && judged.value[0]?.problems.map(({ code }) => code), ["commit-missing"]);
    assert.deepEqual(await state(team), ["stale", "work-overwritten"]);
    git(behind, "fetch", "--quiet");
    const pulled = await owner.verify(lacks);
    assert.equal(pulled.ok && pulled.value[0]?.state, "stale");
  });
});

test("a commit that no clone has is disputed, and stays so", async () => {
  await withClones(async ({ has, lacks }) => {
    await using team = await reporting("f".repeat(40), ["src/a.js"]);
    for (const place of [lacks, has, lacks]) {
      const judged = await team.as("owner").verify(place);
      assert.equal(judged.ok && judged.value[0]?.state, "disputed");
      assert.deepEqual(await state(team), ["disputed", "commit-missing"]);
    }
  });
});

test("where there is no other clone, a commit that is gone is lost work", async () => {
  await withClones(async ({ made, has, lacks }) => {
    await using team = await reporting(made.ids[1] ?? "", ["src/a.js"]);
    await team.as("owner").verify(has);
    const context = { ...team.context, isOnlyClone: true };
    const alone = teamHandle(context, { agent: "owner", via: "launcher" }, () => Promise.resolve());
    assert.ok((await alone.verify(lacks)).ok);
    assert.deepEqual(await state(team), ["stale", "commit-unreachable"]);
  });
});
