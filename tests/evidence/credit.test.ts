/**
 * The cheapest lies: work that is no work, older than its task, or somebody else's; and honest work that looks similar.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { git } from "./history.ts";
import { state, tasksOf } from "./reporting.ts";

import { stageOf, with_ } from "./stage.ts";

test("a commit that a branch held before the task is disputed; one from before the claim is not", async () => {
  await using stage = await stageOf({
    commits: [
      { tree: with_({}), parents: [] },
      { tree: with_({ "src/a": "1" }), parents: [0] },
      { tree: with_({ "src/a": "1", "src/b": "1" }), parents: [1] },
      { tree: with_({ "src/c": "1" }), parents: [0] },
    ],
  });
  stage.put(1);
  await stage.add("1-1-T1", ["src/a"]);
  await stage.add("1-1-T2", ["src/b"]);
  await stage.add("1-1-T3", ["src/c"]);
  stage.put(2);
  stage.put(3, "feature");
  assert.deepEqual(await stage.work("dev-1", "1-1-T1", [1]), ["disputed", "commit-before-task"]);
  assert.deepEqual(await stage.work("dev-1", "1-1-T2", [2]), ["verified"]);
  const notes = (await tasksOf(stage.team)).map((task) => task.notes.map(({ code }) => code));
  assert.deepEqual(notes, [[], [], []]);
  // A branch that was seen, was hidden while the task was recorded, and is back: its commit is as old as it was.
  git(stage.made.directory, "update-ref", "-d", "refs/heads/feature");
  await stage.add("1-1-T4", ["src/c"]);
  stage.put(3, "feature");
  assert.deepEqual(await stage.work("dev-1", "1-1-T4", [3]), ["disputed", "commit-before-task"]);
  // The branch may go: what was recorded stays.
  git(stage.made.directory, "update-ref", "-d", "refs/heads/feature");
  stage.put(2, "other");
  const before = await stage.team
    .as("lead-1")
    .complete({ task: "1-1-T1", commit: stage.ids[1] ?? "", finishedBefore: true });
  assert.equal(before.outcome, "accepted");
  assert.equal((await stage.verify())["1-1-T1"], "verified");
  const [first] = await tasksOf(stage.team);
  assert.deepEqual(
    first?.notes.map(({ code }) => code),
    ["finished-before"],
  );
});

test("several commits are judged by what they change together", async () => {
  await using stage = await stageOf({
    commits: [
      { tree: with_({}), parents: [] },
      { tree: with_({ "src/a": "1" }), parents: [0] },
      { tree: with_({ "src/a": "1", "src/b": "1" }), parents: [1] },
    ],
  });
  await stage.add("1-1-T1", ["src/a", "src/b"]);
  stage.put(2);
  const dev = stage.team.as("dev-1");
  const commit = [stage.ids[1] ?? "", stage.ids[2] ?? ""];
  const say = async (commits: readonly string[], files: readonly string[]) => {
    assert.equal((await dev.claim({ task: "1-1-T1" })).outcome, "accepted");
    assert.equal((await dev.complete({ task: "1-1-T1", commit: commits, files })).outcome, "accepted");
    await stage.verify();
    return await state(stage.team);
  };
  assert.deepEqual(await say([commit[1] ?? ""], ["src/a", "src/b"]), ["disputed", "files-not-changed"]);
  assert.deepEqual(await say(commit, ["src/b"]), ["disputed", "files-unlisted"]);
  assert.deepEqual(await say([commit[0] ?? "", "f".repeat(40)], ["src/a"]), ["disputed", "commit-missing"]);
  assert.equal((await say(commit, ["src/a", "src/b"]))[0], "complete");
  const [task] = await tasksOf(stage.team);
  assert.deepEqual(task?.commits, commit);
});

test("a task without known files takes no credit for what another agent holds or reports", async () => {
  await using stage = await stageOf({
    commits: [
      { tree: with_({}), parents: [] },
      { tree: with_({ "src/b": "1" }), parents: [0] },
    ],
  });
  for (const task of ["1-1-T1", "1-1-T3"]) await stage.add(task);
  await stage.add("1-1-T2", ["src/b"]);
  stage.put(1);
  assert.equal((await stage.team.as("dev-2").claim({ task: "1-1-T2" })).outcome, "accepted");
  assert.deepEqual(await stage.work("dev-1", "1-1-T1", [1]), ["disputed", "outside-claim"]);
  assert.deepEqual(await stage.work("dev-2", "1-1-T2", [1], null), ["verified"]);
  assert.deepEqual(await stage.work("dev-1", "1-1-T3", [1]), ["disputed", "nothing-changed"]);
});

test("only the owner's commits change Baton's own files, also where neither contract nor claim bounds the work", async () => {
  const order = {
    commits: [
      { tree: with_({}), parents: [] },
      { tree: with_({ "src/b": "1", ".baton/team.yaml": "x" }), parents: [0] },
      { tree: with_({ "src/b": "1" }), parents: [0] },
      { tree: with_({ "src/b": "1", ".baton/messages/x.json": "{}" }), parents: [2] },
      { tree: with_({ "src/c": "1" }), parents: [0] },
    ],
  };
  await using stage = await stageOf(order, true);
  for (const [index, commit] of [1, 3].entries()) {
    await stage.add(`1-1-T${index + 1}`);
    stage.put(commit);
    assert.deepEqual(await stage.work("dev-1", `1-1-T${index + 1}`, [commit]), ["disputed", "invalid-path"]);
  }
  // They came along with `git add -A`; the dispute says how to take them out.
  const [found] = (await tasksOf(stage.team)).flatMap(({ problems }) => problems);
  assert.match(found?.hint ?? "", /git reset --soft HEAD~1/);
  // The control: the same work without it.
  await stage.add("1-1-T3");
  stage.put(4, "other");
  assert.deepEqual(await stage.work("dev-1", "1-1-T3", [4]), ["verified"]);
});

test("a file that another agent claims between a report and its verdict does not count against the report", async () => {
  await using stage = await stageOf({
    commits: [
      { tree: with_({}), parents: [] },
      { tree: with_({ "src/b": "1" }), parents: [0] },
    ],
  });
  await stage.add("1-1-T1");
  await stage.add("1-1-T2", ["src/b"]);
  stage.put(1);
  const dev = stage.team.as("dev-1");
  assert.equal((await dev.claim({ task: "1-1-T1" })).outcome, "accepted");
  assert.equal((await dev.complete({ task: "1-1-T1", commit: stage.ids[1] ?? "" })).outcome, "accepted");
  assert.equal((await stage.team.as("dev-2").claim({ task: "1-1-T2" })).outcome, "accepted");
  assert.equal((await stage.verify())["1-1-T1"], "verified");
});

test("nor does a file that comes to an older claim of another agent after the report; one that came before it does", async () => {
  for (const isLater of [true, false]) {
    await using stage = await stageOf({
      commits: [
        { tree: with_({}), parents: [] },
        { tree: with_({ "src/b": "1" }), parents: [0] },
      ],
    });
    await stage.add("1-1-T1");
    await stage.add("1-1-T2", ["src/other"]);
    stage.put(1);
    const [dev, other] = [stage.team.as("dev-1"), stage.team.as("dev-2")];
    const grow = async () =>
      assert.equal((await other.claim({ task: "1-1-T2", files: ["src/b"] })).outcome, "accepted");
    assert.equal((await other.claim({ task: "1-1-T2" })).outcome, "accepted");
    assert.equal((await dev.claim({ task: "1-1-T1" })).outcome, "accepted");
    if (!isLater) await grow();
    assert.equal((await dev.complete({ task: "1-1-T1", commit: stage.ids[1] ?? "" })).outcome, "accepted");
    if (isLater) await grow();
    assert.equal((await stage.verify())["1-1-T1"], isLater ? "verified" : "disputed,outside-claim");
  }
});
