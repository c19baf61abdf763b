/** Whom a request to stop asks. Source: docs/protocol/asking.md, section 14. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { DialectId } from "../messages/message.ts";
import type { Department, Role } from "../messages/role.ts";
import { manualClock } from "../testing/fixtures.ts";
import { type TestTeam, testTeam } from "../testing/test-team.ts";

interface Asked {
  readonly agent: string;
  readonly role: Role;
  readonly department?: Department;
  readonly dialect?: DialectId;
}

const departments: readonly Asked[] = [
  { agent: "lead-b", role: "lead", department: "backend" },
  { agent: "dev-b", role: "dev", department: "backend" },
  { agent: "lead-f", role: "lead", department: "frontend" },
  { agent: "dev-f", role: "dev", department: "frontend" },
  { agent: "scout-1", role: "scout" },
  { agent: "security-1", role: "security", department: "shared" },
];

const mixed: readonly Asked[] = [
  { agent: "lead-1", role: "lead", dialect: "vbw/2" },
  { agent: "dev-1", role: "dev", dialect: "yolo/1" },
  { agent: "senior-1", role: "senior", dialect: "yolo/1" },
  { agent: "critic-1", role: "critic", dialect: "yolo/1" },
  { agent: "qa-1", role: "qa", dialect: "yolo/2" },
  { agent: "dev-2", role: "dev", dialect: "vbw/1" },
  { agent: "architect-1", role: "architect", dialect: "vbw/2" },
  { agent: "architect-2", role: "architect", dialect: "yolo/1" },
];

function place(agents: readonly Asked[], dialects: readonly DialectId[]): Promise<TestTeam> {
  return testTeam({ clock: manualClock(), dialects, agents });
}

/** Who is in the round, by outcome. */
async function parts(team: TestTeam) {
  const found = await team.as("owner").shutdowns({ round: "shut-1" });
  assert.ok(found.ok);
  const agents = found.value[0]?.agents ?? [];
  const named = (isAsked: boolean) =>
    agents.filter(({ outcome }) => (outcome !== "not_addressed") === isAsked).map(({ agent }) => agent);
  return { asked: named(true), left: named(false) };
}

function start(team: TestTeam, as: string, agents?: readonly string[]) {
  const named = agents === undefined ? {} : { agents };
  return team.as(as).startShutdown({ reason: "phase_complete", deadlineMs: 2_000, ...named }, { id: "shut-1" });
}

test("a department's lead stops its own department and no agent that departments share", async () => {
  await using team = await place(departments, ["yolo/1"]);
  assert.equal((await start(team, "lead-b")).outcome, "accepted");
  assert.deepEqual(await parts(team), { asked: ["dev-b"], left: ["lead-f", "dev-f", "scout-1", "security-1"] });
  const sent = await team.as("scout-1").send("Still here", { to: ["lead-f"] });
  assert.equal(sent.outcome, "accepted", JSON.stringify(sent));
});

test("a department's lead may not name a shared agent, or one of another department", async () => {
  await using team = await place(departments, ["yolo/1"]);
  for (const agent of ["scout-1", "security-1", "dev-f"]) {
    const reply = await start(team, "lead-b", [agent]);
    assert.ok(reply.outcome === "refused", agent);
    assert.deepEqual(
      reply.problems.map(({ code }) => code),
      ["receiver-not-authorised"],
      agent,
    );
  }
});

test("a lead of no department, and the owner, stop everybody", async () => {
  for (const as of ["lead-1", "owner"]) {
    await using team = await place([...departments, { agent: "lead-1", role: "lead" }], ["yolo/1"]);
    assert.equal((await start(team, as)).outcome, "accepted");
    const { left } = await parts(team);
    assert.deepEqual(left, [], as);
  }
});

