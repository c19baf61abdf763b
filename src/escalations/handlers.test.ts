import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../base/json.ts";
import { escalationSecondsDefault, leaseSecondsDefault } from "../base/limits.ts";
import type { DialectId } from "../messages/message.ts";
import type { Department, Role } from "../messages/role.ts";
import { effectsOf } from "../perform/content.ts";
import type { Reply } from "../perform/operations/reply.ts";
import { timerLine } from "../record/view/summary.ts";
import { manualClock, typedMessage } from "../testing/fixtures.ts";
import { type TestTeam, testTeam } from "../testing/test-team.ts";

type Agent = readonly [string, Role, Department?];
const id = "ESC-01-02-T1";
const levelSilentMs = escalationSecondsDefault * 1_000;
/** How much later than promised silence is judged. */
const signsApartMs = 10_000;

async function place(dialect: DialectId, agents: readonly Agent[]) {
  const clock = manualClock();
  const team = await testTeam({
    clock,
    dialects: [dialect],
    agents: agents.map(([agent, role, department]) => ({
      agent,
      role,
      ...(department === undefined ? {} : { department }),
    })),
  });
  return { clock, team };
}

const yolo: readonly Agent[] = [
  ["dev-1", "dev"],
  ["senior-1", "senior"],
  ["lead-1", "lead"],
  ["architect-1", "architect"],
];
const blocker = {
  type: "dev_blocker",
  task: "01-02/T1",
  plan_id: "01-02",
  blocker: "The module is missing",
  needs: "01-01 first",
  attempted: ["git log"],
};

function codesOf(reply: Reply): readonly string[] {
  return reply.outcome === "refused" ? reply.problems.map(({ code }) => code) : [];
}

async function say(team: TestTeam, agent: string, message: { readonly [field: string]: Json }, to?: readonly string[]) {
  const reply = await team.as(agent).send(JSON.stringify(message), to === undefined ? {} : { to });
  assert.equal(reply.outcome, "accepted", JSON.stringify(reply));
  return reply;
}

async function only(team: TestTeam) {
  const found = await team.as("owner").escalations({ all: true });
  assert.ok(found.ok);
  assert.equal(found.value.length, 1);
  return found.value[0] ?? assert.fail();
}

async function lastMail(team: TestTeam, agent: string) {
  const page = await team.as(agent).inbox();
  assert.ok(page.ok, JSON.stringify(page));
  return page.value.deliveries.at(-1);
}

test("a blocker goes up by silence to the person, who alone decides it; the decision comes down to all", async () => {
  const { team, clock } = await place("yolo/1", yolo);
  await using _ = team;
  await say(team, "dev-1", blocker);
  assert.deepEqual([(await only(team)).id, (await only(team)).level], [id, "senior"]);
  for (const [agent, level] of [
    ["lead-1", "lead"],
    ["architect-1", "architect"],
    ["owner", "user"],
  ]) {
    clock.advance(levelSilentMs - 1);
    assert.notEqual((await only(team)).level, level, "never early");
    clock.advance(1);
    assert.equal((await only(team)).level, level);
    const told = await lastMail(team, agent ?? "");
    assert.match(JSON.stringify(told?.message), new RegExp(`${id} has come to the ${level}: `));
    assert.equal(told?.sender, "baton");
  }
  clock.advance(10 * levelSilentMs);
  assert.equal((await only(team)).level, "user", "the person is waited for");
  const taken = await team.as("architect-1").resolve({ escalation: id, decision: "Mine" });
  assert.deepEqual(codesOf(taken), ["human-required"]);
  const decided = await team
    .as("owner")
    .resolve({ escalation: id, decision: "Use A", rationale: "Support", actionItems: ["Update"] });
  assert.equal(decided.outcome, "accepted");
  for (const agent of ["dev-1", "senior-1", "lead-1", "architect-1"]) {
    const told = await lastMail(team, agent);
    const wire = told?.message as { readonly [field: string]: Json };
    assert.deepEqual(
      [wire.type, wire.original_escalation, wire.decision, wire.action_items, wire.resolved_by, wire.decided_by],
      ["escalation_resolution", id, "Use A", ["Update"], "user", "owner"],
    );
  }
  // What is recorded a lead may pass on, word for word.
  const { action_items, ...rest } = {
    type: "escalation_resolution",
    original_escalation: id,
    decision: "Use A",
    rationale: "Support",
    action_items: ["Update"],
    resolved_by: "user",
  };
  await say(team, "lead-1", { ...rest, action_items });
  assert.deepEqual(codesOf(await team.as("owner").resolve({ escalation: id, decision: "Use B" })), [
    "already-answered",
  ]);
});

