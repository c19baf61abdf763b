/** A task's story tells who held it and how that ended, what was reported and what became of it, and each file. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { recordIndex } from "../../record/view/record-index.ts";
import { manualClock, typedMessage } from "../../testing/fixtures.ts";
import { type TestTeam, testTeam } from "../../testing/test-team.ts";

const clock = manualClock();

async function shop(): Promise<TestTeam> {
  const team = await testTeam({
    clock,
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "dev-1", role: "dev" },
      { agent: "dev-2", role: "dev" },
    ],
  });
  const contract = typedMessage("plan_contract", { forbidden_paths: ["src/secrets/"] });
  assert.equal((await team.as("lead-1").send(JSON.stringify(contract))).outcome, "accepted");
  const added = await team
    .as("lead-1")
    .addTask({ task: "1-1-T2", plan: "1-1", title: "Names", files: ["src/a.ts"], dependsOn: ["1-1-T1"] });
  assert.equal(added.outcome, "accepted");
  return team;
}

async function storyOf(team: TestTeam, task: string) {
  const story = await team.as("owner").task({ task });
  assert.ok(story.ok, JSON.stringify(story));
  return story.value;
}

test("a story lists claims with how each ended, and reports with what became of each", async () => {
  await using team = await shop();
  const [one, two] = [team.as("dev-1"), team.as("dev-2")];
  assert.equal((await one.claim({ task: "1-1-T1", files: ["src/greet.js"] })).outcome, "accepted");
  assert.equal((await one.release({ task: "1-1-T1" })).outcome, "accepted");
  assert.equal((await two.claim({ task: "1-1-T1", files: ["src/greet.js", "src/b/"] })).outcome, "accepted");
  clock.advance(3_600_000);
  assert.ok((await team.as("owner").tasks()).ok, "what has expired is recorded");
  assert.equal((await one.claim({ task: "1-1-T1", files: ["src/greet.js"] })).outcome, "accepted");
  const report = { task: "1-1-T1", commit: "abc1234", files: ["src/greet.js", "src/other.ts"] };
  assert.equal((await one.complete({ ...report, files: ["src/greet.js"] })).outcome, "accepted");
  const { claims, reports, task, contract, waitsFor, neededBy, files, verdict, seq } = await storyOf(team, "01-01/T1");
  assert.deepEqual(
    claims.map(({ holder, end, endSeq, until }) => [holder, end, endSeq !== null, until !== null]),
    [
      ["dev-1", "released", true, true],
      ["dev-2", "expired", true, true],
      ["dev-1", "reported", true, true],
    ],
  );
  assert.deepEqual(
    reports.map(({ reporter, status, commits, outcome }) => [reporter, status, commits, outcome]),
    [["dev-1", "complete", ["abc1234"], "reported"]],
  );
  assert.deepEqual([task.task, contract?.plan, contract?.revision], ["1-1-T1", "1-1", 1]);
  assert.deepEqual([waitsFor, neededBy.map(({ task: name }) => name)], [[], ["1-1-T2"]]);
  assert.deepEqual(files, [
    { path: "src/greet.js", changed: null, reported: true, claimed: true, contract: "allowed" },
  ]);
  assert.equal(verdict, null);
  const index = await recordIndex(team.context);
  assert.ok(index.ok && index.value.seq === seq && index.value.rows.length === seq);
});

test("a file is allowed, outside or forbidden by the contract of the task's plan", async () => {
  await using team = await shop();
  const claimed = await team.as("dev-1").claim({ task: "1-1-T1", files: ["src/"] });
  assert.ok(claimed.outcome === "accepted", JSON.stringify(claimed));
  const { files, claims } = await storyOf(team, "1-1-T1");
  assert.deepEqual(
    files.map(({ path, claimed: isClaimed, contract }) => [path, isClaimed, contract]),
    [["src/", true, "allowed"]],
  );
  assert.deepEqual(
    claims.map(({ holder, end, until }) => [holder, end, until]),
    [["dev-1", "held", null]],
  );
  const waiting = await storyOf(team, "1-1-T2");
  assert.deepEqual(waiting.waitsFor, [{ task: "1-1-T1", state: "claimed" }]);
});

test("a task that nobody knows is refused", async () => {
  await using team = await shop();
  for (const task of ["9-9-T9", "__proto__", ""]) {
    const story = await team.as("owner").task({ task });
    assert.ok(!story.ok && story.error.code === "unknown-task", task);
  }
});

test("the index of the record grows with what is new, also for those who ask at once", async () => {
  await using team = await shop();
  const owner = team.as("owner");
  for (let n = 0; n < 600; n += 1) await owner.register({ agent: `helper-${n}`, role: "dev" });
  const asked = await Promise.all([recordIndex(team.context), recordIndex(team.context)]);
  for (const index of asked) {
    assert.ok(index.ok);
    const { rows, seq } = index.value;
    assert.deepEqual(
      rows.map((row) => row.seq),
      Array.from({ length: seq }, (_, at) => at + 1),
    );
  }
  await owner.register({ agent: "helper-x", role: "dev" });
  const after = await recordIndex(team.context);
  assert.ok(after.ok);
  assert.deepEqual([after.value.rows.at(-1)?.what, after.value.rows.at(-1)?.sender], ["register-agent", "owner"]);
});
