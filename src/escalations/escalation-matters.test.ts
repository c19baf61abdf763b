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

async function codes(team: TestTeam, agent: string, message: Message) {
  return (await say(team, agent, message)).notes.map(({ code }) => code);
}

test("two agents' issues without a task in common stay two escalations, and the receipt names the new one", async () => {
  await using team = await place();
  const first = await say(team, "dev-1", escalation("The names clash", "dev", "senior"));
  assert.deepEqual(
    first.notes.map(({ code, message }) => [code, message]),
    [["escalation-opened", "This is the new escalation ESC-00-1; it waits at senior."]],
  );
  await say(team, "dev-2", escalation("The disk is full", "dev", "senior", "minor"));
  const said = await say(team, "qa-1", escalation("No test data", "senior", "lead", "major"));
  assert.deepEqual(await issues(team), [
    ["The names clash", "senior", "blocking"],
    ["The disk is full", "senior", "minor"],
    ["No test data", "lead", "major"],
  ]);
  assert.match(said.notes[0]?.message ?? "", /ESC-00-3.*At your level waits ESC-00-1, ESC-00-2;/);
});

test("a senior's own other issue is a new escalation with its severity, whatever waits for the senior", async () => {
  await using team = await place();
  await say(team, "dev-1", escalation("The names clash", "dev", "senior", "minor"));
  assert.deepEqual(await codes(team, "senior-1", escalation("The disk is full", "senior", "lead")), [
    "escalation-opened",
  ]);
  await say(team, "dev-1", blocker("T3"));
  await say(team, "senior-1", escalation("No licence", "senior", "lead", "major"));
  assert.deepEqual(await issues(team), [
    ["The names clash", "senior", "minor"],
    ["The disk is full", "lead", "blocking"],
    ["T3 cannot go on", "senior", "blocking"],
    ["No licence", "lead", "major"],
  ]);
  // So is what a developer says besides its blocker.
  await say(team, "dev-1", escalation("And it is slow", "dev", "senior", "minor"));
  assert.equal((await all(team)).length, 5);
});

const repeats: readonly (readonly [how: string, more: Message])[] = [
  ["the same words", { issue: "the names  clash." }],
  ["the words as evidence", { evidence: ["The names clash"] }],
  ["the id in its words", { issue: "ESC-0-1 needs a server" }],
  ["the id in the extra field", { original_escalation: "ESC-00-1" }],
];

for (const [how, more] of repeats) {
  test(`an escalation that says which by ${how} raises that one, and the worse severity counts`, async () => {
    await using team = await place();
    await say(team, "dev-1", escalation("The names clash", "dev", "senior", "minor"));
    await say(team, "dev-2", escalation("The disk is full", "dev", "senior", "minor"));
    const said = { ...escalation("It needs a server", "senior", "lead", "major"), ...more };
    const reply = await say(team, "senior-1", said);
    assert.deepEqual(
      reply.notes.map(({ code, message }) => [code, message]),
      [["escalation-joined", "Joined ESC-00-1, which goes up to lead."]],
    );
    assert.deepEqual(await issues(team), [
      ["The names clash", "lead", "major"],
      ["The disk is full", "senior", "minor"],
    ]);
    // Severity is never taken back, and a worse one alone is kept too.
    await say(team, "senior-1", { ...said, severity: "minor" });
    assert.equal((await issues(team))[0]?.[2], "major");
    assert.deepEqual(await codes(team, "senior-1", { ...said, severity: "blocking" }), ["escalation-joined"]);
    assert.deepEqual((await issues(team))[0], ["The names clash", "lead", "blocking"]);
  });
}

/** Who is in the team, what is sent, whom it reaches, and where it waits. */
const skipped: readonly (readonly [agents: readonly string[], to: string, receivers: string, level: string])[] = [
  ["lead architect", "senior", "lead-1", "lead"],
  ["lead architect", "lead", "lead-1", "lead"],
  ["architect", "senior", "architect-1", "architect"],
  ["", "senior", "owner", "user"],
  ["", "architect", "owner", "user"],
].map(([roles = "", ...more]) => [roles.split(" ").filter((role) => role !== ""), ...more] as never);