test("a senior's review changes decide nothing that waits for it", async () => {
  const { team } = await place("yolo/1", yolo);
  await using _ = team;
  await say(team, "dev-1", blocker);
  const changes = [{ f: "src/auth.ts", ln: 42, issue: "Missing error", fix: "Add throw after logging" }];
  const review = { type: "code_review_changes", plan_id: "1-2", cycle: 1, changes, must_fix: ["src/auth.ts:42"] };
  await say(team, "senior-1", { ...review, rerun_tests: true }, ["dev-1"]);
  const { status, level } = await only(team);
  assert.deepEqual([status, level], ["open", "senior"]);
});

test("where no dialect has a message for it, the decision is sent as prose; degraded blockers only inform", async () => {
  const { team, clock } = await place("vbw/2", [
    ["dev-1", "dev"],
    ["qa-1", "qa"],
    ["lead-1", "lead"],
  ]);
  await using _ = team;
  await say(team, "dev-1", typedMessage("blocker_report", { severity: "degraded" }, { id: "b-0" }));
  const none = await team.as("owner").escalations();
  assert.deepEqual(none.ok ? none.value : null, []);
  await say(team, "dev-1", typedMessage("blocker_report"));
  assert.deepEqual(
    [(await only(team)).level, (await only(team)).chain],
    ["lead", ["lead", "user"]],
    "no seniors, no departments",
  );
  assert.deepEqual(codesOf(await team.as("qa-1").resolve({ escalation: "ESC-01-01-T1", decision: "Mine" })), [
    "sender-not-authorised",
  ]);
  assert.deepEqual(codesOf(await team.as("lead-1").resolve({ escalation: "ESC-9", decision: "Mine" })), [
    "unknown-request",
  ]);
  clock.advance(levelSilentMs);
  assert.equal((await only(team)).level, "user");
  await team.as("owner").resolve({ escalation: "ESC-01-01-T1", decision: "Go on", actionItems: ["Stub it"] });
  const told = await lastMail(team, "dev-1");
  assert.equal(told?.type, null);
  assert.match(JSON.stringify(told?.message), /ESC-01-01-T1 is decided by owner: Go on.*Stub it/s);
});

test("where departments work side by side an escalation stays in its own up to the architect, and has an owner above", async () => {
  const { team, clock } = await place("yolo/1", [
    ["dev-1", "dev", "backend"],
    ["senior-1", "senior", "backend"],
    ["lead-1", "lead", "backend"],
    ["lead-2", "lead", "frontend"],
    ["dev-2", "dev", "frontend"],
  ]);
  await using _ = team;
  await say(team, "dev-1", blocker);
  assert.deepEqual((await only(team)).chain, ["senior", "lead", "owner", "user"]);
  clock.advance(levelSilentMs);
  assert.equal((await only(team)).level, "lead");
  assert.match(JSON.stringify((await lastMail(team, "lead-1"))?.message), /has come to the/);
  assert.equal(await lastMail(team, "lead-2"), undefined);
});

for (const [own, told] of [
  ["backend", "architect-1"],
  ["uiux", "architect-1 architect-2"],
] as const) {
  test(`a decision for backend goes to ${told} where one architect is of ${own} and one of frontend`, async () => {
    const { team, clock } = await place("yolo/1", [
      ["dev-1", "dev", "backend"],
      ["architect-1", "architect", own],
      ["dev-2", "dev", "frontend"],
      ["architect-2", "architect", "frontend"],
    ]);
    await using _ = team;
    await say(team, "dev-1", blocker);
    while ((await only(team)).level !== "user") clock.advance(levelSilentMs);
    const { id } = await only(team);
    const reply = await team.as("owner").resolve({ escalation: id, decision: "Go on" });
    assert.equal(reply.outcome === "accepted" && reply.receivers.toSorted().join(" "), `${told} dev-1`);
  });
}

const leaseMs = leaseSecondsDefault * 1_000;

/** A team in which dev-1 holds a task that waits for a decision, and another task. */
async function blockedTeam() {
  const { team, clock } = await place("vbw/2", [
    ["dev-1", "dev"],
    ["dev-2", "dev"],
    ["lead-1", "lead"],
  ]);
  for (const [task, file] of [
    ["1-1-T1", "src/a.ts"],
    ["1-1-T2", "src/b.ts"],
  ] as const) {
    await team.as("lead-1").addTask({ task, plan: "1-1", files: [file] });
    assert.equal((await team.as("dev-1").claim({ task })).outcome, "accepted");
  }
  await say(team, "dev-1", typedMessage("blocker_report"));
  const holders = async () => {
    const found = await team.as("owner").tasks();
    return found.ok ? found.value.map(({ holder }) => holder) : assert.fail();
  };
  return { team, clock, holders };
}

