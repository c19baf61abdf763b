/** Which escalation a message means, and whose matter it is. Source: docs/protocol/asking.md, sections 5 to 10. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../base/json.ts";
import type { Department, Role } from "../messages/role.ts";
import { manualClock, typedMessage } from "../testing/fixtures.ts";
import { type TestTeam, testTeam } from "../testing/test-team.ts";

type Agent = readonly [agent: string, role: Role, department?: Department];
type Message = { readonly [field: string]: Json };

const usual: readonly Agent[] = [
  ["dev-1", "dev"],
  ["dev-2", "dev"],
  ["senior-1", "senior"],
  ["qa-1", "qa-lead"],
  ["lead-1", "lead"],
  ["architect-1", "architect"],
];

function place(agents: readonly Agent[] = usual): Promise<TestTeam> {
  return testTeam({
    clock: manualClock(),
    dialects: ["yolo/1"],
    agents: agents.map(([agent, role, department]) => ({
      agent,
      role,
      ...(department === undefined ? {} : { department }),
    })),
  });
}

async function say(team: TestTeam, agent: string, message: Message) {
  const reply = await team.as(agent).send(JSON.stringify(message));
  assert.ok(reply.outcome === "accepted", JSON.stringify(reply));
  return reply;
}

/** The document's literal escalation: it names neither a task nor an id. */
function escalation(issue: string, from: string, to: string, severity = "blocking"): Message {
  return { type: "escalation", from, to, issue, evidence: [issue], recommendation: `Decide on ${issue}`, severity };
}

function blocker(task: string): Message {
  const said = { blocker: `${task} cannot go on`, needs: "a decision", attempted: ["git log"] };
  return { type: "dev_blocker", task: `01-02/${task}`, plan_id: "01-02", ...said };
}

async function all(team: TestTeam) {
  const found = await team.as("owner").escalations({ all: true });
  return found.ok ? found.value : assert.fail();
}

async function issues(team: TestTeam) {
  return (await all(team)).map(({ issue, level, severity }) => [issue, level, severity]);
}

test("two agents' issues without a task in common stay two escalations", async () => {
  await using team = await place();
  await say(team, "dev-1", escalation("The names clash", "dev", "senior"));
  await say(team, "dev-2", escalation("The disk is full", "dev", "senior", "minor"));
  const said = await say(team, "qa-1", escalation("No test data", "senior", "lead", "major"));
  assert.deepEqual(await issues(team), [
    ["The names clash", "senior", "blocking"],
    ["The disk is full", "senior", "minor"],
    ["No test data", "lead", "major"],
  ]);
  assert.match(said.notes.map(({ code }) => code).join(), /escalation-separate/);
});

test("the literal message of the one agent an escalation waits for raises it", async () => {
  await using team = await place();
  await say(team, "dev-1", blocker("T3"));
  await say(team, "senior-1", escalation("It needs a server", "senior", "lead"));
  assert.deepEqual(await issues(team), [["T3 cannot go on", "lead", "blocking"]]);
});

test("where two seniors answer, the literal message of one is its own matter, and a task or an id names the other", async () => {
  await using team = await place([...usual, ["senior-2", "senior"]]);
  await say(team, "dev-1", blocker("T3"));
  await say(team, "senior-2", escalation("My own matter", "senior", "lead"));
  assert.equal((await all(team)).length, 2);
  await say(team, "senior-2", { ...escalation("T3", "senior", "lead"), task: "01-02/T3" });
  assert.deepEqual(
    (await issues(team)).map(([, level]) => level),
    ["lead", "lead"],
  );
});

test("of several open matters the literal message means its sender's newest blocker, or asks with a list", async () => {
  await using team = await place();
  await say(team, "dev-1", blocker("T3"));
  await say(team, "dev-1", blocker("T4"));
  await say(team, "dev-1", escalation("It is worse than I thought", "dev", "senior"));
  const [first, second, none] = await all(team);
  assert.deepEqual(
    [first?.evidence, second?.evidence.at(-1), none],
    [["git log"], "It is worse than I thought", undefined],
  );
  const asked = await team.as("senior-1").send(JSON.stringify(escalation("Which?", "senior", "lead")));
  assert.ok(asked.outcome === "refused");
  assert.deepEqual(
    asked.problems.map(({ code, expected }) => [code, expected]),
    [["ambiguous-request", "ESC-01-02-T3 | ESC-01-02-T4"]],
  );
  // The words of one of them say which is meant.
  await say(team, "senior-1", escalation("T4 cannot go on", "senior", "lead"));
  assert.deepEqual(
    (await all(team)).map(({ level }) => level),
    ["senior", "lead"],
  );
});

