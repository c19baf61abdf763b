/**
 * A blocker has a receiver, even if none of the usual ones is there. Source: docs/protocol/asking.md, sections 5 to 10.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { DialectId } from "../messages/message.ts";
import type { Department, Role } from "../messages/role.ts";
import { manualClock, typedMessage } from "../testing/fixtures.ts";
import { type TestTeam, testTeam } from "../testing/test-team.ts";

type Agent = readonly [string, Role, Department?];

async function place(dialect: DialectId, agents: readonly Agent[], clock = manualClock()): Promise<TestTeam> {
  return await testTeam({
    clock,
    dialects: [dialect],
    agents: agents.map(([agent, role, department]) => ({
      agent,
      role,
      ...(department === undefined ? {} : { department }),
    })),
  });
}

const report = (id: string, more: object = {}) =>
  typedMessage("blocker_report", { blocker: "The module is missing", needs: "a decision", ...more }, { id });
const old = {
  type: "dev_blocker",
  task: "01-02/T1",
  plan_id: "01-02",
  blocker: "Missing",
  needs: "01-01",
  attempted: [],
};

async function reported(team: TestTeam, message: object) {
  const reply = await team.as("dev-1").send(JSON.stringify(message));
  assert.ok(reply.outcome === "accepted", JSON.stringify(reply));
  return reply;
}

async function escalationsOf(team: TestTeam) {
  const found = await team.as("owner").escalations({ all: true });
  assert.ok(found.ok);
  return found.value;
}

/** Who sent what an agent was sent, and the beginning of it. */
async function mailOf(team: TestTeam, agent: string) {
  const page = await team.as(agent).inbox();
  assert.ok(page.ok, JSON.stringify(page));
  return page.value.deliveries.map(({ sender, message }) => [sender, JSON.stringify(message).slice(0, 60)] as const);
}

test("without a lead a blocker reaches the architect, where it waits, and what is added too", async () => {
  await using team = await place("vbw/2", [
    ["dev-1", "dev"],
    ["architect-1", "architect"],
  ]);
  const reply = await reported(team, report("blocker-1"));
  assert.deepEqual(reply.receivers, ["architect-1"]);
  assert.deepEqual(
    reply.notes.map(({ code }) => code),
    ["receivers-away"],
  );
  await reported(team, report("blocker-2", { blocker: "And the other one too" }));
  const [escalation, ...others] = await escalationsOf(team);
  assert.deepEqual([escalation?.level, escalation?.status, others.length], ["architect", "open", 0]);
  assert.deepEqual(
    (await mailOf(team, "architect-1")).map(([sender]) => sender),
    ["dev-1", "dev-1"],
  );
  assert.deepEqual(await mailOf(team, "owner"), []);
  const decided = await team
    .as("architect-1")
    .resolve({ escalation: escalation?.id ?? "", decision: "Use the old one" });
  assert.equal(decided.outcome, "accepted", JSON.stringify(decided));
});

test("what is added is reported to a level that the messages do not reach, and a repeat is not", async () => {
  await using team = await place("yolo/2", [
    ["dev-1", "dev"],
    ["senior-1", "senior"],
    ["lead-1", "lead"],
  ]);
  await reported(team, report("blocker-1"));
  await reported(team, report("blocker-2", { blocker: "And the other one too" }));
  assert.equal((await mailOf(team, "senior-1")).length, 2);
  await reported(team, report("blocker-3"));
  assert.equal((await mailOf(team, "senior-1")).length, 2);
  assert.equal((await escalationsOf(team)).length, 1);
  assert.equal((await mailOf(team, "lead-1")).filter(([sender]) => sender === "dev-1").length, 3);
});

test("the person receives the blocker of an agent that is alone, and decides", async () => {
  await using team = await place("vbw/2", [["dev-1", "dev"]]);
  await reported(team, report("blocker-1"));
  const [escalation] = await escalationsOf(team);
  assert.equal(escalation?.level, "user");
  assert.deepEqual(
    (await mailOf(team, "owner")).map(([sender]) => sender),
    ["dev-1"],
  );
  assert.equal(
    (await team.as("owner").resolve({ escalation: escalation?.id ?? "", decision: "Go" })).outcome,
    "accepted",
  );
  const [[sender] = []] = await mailOf(team, "dev-1");
  assert.equal(sender, "owner");
});