test("in a team of several dialects every agent is asked in its own, or in prose that says how to answer", async () => {
  await using team = await place(mixed, ["vbw/2", "yolo/1", "yolo/2", "vbw/1"]);
  assert.equal((await start(team, "lead-1")).outcome, "accepted");
  const { asked, left } = await parts(team);
  assert.deepEqual(left, ["architect-1"]);
  const types = [];
  for (const agent of asked) {
    const page = await team.as(agent).inbox();
    assert.ok(page.ok);
    const [request] = page.value.deliveries;
    types.push([agent, request?.dialect]);
    if (request?.dialect === null)
      assert.match(JSON.stringify(request.message), /asked to stop.*`baton shutdown answer`/);
  }
  assert.deepEqual(types, [
    ["dev-1", "yolo/1"],
    ["senior-1", "yolo/1"],
    ["critic-1", "yolo/1"],
    ["qa-1", "yolo/2"],
    ["dev-2", null],
    ["architect-2", "yolo/1"],
  ]);
});

test("an agent that was asked may answer although its document gives its role no answer", async () => {
  await using team = await place(mixed, ["vbw/2", "yolo/1", "yolo/2", "vbw/1"]);
  assert.equal((await start(team, "lead-1")).outcome, "accepted");
  const typed = {
    id: "dev-2-stops",
    type: "shutdown_response",
    phase: 1,
    task: "",
    author_role: "dev",
    timestamp: "2026-02-12T12:00:00Z",
    schema_version: "2.0",
    confidence: "high",
    payload: { request_id: "shut-1", approve: true, final_status: "complete" },
  };
  const native = { type: "shutdown_approved", requestId: "shut-1", from: "qa-1", paneId: "%1", backendType: "tmux" };
  for (const [agent, said] of [
    ["qa-1", native],
    ["dev-2", typed],
  ] as const) {
    const reply = await team.as(agent).send(JSON.stringify(said));
    assert.equal(reply.outcome, "accepted", `${agent}: ${JSON.stringify(reply)}`);
  }
  const found = await team.as("owner").shutdowns({ round: "shut-1" });
  const outcomes = found.ok ? found.value[0]?.agents.map(({ agent, outcome }) => `${agent} ${outcome}`) : [];
  assert.ok(outcomes?.includes("qa-1 clean") && outcomes.includes("dev-2 clean"), JSON.stringify(outcomes));
});

test("an agent that joins during a round of everybody is in its certificate, and is not asked", async () => {
  await using team = await place(departments, ["yolo/1"]);
  assert.equal((await start(team, "owner")).outcome, "accepted");
  const reply = await team.as("owner").register({ agent: "dev-9", role: "dev", department: "backend" });
  assert.equal(reply.outcome, "accepted");
  const found = await team.as("owner").shutdowns({ round: "shut-1" });
  const joined = found.ok ? found.value[0]?.agents.filter((each) => each.joined) : [];
  assert.deepEqual(
    joined?.map(({ agent, outcome }) => [agent, outcome]),
    [["dev-9", "not_addressed"]],
  );
  assert.equal((await team.as("dev-9").send("Here", { to: ["lead-b"] })).outcome, "accepted");
});

test("the reason of a round is repeated as it was given, and written in the words of each dialect", async () => {
  for (const [dialect, reason, written] of [
    ["vbw/2", "user_abort", "user_abort"],
    ["vbw/2", "plan_complete", "plan_complete"],
    ["yolo/1", "user_abort", "error"],
    ["yolo/1", "timeout", "timeout"],
  ] as const) {
    const agents: readonly Asked[] = [
      { agent: "lead-1", role: "lead" },
      { agent: "dev-1", role: "dev" },
    ];
    await using team = await place(agents, [dialect]);
    assert.equal((await team.as("lead-1").startShutdown({ reason }, { id: "shut-1" })).outcome, "accepted");
    const [found, mail] = [await team.as("owner").shutdowns({ round: "shut-1" }), await team.as("dev-1").inbox()];
    assert.ok(found.ok && mail.ok);
    assert.equal(found.value[0]?.reason, reason, dialect);
    const asked = JSON.stringify(mail.value.deliveries[0]?.message);
    assert.ok(asked.includes(`"reason":"${written}"`), asked);
  }
});
