/**
 * Work of several tasks in the same commits and files: who answers for what, and what an earlier task's credit excuses.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { testEnvironment } from "./history.ts";
import { stageOf, with_ } from "./stage.ts";

test("a report answers for what another changed only while the repository confirms it", async () => {
  await using stage = await stageOf({
    commits: [
      { tree: with_({}), parents: [] },
      { tree: with_({ "src/a": "1", "src/b": "1" }), parents: [0] },
      { tree: with_({ "src/a": "2", "src/b": "2" }), parents: [1] },
    ],
  });
  for (const task of ["1-1-T1", "1-1-T3"]) await stage.add(task, ["src/a"]);
  for (const task of ["1-1-T0", "1-1-T4"]) await stage.add(task, ["src/b"]);
  // The other report is disputed for a reason of its own.
  stage.put(1);
  await stage.add("1-1-T2", ["src/b"]);
  assert.deepEqual(await stage.work("dev-1", "1-1-T1", [1]), ["disputed", "outside-claim"]);
  assert.deepEqual(await stage.work("dev-2", "1-1-T2", [1]), ["disputed", "commit-before-task"]);
  assert.equal((await stage.verify())["1-1-T1"], "disputed,outside-claim");
  stage.put(2);
  assert.deepEqual(await stage.work("dev-1", "1-1-T3", [2]), ["disputed", "outside-claim"]);
  assert.deepEqual(await stage.work("dev-2", "1-1-T4", [2]), ["verified"]);
  assert.equal((await stage.verify())["1-1-T3"], "verified");
  assert.equal((await stage.team.as("dev-2").complete({ task: "1-1-T4", status: "failed" })).outcome, "accepted");
  const place = { directory: stage.made.directory, environment: testEnvironment };
  assert.ok((await stage.team.as("owner").verify(place)).ok);
  assert.equal((await stage.verify())["1-1-T3"], "verified", "nobody is accused later");
});
