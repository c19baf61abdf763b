import assert from "node:assert/strict";
import { test } from "node:test";
import { dialectOf } from "../../messages/dialects/registry.ts";
import type { DialectId } from "../../messages/message.ts";
import type { Reply } from "../../perform/operations/reply.ts";
import { typedMessage } from "../../testing/fixtures.ts";
import { type TestTeam, testTeam } from "../../testing/test-team.ts";

const stop = JSON.stringify({ type: "shutdown_request", reason: "phase_complete", deadline_seconds: 30 });
const stopped = JSON.stringify({ type: "shutdown_response", status: "clean", artifacts_committed: true });

async function mixed(): Promise<TestTeam> {
  return testTeam({
    dialects: ["vbw/2", "yolo/1"],
    agents: [
      { agent: "lead-1", role: "lead", dialect: "vbw/2" },
      { agent: "lead-2", role: "lead", dialect: "yolo/2" },
      { agent: "lead-3", role: "lead", dialect: "yolo/1" },
      { agent: "dev-1", role: "dev", dialect: "yolo/1" },
      { agent: "dev-2", role: "dev", dialect: "vbw/2" },
      { agent: "architect-1", role: "architect", dialect: "yolo/1" },
      { agent: "senior-1", role: "senior", dialect: "yolo/1" },
    ],
  });
}

function accepted(reply: Reply) {
  assert.ok(reply.outcome === "accepted", JSON.stringify(reply));
  return reply;
}

interface Typed {
  readonly payload: { readonly [field: string]: unknown };
  readonly assumed?: readonly string[];
}

/** The last message that an agent got; a reader that reads a typed dialect gets one that its dialect accepts. */
async function lastOf(team: TestTeam, agent: string, dialect: DialectId): Promise<Typed> {
  const page = await team.as(agent).inbox();
  assert.ok(page.ok);
  const delivery = page.value.deliveries.at(-1);
  assert.equal(delivery?.dialect, dialect, JSON.stringify(delivery));
  const message = delivery?.message ?? null;
  assert.ok(typeof message === "object" && message !== null);
  assert.equal(dialectOf(dialect)?.read(message).answer, "accepted");
  return message as unknown as Typed;
}

for (const [lead, dialect] of [
  ["lead-1", "vbw/2"],
  ["lead-2", "yolo/2"],
] as const) {
  test(`a first revision's answer reaches a reader of ${dialect} with the id of the request it answers`, async () => {
    await using team = await mixed();
    const request = typedMessage("shutdown_request", {}, { id: "stop-9" });
    accepted(await team.as(lead).send(JSON.stringify(request), { to: ["dev-1"] }));
    const reply = accepted(await team.as("dev-1").send(stopped));
    assert.deepEqual(reply.receivers, [lead], "an answer goes to who asked");
    const { payload, assumed } = await lastOf(team, lead, dialect);
    assert.equal(payload.request_id, "stop-9");
    assert.ok(assumed?.includes("request_id"), "the source did not say it");
  });
}

test("an answer that nobody asked for names no request as if it knew one", async () => {
  await using team = await mixed();
  const reply = accepted(await team.as("dev-1").send(stopped));
  assert.ok(reply.notes.some(({ code }) => code === "no-open-request"));
  const { payload, assumed } = await lastOf(team, "lead-1", "vbw/2");
  assert.equal(payload.request_id, "unknown");
  assert.ok(assumed?.includes("request_id"));
});

test("an answer to one of two leads names neither request, and both leads get it", async () => {
  await using team = await mixed();
  for (const lead of ["lead-1", "lead-2"]) {
    const request = typedMessage("shutdown_request", {}, { id: `stop-of-${lead}` });
    accepted(await team.as(lead).send(JSON.stringify(request), { to: ["dev-1"] }));
  }
  const reply = accepted(await team.as("dev-1").send(stopped));
  assert.ok(reply.notes.some(({ code }) => code === "ambiguous-request"));
  assert.equal((await lastOf(team, "lead-1", "vbw/2")).payload.request_id, "unknown");
});

test("a first revision's request reaches a typed reader with its id and the team's name, and is answered by it", async () => {
  await using team = await mixed();
  accepted(await team.as("lead-3").send(stop, { id: "stop-7", to: ["dev-2", "dev-1"] }));
  const { payload, assumed } = await lastOf(team, "dev-2", "vbw/2");
  assert.equal(payload.team_name, "greeters");
  assert.ok(assumed?.includes("team_name"));
  const answer = typedMessage("shutdown_response", { request_id: "stop-7" });
  const reply = accepted(await team.as("dev-2").send(JSON.stringify(answer)));
  assert.deepEqual([reply.receivers, reply.notes], [["lead-3"], []]);
  const taken = await team.as("lead-1").send(JSON.stringify(typedMessage("shutdown_request", {}, { id: "stop-7" })));
  assert.equal(taken.outcome === "refused" ? taken.problems[0]?.code : taken.outcome, "id-taken");
});

const resolution = {
  type: "escalation_resolution",
  original_escalation: "ESC-02-01-T2",
  decision: "Codes are kept in the database",
  rationale: "Both servers must see them",
  action_items: ["Move the store"],
  resolved_by: "user",
};

test("a lead passes on what the user decided, word for word, and answers for nobody", async () => {
  await using team = await mixed();
  const forward = (changes: object = {}) => team.as("lead-3").send(JSON.stringify({ ...resolution, ...changes }));
  const refusedWith = async (changes: object = {}) => {
    const reply = await forward(changes);
    assert.ok(reply.outcome === "refused", JSON.stringify(reply));
    assert.equal(reply.problems[0]?.path, "$.resolved_by");
    assert.match(reply.problems[0]?.hint ?? "", /word for word/);
    return reply.problems[0]?.code;
  };
  assert.equal(await refusedWith(), "identity-mismatch", "nothing is recorded that it could repeat");
  accepted(await team.as("owner").send(JSON.stringify(resolution), { to: ["architect-1", "lead-3"] }));
  for (const change of [{ decision: "Ship it" }, { action_items: [] }, { original_escalation: "ESC-9" }]) {
    assert.equal(await refusedWith(change), "identity-mismatch", JSON.stringify(change));
  }
  const reply = accepted(await forward());
  assert.deepEqual([...reply.receivers].sort(), ["dev-1", "dev-2", "senior-1"], "down only");
  assert.ok(reply.notes.some(({ code }) => code === "resolution-repeated"));
  const up = await team.as("lead-3").send(JSON.stringify(resolution), { to: ["architect-1"], id: "up" });
  assert.equal(up.outcome === "refused" ? up.problems[0]?.code : up.outcome, "receiver-not-authorised");
});

test("only the person who owns the team speaks for the user", async () => {
  await using team = await mixed();
  for (const agent of ["architect-1", "lead-3"]) {
    const reply = await team.as(agent).send(JSON.stringify(resolution));
    assert.equal(reply.outcome === "refused" ? reply.problems[0]?.code : reply.outcome, "identity-mismatch", agent);
  }
});
