/**
 * What agent programs write of themselves and of others, sent to a team as it comes.
 * Source: docs/protocol/messages.md, section 16.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reply } from "../../perform/operations/reply.ts";
import { processNow } from "../../perform/workspace/agent-sessions.ts";
import { manualClock, typedMessage } from "../../testing/fixtures.ts";
import { testTeam } from "../../testing/test-team.ts";

const agents = [
  { agent: "lead-1", role: "lead" },
  { agent: "dev-1", role: "dev" },
] as const;

const at = "2026-11-21T10:00:00.000Z";

/** The code of a refusal with its path; "": the message was taken. */
function refusal(reply: Reply): string {
  return reply.outcome === "refused" ? reply.problems.map(({ code, path }) => `${code} ${path}`).join(", ") : "";
}

/** Each with who sends it, and why it is refused. */
const names: readonly (readonly [from: string, sender: string, refused: string])[] = [
  ["team-lead", "lead-1", ""],
  ["team-lead@session-1a2b3c4d", "lead-1", ""],
  ["lead-1", "lead-1", ""],
  ["lead-1@session-1a2b3c4d", "lead-1", ""],
  ["lead", "lead-1", ""],
  ["team-lead", "dev-1", "identity-mismatch $.from"],
  ["lead-1@session-1a2b3c4d", "dev-1", "identity-mismatch $.from"],
  ["dev-1@session-1a2b3c4d", "lead-1", "identity-mismatch $.from"],
  ["@session-1a2b3c4d", "lead-1", "identity-mismatch $.from"],
];

for (const [from, sender, refused] of names) {
  test(`a request to stop from ${from}, sent by ${sender}, is ${refused === "" ? "taken" : "refused"}`, async () => {
    await using team = await testTeam({ agents });
    const frame = { type: "shutdown_request", requestId: "shutdown-1@dev-1", from, reason: "Finished", timestamp: at };
    const { type, requestId: _, ...payload } = frame;
    const nested = { type, payload: { ...payload, requestId: "shutdown-2@dev-1" } };
    assert.equal(refusal(await team.as(sender).send(JSON.stringify(frame))), refused);
    assert.equal(refusal(await team.as(sender).send(JSON.stringify(nested))), refused.replace("$", "$.payload"));
    const entry = { from, text: "All is well.", timestamp: at, read: false };
    const to = [sender === "dev-1" ? "lead-1" : "dev-1"];
    assert.equal(refusal(await team.as(sender).send(JSON.stringify(entry), { to })), refused);
  });
}

test("where an agent is called team-lead, that name is its own, and no lead's", async () => {
  await using team = await testTeam({ agents: [...agents, { agent: "team-lead", role: "dev" }] });
  const message = typedMessage("execution_update", { from: "team-lead" });
  assert.equal(refusal(await team.as("team-lead").send(JSON.stringify(message))), "");
  const request = { type: "shutdown_request", requestId: "s-1", from: "team-lead", reason: "Finished" };
  assert.equal(refusal(await team.as("lead-1").send(JSON.stringify(request))), "identity-mismatch $.from");
  const entry = { from: "team-lead", text: "All is well.", timestamp: at, read: false };
  assert.equal(
    refusal(await team.as("lead-1").send(JSON.stringify(entry), { to: ["dev-1"] })),
    "identity-mismatch $.from",
  );
});

test("a flat request of vbw/2.1 from team-lead says the role of a lead", async () => {
  await using team = await testTeam({
    dialects: ["vbw/2.1"],
    agents: agents.map((agent) => ({ ...agent, dialect: "vbw/2.1" as const })),
  });
  const request = { type: "shutdown_request", from: "team-lead", reason: "phase_complete", team_name: "greeters" };
  assert.equal(refusal(await team.as("lead-1").send(JSON.stringify(request))), "");
  assert.equal(refusal(await team.as("dev-1").send(JSON.stringify(request))), "identity-mismatch $.author_role");
});

const plan = { type: "plan_approval_request", from: "dev-1", planFilePath: "plan.md", planContent: "# Plan" };

test("a request is opened under the id that its frame says, however its text escapes it, and repeating it is the same act", async () => {
  await using team = await testTeam({ agents });
  const text = JSON.stringify({ ...plan, requestId: "plan-1" });
  const first = await team.as("dev-1").send(text.replace("plan-1", "pl\\u0061n\\u002d1"));
  assert.ok(first.outcome === "accepted");
  assert.equal(first.receipt.id, "plan-1");
  const again = await team.as("dev-1").send(text);
  assert.ok(again.outcome === "accepted" && again.receipt.duplicate);
  const open = await team.as("lead-1").approvals();
  assert.deepEqual(open.ok && open.value.map(({ requestId }) => requestId), ["plan-1"]);
  const answer = { type: "plan_approval_response", request_id: "plan-1", approve: true };
  assert.equal(refusal(await team.as("lead-1").send(JSON.stringify(answer))), "");
});

test("a frame whose request has an impossible id is refused, at its place", async () => {
  await using team = await testTeam({ agents });
  for (const requestId of ["plan 1", "\u001b[31mplan", "x".repeat(129), "plän"]) {
    for (const [frame, path] of [
      [{ ...plan, requestId }, "$.requestId"],
      [{ ...plan, request_id: requestId }, "$.request_id"],
      [{ type: plan.type, payload: { ...plan, type: undefined, request_id: requestId } }, "$.payload.request_id"],
    ] as const) {
      assert.equal(refusal(await team.as("dev-1").send(JSON.stringify(frame))), `invalid-id ${path}`);
    }
  }
  assert.deepEqual(await team.openApprovals(), []);
});

test("a program of which nothing was heard needs the person while it runs", async () => {
  const clock = manualClock();
  await using team = await testTeam({ agents, clock });
  const starts = async (process: string) =>
    assert.ok((await team.as("dev-1").shown({ context: null, seq: 0, unguarded: "unseen", process })).ok);
  const needed = async () => {
    const needs = await team.as("owner").needs();
    return needs.ok && needs.value.needs.map(({ id, since }) => [id, since]);
  };
  await starts(processNow() ?? "");
  assert.deepEqual(await needed(), []);
  clock.advance(120_000);
  assert.deepEqual(await needed(), [["unguarded:dev-1", "2026-02-12T10:00:00.000Z"]]);
  await starts(`${process.pid}-1`);
  clock.advance(120_000);
  assert.deepEqual(await needed(), [], "another process has its number now");
});

test("that a program may run no hook needs the person until a hook of its runs, or it has ended", async () => {
  await using team = await testTeam({ agents });
  const [owner, dev] = [team.as("owner"), team.as("dev-1", "program-1")];
  const needed = async () => {
    const needs = await owner.needs();
    return needs.ok && needs.value.needs.map(({ id }) => id);
  };
  const unguarded = async () => assert.ok((await dev.shown({ context: null, seq: 0, unguarded: "unreviewed" })).ok);
  await unguarded();
  assert.deepEqual(await needed(), ["unguarded:dev-1"]);
  assert.ok((await dev.shown({ context: null, seq: 0, characters: 9 })).ok);
  assert.deepEqual(await needed(), ["unguarded:dev-1"], "a call of a tool is no hook");
  assert.ok((await dev.shown({ context: "c1", seq: 0 })).ok);
  assert.deepEqual(await needed(), []);
  await unguarded();
  assert.ok((await dev.attend()).ok);
  assert.deepEqual(await needed(), ["unguarded:dev-1"]);
  assert.ok((await dev.leave()).ok);
  assert.deepEqual(await needed(), []);
});
