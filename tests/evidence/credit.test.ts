/**
 * The cheapest lies: work that is no work, older than its task, or somebody else's; and honest work that looks similar.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { git, testEnvironment } from "./history.ts";
import { tree } from "./place.ts";
import { state, tasksOf } from "./reporting.ts";

import { base, stageOf, with_ } from "./stage.ts";

test("an empty commit, one that changes nothing that is claimed, and a claimed file that never was are disputed", async () => {
  await using stage = await stageOf({
    commits: [
      { tree: with_({}), parents: [] },
      { tree: with_({}), parents: [0] },
      { tree: with_({ "src/a": "1" }), parents: [1] },
      { tree: with_({ "src/a": "1", "src/b": "1", ".baton/team.yaml": "1" }), parents: [2] },
    ],
  });
  await stage.add("1-1-T1");
  await stage.add("1-1-T2", ["src/none"]);
  await stage.add("1-1-T3", ["src/a"]);
  await stage.add("1-1-T4", ["src/b"]);
  stage.put(2);
  assert.deepEqual(await stage.work("dev-1", "1-1-T1", [1]), ["disputed", "nothing-changed"]);
  assert.deepEqual(await stage.work("dev-1", "1-1-T2", [2]), ["disputed", "nothing-changed", "outside-claim"]);
  // Both name the commit, and its one change is the other's.
  for (const [agent, task] of [
    ["dev-1", "1-1-T1"],
    ["dev-2", "1-1-T3"],
  ] as const) {
    assert.equal((await stage.team.as(agent).claim({ task })).outcome, "accepted");
    const done = await stage.team.as(agent).complete({ task, commit: stage.ids[2] ?? "" });
    assert.equal(done.outcome, "accepted");
  }
  assert.equal((await stage.verify())["1-1-T3"], "verified");
  const [shared] = await tasksOf(stage.team);
  assert.deepEqual(
    shared?.problems.map(({ message }) => message),
    ["The commits change nothing that the task claims."],
  );
  // The owner's files came along with `git add -A`; the dispute says how to take them out.
  stage.put(3);
  assert.deepEqual(await stage.work("dev-1", "1-1-T4", [3]), ["disputed", "invalid-path"]);
  const [found] = (await tasksOf(stage.team)).flatMap(({ problems }) =>
    problems.filter(({ code }) => code === "invalid-path"),
  );
  assert.match(found?.hint ?? "", /git reset --soft HEAD~1/);
});

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

test("a file that is left as a branch had it when the task was recorded is no change; one taken back to before is", async () => {
  await using stage = await stageOf({
    commits: [
      { tree: with_({}), parents: [] },
      { tree: with_({ "src/b": "1" }), parents: [0] },
      { tree: with_({ "src/c": "old" }), parents: [0] },
      // Removed and brought back.
      { tree: tree({ "src/b": "1", "src/c": "0", long: base.long }), parents: [1] },
      { tree: with_({ "src/b": "1" }), parents: [3] },
      // An old branch merged again, also with work next to it that nobody claims.
      { tree: with_({ "src/b": "1", "src/c": "old" }), parents: [4, 2] },
      { tree: with_({ "src/c": "old", long: "beside" }), parents: [2] },
      { tree: with_({ "src/b": "1", "src/c": "old", long: "beside" }), parents: [4, 6] },
      // What a branch held long ago is brought back; an old branch is built upon and merged.
      { tree: with_({ "src/c": "old" }), parents: [5] },
      { tree: with_({ "src/c": "new" }), parents: [2] },
      { tree: with_({ "src/c": "new" }), parents: [8, 9] },
    ],
  });
  stage.put(1);
  stage.put(2, "old");
  stage.put(0, "release");
  for (const [task, file] of [
    ["1-1-T1", "src/a"],
    ["1-1-T2", "src/c"],
    ["1-1-T3", "src/c"],
    ["1-1-T4", "src/b"],
    ["1-1-T5", "src/c"],
    ["1-1-T6", "src/a"],
  ] as const)
    await stage.add(task, [file]);
  stage.put(10);
  stage.put(7, "other");
  assert.deepEqual(await stage.work("dev-1", "1-1-T1", [4]), ["disputed", "commit-before-task"]);
  assert.deepEqual(await stage.work("dev-1", "1-1-T6", [4, 3]), ["disputed", "nothing-changed"]);
  assert.deepEqual(await stage.work("dev-1", "1-1-T2", [5]), ["disputed", "commit-before-task"]);
  assert.deepEqual(await stage.work("dev-1", "1-1-T3", [7]), ["disputed", "commit-before-task", "outside-claim"]);
  assert.deepEqual(await stage.work("dev-1", "1-1-T5", [10]), ["verified"]);
});

test("old work that is written again is no change; brought to a branch that did not hold it, it is noted", async () => {
  await using stage = await stageOf({
    commits: [
      { tree: with_({}), parents: [] },
      { tree: with_({ "src/a": "1" }), parents: [0] },
      { tree: with_({ "src/a": "1" }), parents: [0], author: "another" },
      { tree: with_({ "src/c": "1" }), parents: [0] },
      { tree: with_({ "src/c": "1", "src/a": "1" }), parents: [3] },
      { tree: with_({ "src/a": "1", "src/b": "1" }), parents: [0] },
    ],
  });
  stage.put(1);
  stage.put(3, "release");
  await stage.add("1-1-T1", ["src/a"]);
  await stage.add("1-1-T2", ["src/a"]);
  await stage.add("1-1-T3", ["src/a", "src/b"]);
  await stage.add("1-1-T4", ["src/a"]);
  // Amended: no branch holds the old commit.
  stage.put(2);
  assert.deepEqual(await stage.work("dev-1", "1-1-T4", [2]), ["disputed", "commit-before-task"]);
  stage.put(1);
  stage.put(4, "release");
  assert.deepEqual(await stage.work("dev-2", "1-1-T2", [4]), ["verified"]);
  const noted = async () =>
    (await tasksOf(stage.team)).flatMap(({ task, notes }) =>
      notes.flatMap(({ code, path }) => (code === "same-on-another-branch" ? [[task, path]] : [])),
    );
  assert.deepEqual(await noted(), [["1-1-T2", stage.ids[1]]]);
  stage.put(2);
  const place = { directory: stage.made.directory, environment: testEnvironment };
  assert.ok((await stage.team.as("owner").verify(place, { tasks: ["1-1-T2"] })).ok);
  const [, second] = await tasksOf(stage.team);
  assert.equal(second?.verdict, "verified", "what was verified stays so when the other branch goes");
  assert.deepEqual(await noted(), [["1-1-T2", stage.ids[1]]]);
  stage.put(5);
  assert.deepEqual(await stage.work("dev-1", "1-1-T3", [5]), ["verified"], "with new work in another file");
});

test("one commit is credited to a second task only for a separate file, and a copy of it to none", async () => {
  await using stage = await stageOf({
    commits: [
      { tree: with_({}), parents: [] },
      { tree: with_({ "src/a": "1", "src/b": "1" }), parents: [0] },
      { tree: with_({ "src/a": "1", "src/b": "1", long: `${base.long}\n40` }), parents: [1] },
      // Another line of history, where the file begins in another way.
      { tree: with_({ long: `new\n${base.long}` }), parents: [0] },
      { tree: with_({ long: `new\n${base.long}\n40` }), parents: [3] },
      { tree: with_({ long: `new\n${base.long}\n40`, "src/c": "1" }), parents: [4] },
    ],
  });
  for (const [task, files] of [
    ["1-1-T1", ["src/a"]],
    ["1-1-T2", ["src/b"]],
    ["1-1-T3", ["src/"]],
    ["1-1-T4", ["long"]],
    ["1-1-T5", ["long"]],
    ["1-1-T6", ["long", "src/c"]],
  ] as const)
    await stage.add(task, files);
  stage.put(2);
  stage.put(5, "other");
  // What belongs to another task is outside, until that task names the commit too; then both are good.
  assert.deepEqual(await stage.work("dev-1", "1-1-T1", [1]), ["disputed", "outside-claim"]);
  assert.deepEqual(await stage.work("dev-2", "1-1-T2", [1]), ["verified"]);
  assert.equal((await stage.verify())["1-1-T1"], "verified");
  assert.deepEqual(await stage.work("dev-1", "1-1-T3", [1]), ["disputed", "commit-credited"]);
  assert.deepEqual(await stage.work("dev-1", "1-1-T4", [2]), ["verified"]);
  assert.deepEqual(await stage.work("dev-2", "1-1-T5", [4]), ["reported"]);
  // The commit itself stays credited to one task; a copy on another branch is a backport where the lead says so.
  const lead = stage.team.as("lead-1");
  await lead.complete({ task: "1-1-T3", commit: stage.ids[1] ?? "", finishedBefore: true });
  assert.equal((await lead.settle({ task: "1-1-T5", as: "verified" })).outcome, "accepted");
  const said = await stage.verify();
  assert.deepEqual([said["1-1-T3"], said["1-1-T5"]], ["disputed,commit-credited", "verified"]);
  assert.deepEqual(
    await stage.work("dev-2", "1-1-T6", [4, 5]),
    ["verified"],
    "beside the copy it has a file of its own",
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