test("an agent that waits for a decision loses its other claims after a lease of silence, and the blocked one after two", async () => {
  const { team, clock, holders } = await blockedTeam();
  await using _ = team;
  clock.advance(leaseMs + signsApartMs);
  assert.deepEqual(await holders(), ["dev-1", null]);
  const [blocked] = await blockedTasks(team);
  assert.equal(blocked?.expiresAt, new Date(clock.now() + leaseMs).toISOString());
  const denied = await team.as("dev-2").claim({ task: "1-1-T1" });
  assert.ok(denied.outcome === "refused");
  assert.match(denied.problems[0]?.message ?? "", /dev-1 holds 1-1-T1.* waits for a decision: ESC-01-01-T1 \(at /);
  assert.equal((await team.as("dev-2").claim({ task: "1-1-T2" })).outcome, "accepted");
  clock.advance(leaseMs + signsApartMs - 1);
  await team.as("dev-2").inbox();
  assert.equal((await holders())[0], "dev-1");
  clock.advance(1);
  assert.equal((await holders())[0], null);
  const lines = await timerLines(team);
  assert.doesNotMatch(lines, /dev-1 still there/);
  assert.match(lines, /dev-1 was silent and keeps 1-1-T1, which waits for a decision of ESC-01-01-T1/);
});

test("an agent that sends heartbeats keeps its blocked task for as long as the escalation waits", async () => {
  const { team, clock, holders } = await blockedTeam();
  await using _ = team;
  for (let leases = 0; leases < 6; leases++) {
    clock.advance(leaseMs);
    await team.as("dev-1").heartbeat();
  }
  assert.deepEqual(await holders(), ["dev-1", "dev-1"]);
});

test("a decision gives a silent agent a lease to read it", async () => {
  const { team, clock, holders } = await blockedTeam();
  await using _ = team;
  clock.advance(2 * leaseMs);
  assert.equal((await team.as("owner").resolve({ escalation: "ESC-01-01-T1", decision: "Go on" })).outcome, "accepted");
  clock.advance(leaseMs + signsApartMs - 1);
  assert.equal((await holders())[0], "dev-1");
  clock.advance(1);
  assert.equal((await holders())[0], null);
});

async function blockedTasks(team: TestTeam) {
  const found = await team.as("owner").tasks();
  return found.ok ? found.value.filter(({ task }) => task === "1-1-T1") : assert.fail();
}

async function timerLines(team: TestTeam): Promise<string> {
  const page = await team.context.journal.read(team.context.team);
  assert.ok(page.ok);
  return page.value.entries
    .filter(({ kind }) => kind === "timer")
    .map((entry) => timerLine(effectsOf(entry).events ?? []))
    .join("\n");
}

test("an architect escalates to the person, with choices, and nobody else answers for it", async () => {
  const { team } = await place("yolo/1", [...yolo, ["user-1", "user"]]);
  await using _ = team;
  await say(team, "dev-1", blocker);
  const early = await team.as("architect-1").raise({ escalation: id });
  assert.deepEqual(codesOf(early), ["sender-not-authorised"], "it waits at the senior");
  for (const agent of ["senior-1", "lead-1"]) {
    assert.equal((await team.as(agent).raise({ escalation: id })).outcome, "accepted");
  }
  const choices = { options: ["Drop the task", "Move the date"], recommendation: "Drop the task" };
  const first = await team.as("architect-1").raise({ escalation: id, ...choices }, { id: "r-1" });
  const again = await team.as("architect-1").raise({ escalation: id, ...choices }, { id: "r-1" });
  assert.ok(first.outcome === "accepted" && again.outcome === "accepted" && again.receipt.duplicate);
  assert.deepEqual([(await only(team)).level, (await only(team)).options], ["user", choices.options]);
  const told = JSON.stringify((await lastMail(team, "owner"))?.message);
  assert.match(told, /has come to the user: architect-1 \(architect\) hands it up.*Option 2: Move the date/);
  for (const agent of ["user-1", "architect-1", "lead-1"]) {
    assert.deepEqual(
      codesOf(await team.as(agent).resolve({ escalation: id, decision: "Mine" })),
      ["human-required"],
      agent,
    );
  }
  const resolution = {
    type: "escalation_resolution",
    original_escalation: id,
    decision: "Mine",
    rationale: "I say so",
    action_items: [],
    resolved_by: "user",
  };
  for (const agent of ["user-1", "architect-1", "lead-1"]) {
    const said = await team.as(agent).send(JSON.stringify(resolution), { to: ["dev-1"] });
    assert.equal(said.outcome, "refused", `${agent} answers for the user`);
  }
  assert.equal((await team.as("owner").resolve({ escalation: id, decision: "Drop the task" })).outcome, "accepted");
});

test("a team says in its file how long a level may be silent", async () => {
  const clock = manualClock();
  const agents = [
    { agent: "dev-1", role: "dev" as const },
    { agent: "lead-1", role: "lead" as const },
  ];
  const team = await testTeam({ clock, dialects: ["vbw/2"], agents, limits: { escalationSeconds: 20 } });
  await using _ = team;
  await say(team, "dev-1", typedMessage("blocker_report"));
  clock.advance(19_999);
  assert.equal((await only(team)).level, "lead", "never early");
  clock.advance(1);
  assert.equal((await only(team)).level, "user");
  assert.match(JSON.stringify((await lastMail(team, "owner"))?.message), /lead said nothing for 20 s\./);
});

test("a level without agents is in no chain, and the same operation is decided once", async () => {
  const { team } = await place("yolo/1", [
    ["dev-1", "dev"],
    ["senior-1", "senior"],
    ["lead-1", "lead"],
  ]);
  await using _ = team;
  await say(team, "dev-1", blocker);
  assert.deepEqual((await only(team)).chain, ["senior", "lead", "user"]);
  const first = await team.as("senior-1").resolve({ escalation: id, decision: "Use A" }, { id: "d-1" });
  const again = await team.as("senior-1").resolve({ escalation: id, decision: "Use A" }, { id: "d-1" });
  assert.ok(first.outcome === "accepted" && again.outcome === "accepted" && again.receipt.duplicate);
});

test("the agent that raised an escalation again does not decide it, and its level is skipped where nobody else is there", async () => {
  const { team } = await place("yolo/1", yolo);
  await using _ = team;
  await say(team, "dev-1", blocker);
  await team.as("senior-1").resolve({ escalation: id, decision: "Use A" });
  const raised = { type: "escalation", from: "senior", to: "lead", issue: "A does not work", evidence: ["A fails"] };
  await say(team, "senior-1", { ...raised, recommendation: "B", severity: "blocking", task: "01-02/T1" });
  assert.deepEqual((await only(team)).originators, ["dev-1", "senior-1"]);
  assert.equal((await only(team)).level, "lead");
  assert.deepEqual(codesOf(await team.as("senior-1").resolve({ escalation: id, decision: "Use B" })), ["own-request"]);
  const decided = await team.as("lead-1").resolve({ escalation: id, decision: "Use B" });
  assert.ok(decided.outcome === "accepted");
  assert.deepEqual(decided.receivers.toSorted(), ["dev-1", "senior-1"]);
});

test("a decision without words is refused, and the escalation waits on", async () => {
  const { team } = await place("yolo/1", yolo);
  await using _ = team;
  await say(team, "dev-1", blocker);
  for (const decision of ["", "  \n"]) {
    assert.deepEqual(codesOf(await team.as("owner").resolve({ escalation: id, decision })), ["wrong-value"]);
  }
  assert.equal((await only(team)).status, "open");
});

for (const isDecided of [false, true]) {
  test(`who takes over the task ${isDecided ? "after" : "before"} the decision gets it, and its progress closes the escalation`, async () => {
    const { team } = await place("yolo/1", [...yolo, ["dev-2", "dev"]]);
    await using _ = team;
    await team.as("lead-1").addTask({ task: "01-02/T1", files: ["src/a.ts"] });
    await say(team, "dev-1", blocker);
    await team.as("owner").retire({ agent: "dev-1" });
    const decides = async () =>
      assert.equal((await team.as("owner").resolve({ escalation: id, decision: "Use it" })).outcome, "accepted");
    if (isDecided) await decides();
    const claimed = await team.as("dev-2").claim({ task: "01-02/T1", files: ["src/a.ts"] });
    assert.ok(claimed.outcome === "accepted", JSON.stringify(claimed));
    if (!isDecided) await decides();
    const page = await team.as("dev-2").inbox();
    assert.ok(page.ok);
    assert.match(JSON.stringify(isDecided ? claimed.notes : page.value.deliveries), /Use it/);
    const progress = { type: "dev_progress", task: "01-02/T1", plan_id: "01-02", commit: "", status: "partial" };
    await say(team, "dev-2", progress);
    assert.equal((await only(team)).status, "closed");
  });
}
