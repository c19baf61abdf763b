/**
 * Work of several tasks in the same commits and files: who answers for what, and what an earlier task's credit excuses.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ok } from "../../src/base/result.ts";
import { openRepository } from "../../src/evidence/git/repository.ts";
import { judgeRound, type VerifierFinding } from "../../src/main/verifier.ts";
import { teamHandle } from "../../src/perform/handle.ts";
import { testEnvironment } from "./history.ts";
import { stageOf, with_ } from "./stage.ts";

test("a file that is left as it was when the task was recorded is no change, although an earlier task is credited with it", async () => {
  await using stage = await stageOf({
    commits: [
      { tree: with_({}), parents: [] },
      { tree: with_({ "src/a": "first" }), parents: [0] },
      // Changed and changed back; then another task changes it, and that is taken back.
      { tree: with_({ "src/a": "spoilt" }), parents: [1] },
      { tree: with_({ "src/a": "first" }), parents: [2] },
      { tree: with_({ "src/a": "second" }), parents: [3] },
      { tree: with_({ "src/a": "first" }), parents: [4] },
    ],
  });
  for (const task of ["1-1-T0", "1-1-T1"]) await stage.add(task, ["src/a"]);
  stage.put(1);
  assert.deepEqual(await stage.work("dev-1", "1-1-T1", [1]), ["verified"]);
  for (const task of ["1-1-T2", "1-1-T3", "1-1-T4"]) await stage.add(task, ["src/a"]);
  stage.put(3);
  assert.deepEqual(await stage.work("dev-2", "1-1-T2", [3]), ["disputed", "commit-before-task"]);
  assert.deepEqual(await stage.work("dev-2", "1-1-T2", [2, 3]), ["disputed", "nothing-changed"]);
  stage.put(4);
  assert.deepEqual(await stage.work("dev-1", "1-1-T3", [4]), ["verified"]);
  stage.put(5);
  assert.deepEqual(await stage.work("dev-2", "1-1-T4", [5]), ["verified"]);
});

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

test("a verifier judges a new report with the one that shares its commit and does not hold", async () => {
  await using stage = await stageOf({
    commits: [
      { tree: with_({}), parents: [] },
      { tree: with_({ "src/a": "1", "src/b": "1" }), parents: [0] },
    ],
  });
  const verifier = teamHandle(stage.team.context, { agent: "verifier:ci", via: "token" }, () => Promise.resolve());
  const opened = () => openRepository(stage.made.directory, { environment: testEnvironment });
  const look = async (asked = {}) => {
    const said: string[] = [];
    const branches = { fetch: async () => await Promise.resolve(ok(undefined)), open: opened };
    const tell = ({ task, state, problems }: VerifierFinding, seq: number | null) =>
      said.push([task, state, ...problems.map(({ code }) => code), seq === null ? "known" : "new"].join());
    const { signal } = new AbortController();
    const round = await judgeRound({ team: verifier, branches, signal, tell }, asked);
    assert.ok(round.ok, JSON.stringify(round));
    return said;
  };
  const report = async (agent: string, task: string) => {
    assert.equal((await stage.team.as(agent).claim({ task })).outcome, "accepted");
    const commit = stage.ids[1] ?? "";
    assert.equal((await stage.team.as(agent).complete({ task, commit })).outcome, "accepted");
  };
  await stage.add("1-1-T1", ["src/a"]);
  stage.put(1);
  await stage.add("1-1-T2", ["src/b"]);
  await report("dev-2", "1-1-T2");
  assert.deepEqual(await look(), ["1-1-T2,disputed,commit-before-task,new"]);
  await report("dev-1", "1-1-T1");
  assert.deepEqual(await look(), ["1-1-T2,disputed,commit-before-task,known", "1-1-T1,disputed,outside-claim,new"]);
  assert.deepEqual(await look(), [], "nothing is new any more");
  assert.deepEqual(await look({ all: true }), [
    "1-1-T2,disputed,commit-before-task,known",
    "1-1-T1,disputed,outside-claim,known",
  ]);
});

test("several commits are judged from the oldest to the newest, however the report lists them", async () => {
  const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `${from + at}`).join("\n");
  await using stage = await stageOf({
    commits: [
      { tree: with_({}), parents: [] },
      { tree: with_({ "src/a": "01\n02" }), parents: [0] },
      // The same in two commits, on another branch.
      { tree: with_({ "src/a": "01", "src/old": lines(0, 30) }), parents: [0] },
      { tree: with_({ "src/a": "01\n02", "src/old": lines(0, 30) }), parents: [2] },
      // A file is moved, then changed.
      { tree: with_({ "src/a": "01\n02", "src/new": lines(0, 30) }), parents: [3] },
      { tree: with_({ "src/a": "01\n02", "src/new": lines(0, 31) }), parents: [4] },
    ],
  });
  for (const task of ["1-1-T0", "1-1-T1", "1-1-T2"]) await stage.add(task, ["src/a"]);
  await stage.add("1-1-T3", ["src/old", "src/new"]);
  stage.put(1);
  assert.deepEqual(await stage.work("dev-1", "1-1-T1", [1]), ["verified"]);
  stage.put(5, "other");
  const copied = ["disputed", "same-change", "outside-claim"];
  assert.deepEqual(await stage.work("dev-2", "1-1-T2", [2, 3]), copied);
  assert.deepEqual(await stage.work("dev-2", "1-1-T2", [3, 2]), copied);
  const dev = stage.team.as("dev-1");
  assert.equal((await dev.claim({ task: "1-1-T3" })).outcome, "accepted");
  const commit = [5, 4].map((index) => stage.ids[index] ?? "");
  assert.equal((await dev.complete({ task: "1-1-T3", commit, files: ["src/new"] })).outcome, "accepted");
  assert.equal((await stage.verify())["1-1-T3"], "verified");
});
