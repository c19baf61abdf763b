import assert from "node:assert/strict";
import { test } from "node:test";
import { typedMessage } from "../testing/fixtures.ts";
import { type TestTeam, testTeam } from "../testing/test-team.ts";

async function crew(): Promise<TestTeam> {
  const team = await testTeam({
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "dev-1", role: "dev" },
      { agent: "dev-2", role: "dev" },
      { agent: "dev-y", role: "dev", dialect: "yolo/1" },
    ],
    dialects: ["vbw/2", "yolo/1"],
  });
  const issued = await team.as("lead-1").send(JSON.stringify(typedMessage("plan_contract")));
  assert.equal(issued.outcome, "accepted");
  return team;
}

async function listed(team: TestTeam, agent = "owner") {
  const tasks = await team.as(agent).tasks();
  assert.ok(tasks.ok);
  return tasks.value.map(({ task, state, holder }) => [task, state, holder]);
}

test("a contract brings its tasks, and hands add more or say which files they touch", async () => {
  await using team = await crew();
  const lead = team.as("lead-1");
  const described = await lead.addTask({ task: "1-1-T2", files: ["src/b.js"], title: "Greet back" });
  assert.equal(described.outcome, "accepted");
  assert.equal((await lead.addTask({ task: "T3", plan: "1-1", dependsOn: ["T1"] })).outcome, "accepted");
  assert.deepEqual(await listed(team), [
    ["1-1-T1", "available", null],
    ["1-1-T2", "available", null],
    ["T3", "blocked", null],
  ]);
  const refused = await team.as("dev-1").addTask({ task: "1-1-T4" });
  assert.equal(refused.outcome === "refused" && refused.problems[0]?.code, "sender-not-authorised");
});

test("a claim is granted once, with the seq of its entry; the other is told who holds what", async () => {
  await using team = await crew();
  const [one, other] = await Promise.all([
    team.as("dev-1").claim({ task: "1-1-T1", files: ["src/a.js"] }, { id: "claim-1" }),
    team.as("dev-2").claim({ task: "1-1-T2", files: ["src/"] }),
  ]);
  assert.ok(one.granted && one.reply.outcome === "accepted");
  assert.equal(one.token, one.reply.receipt.seq);
  assert.equal(one.expiresAt, "2026-02-12T10:05:00.000Z");
  assert.ok(!other.granted);
  assert.deepEqual([other.reason, other.holder, other.paths], ["overlap", "dev-1", ["src/a.js"]]);
  const again = await team.as("dev-1").claim({ task: "1-1-T1", files: ["src/a.js"] }, { id: "claim-1" });
  assert.ok(again.granted && again.reply.outcome === "accepted");
  assert.deepEqual([again.token, again.reply.receipt.duplicate], [one.token, true]);
  assert.deepEqual(await listed(team), [
    ["1-1-T1", "claimed", "dev-1"],
    ["1-1-T2", "available", null],
  ]);
});

test("a task_claim on the wire is a claim, and its denial a refusal", async () => {
  await using team = await crew();
  const said = (task: string) =>
    JSON.stringify({
      type: "task_claim",
      task_id: task,
      plan_id: "01-01",
      files: ["src/y.js"],
      claimed_at: "2026-02-12T10:00:00Z",
    });
  assert.equal((await team.as("dev-y").send(said("T1"))).outcome, "accepted");
  assert.deepEqual(await listed(team), [
    ["1-1-T1", "claimed", "dev-y"],
    ["1-1-T2", "available", null],
  ]);
  const denied = await team.as("dev-1").claim({ task: "1-1-T1" });
  assert.deepEqual(!denied.granted && [denied.reason, denied.holder], ["held", "dev-y"]);
  const unknown = await team.as("dev-y").send(said("T9"));
  assert.deepEqual(unknown.outcome === "refused" && unknown.problems.map(({ code, path }) => [code, path]), [
    ["unknown-task", "$.task_id"],
  ]);
});

test("only agents of the team hold tasks", async () => {
  await using team = await crew();
  const owner = await team.as("owner").claim({ task: "1-1-T1" });
  assert.ok(!owner.granted && owner.reply.outcome === "refused");
  assert.deepEqual([owner.reason, owner.reply.problems[0]?.code], [null, "sender-not-authorised"]);
  await team.as("lead-1").retire("dev-1");
  const retired = await team.as("dev-1").claim({ task: "1-1-T1" });
  assert.equal(
    !retired.granted && retired.reply.outcome === "refused" && retired.reply.problems[0]?.code,
    "retired-agent",
  );
});

test("a released task is free again", async () => {
  await using team = await crew();
  await team.as("dev-1").claim({ task: "1-1-T1" });
  const refused = await team.as("dev-2").release("1-1-T1");
  assert.equal(refused.outcome === "refused" && refused.problems[0]?.path, "task");
  assert.equal((await team.as("lead-1").release("1-1-T1")).outcome, "accepted");
  assert.ok((await team.as("dev-2").claim({ task: "1-1-T1" })).granted);
});