for (const [others, to, receivers, level] of skipped) {
  test(`with ${others.join(" and ") || "nobody"} above it, what a developer sends to ${to} reaches ${receivers}`, async () => {
    await using team = await place([["dev-1", "dev"], ...others.map((role) => [`${role}-1`, role] as Agent)]);
    const said = await say(team, "dev-1", escalation("The names clash", "dev", to));
    assert.deepEqual([said.receivers, (await all(team)).map((each) => each.level)], [[receivers], [level]]);
    const progress = { type: "dev_progress", task: "01-02/T3", plan_id: "01-02", commit: "", status: "partial" };
    assert.deepEqual((await say(team, "dev-1", progress)).receivers, [receivers]);
    assert.deepEqual((await say(team, "dev-1", blocker("T3"))).receivers, [receivers]);
    if (receivers === "owner") return;
    const named = await team.as("dev-1").send(JSON.stringify({ ...progress, concerns: ["x"] }), { to: [receivers] });
    assert.equal(named.outcome, "accepted", JSON.stringify(named));
  });
}

test("no level with somebody in it is skipped, and nothing goes down", async () => {
  await using team = await place();
  for (const [agent, from, to] of [
    ["dev-1", "dev", "lead"],
    ["lead-1", "lead", "senior"],
  ] as const) {
    const reply = await team.as(agent).send(JSON.stringify(escalation("The names clash", from, to)));
    assert.ok(reply.outcome === "refused");
    assert.deepEqual(
      reply.problems.map(({ code }) => code),
      ["wrong-value"],
    );
  }
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

test("what a refusal of another's name advises can be followed", async () => {
  await using team = await place();
  const advice = async (agent: string, message: Message) => {
    const reply = await team.as(agent).send(JSON.stringify(message));
    assert.ok(reply.outcome === "refused", JSON.stringify(reply));
    return reply.problems.map(({ code, hint = "" }) => `${code}: ${hint}`).join("\n");
  };
  assert.match(await advice("dev-1", escalation("x", "senior", "lead")), /Write "dev", the level of dev/);
  assert.match(await advice("qa-1", escalation("x", "dev", "senior")), /Write "senior", the level of qa-lead/);
  const record = { dept: "backend", state: "idle", timestamp: "2026-03-04T10:00:00Z", prev_state: "start" };
  const health = { type: "agent_health_event", agent_id: "dev-1", ...record, timeout_triggered: false };
  assert.match(await advice("lead-1", health), /sender-not-authorised: Do not send it/);
  await say(team, "dev-1", blocker("T3"));
  const resolution = {
    type: "escalation_resolution",
    original_escalation: "ESC-01-02-T3",
    decision: "Go",
    rationale: "So",
  };
  assert.match(
    await advice("lead-1", { ...resolution, action_items: [], resolved_by: "user" }),
    /`baton escalation resolve`; pass that on word for word. Agents in `speakers`/,
  );
});

test("a resolution of what nobody knows reaches whom it names, and nobody else", async () => {
  await using team = await place();
  await say(team, "dev-1", blocker("T3"));
  const said = {
    type: "escalation_resolution",
    decision: "Go",
    rationale: "So",
    action_items: [],
    resolved_by: "lead",
  };
  const lost = JSON.stringify({ ...said, original_escalation: "ESC-09-09-T9" });
  const refused = await team.as("lead-1").send(lost);
  assert.deepEqual(refused.outcome === "refused" && refused.problems.map(({ code }) => code), ["unknown-request"]);
  const named = await team.as("lead-1").send(lost, { to: ["dev-2"] });
  assert.ok(named.outcome === "accepted", JSON.stringify(named));
  assert.deepEqual([named.receivers, named.notes.map(({ code }) => code)], [["dev-2"], ["unknown-escalation"]]);
  const known = await say(team, "lead-1", { ...said, original_escalation: "ESC-1-2-T3" });
  assert.deepEqual(known.receivers.toSorted(), ["dev-1", "senior-1"]);
});
