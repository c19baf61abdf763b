/** What an agent leaves open when it leaves the team. Source: docs/protocol/tasks.md, section 14. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reply } from "../../perform/operations/reply.ts";
import { reviseTeam } from "../../team/handlers/revision.ts";
import { manualClock, typedMessage } from "../../testing/fixtures.ts";
import { type TestTeam, testTeam } from "../../testing/test-team.ts";

const agents = [
  { agent: "lead-1", role: "lead" },
  { agent: "dev-1", role: "dev" },
  { agent: "dev-2", role: "dev" },
] as const;

const handoff = {
  handoff: {
    metadata: { id: "h-1", source_agent: "dev-2", target_agent: "dev-1", timestamp: "2026-02-12T10:00:00Z" },
    context: {},
    instructions: { primary: "Go on with the cart" },
    dependencies: {},
    validation: {},
  },
};

/** dev-1 has asked for more files, waits for a decision, and was handed work. */
async function place(): Promise<TestTeam> {
  const team = await testTeam({ clock: manualClock(), dialects: ["vbw/2", "bmad/1"], agents });
  await team.as("lead-1").addTask({ task: "1-1-T1", plan: "1-1", files: ["src/a.ts"] });
  const request = { subject: "More files", request_type: "scope_change", evidence: "The test is elsewhere" };
  for (const [agent, message, to] of [
    ["dev-1", typedMessage("approval_request", request, { id: "ask-1", author_role: "dev" }), "lead-1"],
    ["dev-1", typedMessage("blocker_report"), "lead-1"],
    ["dev-2", handoff, "dev-1"],
  ] as const) {
    const sent = await team.as(agent).send(JSON.stringify(message), { to: [to] });
    assert.equal(sent.outcome, "accepted", JSON.stringify(sent));
  }
  return team;
}

test("a retired agent's request is closed and grants nothing, and its lead reads what else it leaves open", async () => {
  await using team = await place();
  assert.equal((await team.as("owner").retire({ agent: "dev-1" })).outcome, "accepted");
  const open = await team.as("owner").approvals();
  assert.ok(open.ok);
  assert.deepEqual(open.value, []);
  const late = await team.as("owner").answer({ request: "ask-1", approved: true, reason: "yes" });
  assert.equal(late.outcome, "refused", JSON.stringify(late));
  const page = await team.as("lead-1").inbox();
  const told = page.ok ? JSON.stringify(page.value.deliveries.at(-1)?.message) : assert.fail();
  assert.match(told, /request \\"ask-1\\" is closed/);
  assert.match(told, /escalation ESC-01-01-T1 still waits at lead about 1-1-T1/);
  const taken = await team.as("dev-2").claim({ task: "1-1-T1" });
  assert.ok(taken.outcome === "accepted");
  assert.deepEqual(
    taken.notes.map(({ code }) => code).filter((code) => code === "escalation-open"),
    ["escalation-open"],
  );
  assert.match(told, /handoff h-1 of dev-2 waits for it/);
});

/** What the answer lists of what the agent leaves open. */
function listed(reply: Reply): readonly string[] {
  assert.ok(reply.outcome === "accepted", JSON.stringify(reply));
  assert.deepEqual(reply.receivers, []);
  return reply.notes.map(({ code, path, message }) => `${code} ${path}: ${message}`);
}

test("a lead that retires an agent itself gets no message: the answer lists what the agent leaves open", async () => {
  await using team = await place();
  await team.as("dev-1").claim({ task: "1-1-T1" });
  const told = listed(await team.as("lead-1").retire({ agent: "dev-1" }, { id: "out" }));
  const expected = [
    /^left-open dev-1: .* request "ask-1" is closed/,
    /^left-open dev-1: .* escalation ESC-01-01-T1 still waits at lead/,
    /^left-open dev-1: .* handoff h-1 of dev-2 waits for it/,
    /^left-open dev-1: .* Back on the board, .*1-1-T1/,
  ];
  assert.equal(told.length, expected.length, told.join("\n"));
  for (const [at, each] of expected.entries()) assert.match(told[at] ?? "", each);
  assert.deepEqual(listed(await team.as("lead-1").retire({ agent: "dev-1" }, { id: "out" })), told, "again the same");
});

test("where a lead reads what an agent leaves open, the answer to the owner does not list it too", async () => {
  await using team = await place();
  const retired = await team.as("owner").retire({ agent: "dev-1" });
  assert.ok(retired.outcome === "accepted");
  assert.deepEqual([retired.receivers, retired.notes], [["lead-1"], []]);
});

test("where nobody leads, the owner hears what an agent leaves open that leaves by the team file", async () => {
  await using team = await place();
  assert.equal((await team.as("owner").retire({ agent: "lead-1" })).outcome, "accepted");
  const status = await team.as("owner").status();
  assert.ok(status.ok && status.value.definition !== null);
  const { definition } = status.value;
  const staying = definition.agents.filter(({ agent }) => agent !== "dev-1");
  const revised = await reviseTeam(team.context, { ...definition, agents: staying });
  assert.equal(revised.ok && revised.value.proposal, null, JSON.stringify(revised));
  const page = await team.as("owner").inbox();
  const told = page.ok ? JSON.stringify(page.value.deliveries.at(-1)?.message) : assert.fail();
  assert.match(told, /request \\"ask-1\\" is closed/);
  assert.match(told, /escalation ESC-01-01-T1 still waits at user about 1-1-T1/);
});

test("where nobody leads, the answer to the owner that retires an agent lists what the agent leaves open", async () => {
  await using team = await place();
  await team.as("owner").retire({ agent: "lead-1" });
  const told = listed(await team.as("owner").retire({ agent: "dev-1" })).join("\n");
  assert.match(told, /request "ask-1" is closed/);
  assert.match(told, /escalation ESC-01-01-T1 still waits at user/);
  assert.match(told, /handoff h-1 of dev-2 waits for it/);
});

test("what an agent accepted and did not complete is to be issued again when it leaves, and stands in status", async () => {
  await using team = await place();
  assert.equal((await team.as("dev-1").acceptHandoff({ handoff: "h-1" })).outcome, "accepted");
  const told = listed(await team.as("lead-1").retire({ agent: "dev-1" })).join("\n");
  assert.match(told, /handoff h-1 of dev-2 was accepted and is not done: dev-2 issues it again/);
  const status = await team.as("owner").status();
  assert.deepEqual(status.ok && status.value.orphanedHandoffs?.map(({ id, receivers }) => [id, receivers]), [
    ["h-1", ["dev-1"]],
  ]);
});

test("an agent that comes back in another role does not take over what was handed to it before", async () => {
  await using team = await place();
  await team.as("owner").retire({ agent: "dev-1" });
  await team.as("owner").register({ agent: "dev-1", role: "lead" });
  const refused = await team.as("dev-1").acceptHandoff({ handoff: "h-1" });
  assert.ok(refused.outcome === "refused");
  assert.deepEqual(
    refused.problems.map(({ code }) => code),
    ["sender-not-authorised"],
  );
  await team.as("owner").retire({ agent: "dev-1" });
  await team.as("owner").register({ agent: "dev-1", role: "dev" });
  assert.equal((await team.as("dev-1").acceptHandoff({ handoff: "h-1" })).outcome, "accepted");
});