test("a resolution that names nobody goes where the same decision by command goes, regardless of who decides", async () => {
  const agents: readonly Agent[] = [...usual, ["dev-3", "dev"], ["tester-1", "tester"], ["critic-1", "critic"]];
  const resolution = (resolvedBy: string) => ({
    type: "escalation_resolution",
    original_escalation: "ESC-01-02-T3",
    decision: "Use the cache",
    rationale: "It is there",
    action_items: ["Change the import"],
    resolved_by: resolvedBy,
  });
  for (const [agent, level] of [
    ["lead-1", "lead"],
    ["architect-1", "architect"],
    ["owner", "user"],
  ] as const) {
    await using said = await place(agents);
    await using decided = await place(agents);
    for (const team of [said, decided]) await say(team, "dev-1", blocker("T3"));
    const message = await say(said, agent, resolution(level));
    const command = await decided.as(agent).resolve({ escalation: "ESC-01-02-T3", decision: "Use the cache" });
    assert.ok(command.outcome === "accepted");
    assert.deepEqual(message.receivers.toSorted(), command.receivers.toSorted(), agent);
    assert.ok(message.receivers.includes("dev-1") && !message.receivers.includes("dev-3"), agent);
    assert.equal((await all(said))[0]?.status, "resolved", agent);
  }
});

test("a lead's own escalation belongs to its department's phase, and holds no other department", async () => {
  await using team = await place([
    ["lead-b", "lead", "backend"],
    ["dev-b", "dev", "backend"],
    ["lead-f", "lead", "frontend"],
    ["dev-f", "dev", "frontend"],
    ["architect-1", "architect", "backend"],
  ]);
  for (const [lead, plan] of [
    ["lead-b", "03-01"],
    ["lead-f", "03-02"],
  ] as const) {
    await team.as(lead).addTask({ task: `${plan}/T1`, plan, files: [`src/${plan}.ts`] });
  }
  const mayEnd = async (department: string) => {
    const seen = await team.as("owner").phases({ phase: "3" });
    assert.ok(seen.ok, JSON.stringify(seen));
    const part = seen.value[0]?.departments.find((each) => each.department === department);
    const step = part?.steps.find((each) => each.step === "implementation");
    return step?.exit.find(({ condition }) => condition === "no-escalation")?.met;
  };
  await say(team, "lead-b", escalation("The database is gone", "lead", "architect"));
  const [own] = await all(team);
  assert.deepEqual([own?.phase, own?.department], ["03", "backend"]);
  assert.match(own?.id ?? "", /^ESC-03-/);
  assert.deepEqual([await mayEnd("backend"), await mayEnd("frontend")], [false, true]);
});

test("what Baton escalates because tests pass too early closes when they fail as they should", async () => {
  await using team = await place([...usual, ["tester-1", "tester"]]);
  const tests = (allRed: boolean) => ({
    type: "test_plan_result",
    plan_id: "01-02",
    tasks_tested: 1,
    tasks_skipped: 0,
    total_tests: 4,
    test_files: ["tests/a.test.ts"],
    all_red: allRed,
    artifact: "phases/01/test-plan.jsonl",
    committed: true,
  });
  await say(team, "tester-1", tests(false));
  assert.deepEqual(
    (await all(team)).map(({ status }) => status),
    ["open"],
  );
  await say(team, "tester-1", tests(true));
  assert.deepEqual(
    (await all(team)).map(({ status }) => status),
    ["closed"],
  );
});

test("a blocker of a task that its plan does not have is passed on, with a note", async () => {
  await using team = await testTeam({
    dialects: ["vbw/2"],
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "dev-1", role: "dev" },
    ],
  });
  assert.equal((await team.as("lead-1").send(JSON.stringify(typedMessage("plan_contract")))).outcome, "accepted");
  for (const [task, codes] of [
    ["1-1-T1", []],
    ["1-1-T99", ["unknown-task"]],
  ] as const) {
    const said = typedMessage("blocker_report", { task_id: task }, { id: `blocked-${task}` });
    const reply = await team.as("dev-1").send(JSON.stringify(said));
    assert.ok(reply.outcome === "accepted", JSON.stringify(reply));
    assert.deepEqual(
      reply.notes.map(({ code }) => code),
      codes,
    );
  }
});