test("a lead that was retired is not waited for; one that is there hears it as ever", async () => {
  await using team = await place("vbw/2", [
    ["dev-1", "dev"],
    ["lead-1", "lead"],
  ]);
  assert.deepEqual((await reported(team, report("blocker-1"))).receivers, ["lead-1"]);
  assert.equal((await team.as("owner").retire({ agent: "lead-1" })).outcome, "accepted");
  const other = typedMessage(
    "blocker_report",
    { blocker: "Another", task_id: "1-1-T2" },
    { id: "b-2", task: "1-1-T2" },
  );
  assert.deepEqual((await reported(team, other)).receivers, ["owner"]);
});

test("in yolo/2 a debugger is outside the chain: a developer's blocker waits at the lead", async () => {
  await using team = await place("yolo/2", [
    ["dev-1", "dev"],
    ["debugger-1", "debugger"],
    ["lead-1", "lead"],
  ]);
  assert.deepEqual((await reported(team, report("blocker-1"))).receivers, ["lead-1"]);
  const [escalation] = await escalationsOf(team);
  assert.deepEqual([escalation?.level, escalation?.chain], ["lead", ["lead", "user"]]);
  const id = escalation?.id ?? "";
  assert.equal((await team.as("debugger-1").resolve({ escalation: id, decision: "Wait" })).outcome, "refused");
  assert.equal((await team.as("lead-1").resolve({ escalation: id, decision: "Wait" })).outcome, "accepted");
});

test("a level is notified although somebody above it has the report, and nobody whose level has it is notified twice", async () => {
  await using team = await place("yolo/2", [
    ["dev-1", "dev"],
    ["senior-1", "senior"],
    ["lead-1", "lead"],
  ]);
  assert.deepEqual((await reported(team, report("blocker-1"))).receivers, ["lead-1"]);
  const [escalation] = await escalationsOf(team);
  assert.equal(escalation?.level, "senior");
  const [[sender, words] = [], ...more] = await mailOf(team, "senior-1");
  assert.deepEqual([sender, more.length], ["baton", 0]);
  assert.match(words ?? "", /^"Escalation \S+ has come to the senior:/);
  assert.deepEqual(
    (await mailOf(team, "lead-1")).map(([who]) => who),
    ["dev-1"],
  );
});

test("a level that is notified late, or by silence after nobody looked, has its whole time", async () => {
  const clock = manualClock();
  await using team = await place(
    "yolo/2",
    [
      ["dev-1", "dev"],
      ["senior-1", "senior"],
      ["lead-1", "lead"],
    ],
    clock,
  );
  await reported(team, report("blocker-1"));
  // Nobody looks for an hour, so the level is not even told.
  clock.advance(3_600_000);
  const at = async () => (await escalationsOf(team))[0]?.level;
  assert.equal(await at(), "senior");
  assert.equal((await mailOf(team, "senior-1")).length, 1);
  clock.advance(299_999);
  assert.equal(await at(), "senior");
  clock.advance(3_600_000);
  assert.equal(await at(), "lead", "and from there nobody looks again for an hour");
  clock.advance(299_999);
  assert.equal(await at(), "lead");
  clock.advance(1);
  assert.equal(await at(), "user");
  const decided = await team.as("owner").resolve({ escalation: "ESC-01-01-T1", decision: "Go" });
  assert.equal(decided.outcome, "accepted", JSON.stringify(decided));
});

test("a blocker of a department without its senior is received although the other department has one", async () => {
  await using team = await place("yolo/1", [
    ["dev-1", "dev", "frontend"],
    ["lead-1", "lead", "frontend"],
    ["senior-2", "senior", "backend"],
    ["dev-2", "dev", "backend"],
  ]);
  assert.deepEqual((await reported(team, old)).receivers, ["lead-1"]);
  assert.equal((await mailOf(team, "senior-2")).length, 0);
  assert.equal((await mailOf(team, "lead-1")).length, 1);
});

test("what only informs reaches the next level, and nobody is asked to decide", async () => {
  await using team = await place("vbw/2", [
    ["dev-1", "dev"],
    ["architect-1", "architect"],
  ]);
  assert.deepEqual((await reported(team, report("blocker-1", { severity: "informational" }))).receivers, [
    "architect-1",
  ]);
  assert.deepEqual(await escalationsOf(team), []);
  assert.equal((await mailOf(team, "architect-1")).length, 1);
});
