import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reply } from "../../perform/operations/reply.ts";
import { manualClock, typedMessage } from "../../testing/fixtures.ts";
import { type TestTeam, testTeam } from "../../testing/test-team.ts";

async function greeters(policy: "enforce" | "observe" = "enforce"): Promise<TestTeam> {
  return testTeam({
    policy,
    dialects: ["vbw/2", "yolo/2"],
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "dev-1", role: "dev" },
      { agent: "dev-2", role: "dev", dialect: "yolo/2" },
      { agent: "qa-1", role: "qa" },
      { agent: "architect-1", role: "architect" },
    ],
  });
}

function accepted(reply: Reply) {
  assert.ok(reply.outcome === "accepted", JSON.stringify(reply));
  return reply;
}

function refused(reply: Reply, code: string) {
  assert.ok(reply.outcome === "refused", JSON.stringify(reply));
  assert.equal(reply.problems[0]?.code, code, JSON.stringify(reply.problems));
  return reply;
}

test("a message reaches those its dialect names, each in its own dialect", async () => {
  await using team = await greeters();
  const reply = accepted(await team.as("lead-1").send(JSON.stringify(typedMessage("plan_contract"))));
  assert.deepEqual([...reply.receivers].sort(), ["dev-1", "dev-2", "qa-1"]);
  const page = await team.as("dev-2").inbox();
  assert.ok(page.ok);
  assert.equal(page.value.deliveries[0]?.dialect, "yolo/2");
  assert.equal(page.value.deliveries[0]?.type, "plan_contract");
});

test("a message without counterpart reaches its reader as prose that keeps the original", async () => {
  await using team = await greeters();
  await team.as("owner").register({ agent: "lead-2", role: "lead", dialect: "yolo/2" });
  const verdict = typedMessage("qa_verdict");
  accepted(await team.as("qa-1").send(JSON.stringify(verdict)));
  const page = await team.as("lead-2").inbox();
  assert.ok(page.ok);
  const [delivery] = page.value.deliveries;
  assert.equal(delivery?.type, null);
  assert.ok(typeof delivery?.message === "string");
  const fenced = /```json\n([\s\S]*)\n```/.exec(delivery.message)?.[1] ?? "";
  assert.deepEqual(JSON.parse(fenced), verdict);
});

test("the same message again is a duplicate with the first receipt, other content under its id is refused", async () => {
  await using team = await greeters();
  const text = JSON.stringify(typedMessage("plan_contract"));
  const first = accepted(await team.as("lead-1").send(text));
  const again = accepted(await team.as("lead-1").send(text));
  assert.deepEqual(again.receipt, { ...first.receipt, duplicate: true });
  assert.deepEqual(again.receivers, first.receivers);
  const other = refused(
    await team.as("lead-1").send(JSON.stringify(typedMessage("plan_contract", { objective: "Another" }))),
    "id-conflict",
  );
  assert.ok(other.receipt !== null, "the refusal is recorded");
});

test("a refused request that an agent repeats is answered each time, and recorded three times, at ten, and after ten minutes", async () => {
  const clock = manualClock();
  await using team = await testTeam({
    clock,
    dialects: ["vbw/2"],
    agents: [
      { agent: "dev-1", role: "dev" },
      { agent: "qa-1", role: "qa" },
    ],
  });
  const dev = team.as("dev-1");
  const seqs: (number | null)[] = [];
  const send = async (more: object = {}) => {
    // As a model repeats it: with a new id and a new time.
    const id = `try-${seqs.length}`;
    const timestamp = new Date(clock.now()).toISOString();
    const wrong = { ...typedMessage("execution_update", { status: "so-so" }), id, timestamp, ...more };
    const { receipt } = refused(await dev.send(JSON.stringify(wrong)), "wrong-value");
    seqs.push(receipt?.seq ?? null);
  };
  const recorded = () => seqs.flatMap((seq, index) => (seq === null ? [] : [index + 1]));
  for (let time = 1; time <= 50; time += 1) await send();
  assert.deepEqual(recorded(), [1, 2, 3, 10]);
  // Denied calls, too: each request is counted separately.
  for (let time = 1; time <= 50; time += 1)
    refused(await dev.claim({ task: "1-1-T9", files: ["../x"] }), "invalid-glob");
  const log = await team.as("owner").logPage({ kinds: ["refusal"], limit: 100 });
  assert.ok(log.ok);
  assert.equal(log.value.entries.length, 8);
  assert.match(log.value.entries[3]?.summary ?? "", /, after 6 equal refusals that are not recorded$/);
  const needs = await team.as("owner").needs();
  assert.ok(needs.ok);
  assert.deepEqual(
    needs.value.needs.filter(({ kind }) => kind === "loop").map(({ count }) => count),
    [10, 10],
  );
  clock.advance(10 * 60_000);
  await send();
  await send();
  assert.deepEqual(recorded(), [1, 2, 3, 10, 51]);
  // Control: another content, and the same one after something was accepted.
  await send({ phase: 7 });
  accepted(await dev.send("Where do I find the list of words?", { to: ["qa-1"] }));
  await send();
  assert.deepEqual(recorded(), [1, 2, 3, 10, 51, 53, 54]);
});

test("a refusal is recorded without its text's effect and does not take the id", async () => {
  await using team = await greeters();
  const wrong = typedMessage("execution_update", { status: "so-so" });
  const reply = refused(await team.as("dev-1").send(JSON.stringify(wrong)), "wrong-value");
  assert.equal(reply.problems[0]?.path, "$.payload.status");
  accepted(await team.as("dev-1").send(JSON.stringify(typedMessage("execution_update"))));
  const shown = await team.as("dev-1").show(String(reply.receipt?.seq));
  assert.ok(shown.ok);
  assert.equal(shown.value.kind, "refusal");
  assert.deepEqual(shown.value.problems, reply.problems);
});

test("the owner's answer reaches the requester under the asked role, with decided_by", async () => {
  await using team = await greeters();
  accepted(await team.as("lead-1").send(JSON.stringify(typedMessage("plan_contract"))));
  accepted(
    await team
      .as("dev-1")
      .send(JSON.stringify(typedMessage("approval_request", { request_type: "gate_override" }, { id: "request-1" }))),
  );
  refused(await team.as("lead-1").answer({ request: "request-1", approved: true, reason: "Fine" }), "human-required");
  accepted(await team.as("owner").answer({ request: "request-1", approved: false, reason: "Not today" }));
  const page = await team.as("dev-1").inbox();
  assert.ok(page.ok);
  const message = page.value.deliveries.at(-1)?.message as { author_role: string; payload: Record<string, unknown> };
  assert.equal(message.author_role, "lead");
  assert.equal(message.payload.approved, false);
  assert.equal(message.payload.decided_by, "owner");
});

test("under observe an error is noted and delivered without effect; limits and the principal still hold", async () => {
  await using team = await greeters("observe");
  const contract = typedMessage("plan_contract", { allowed_paths: 7 });
  const reply = accepted(await team.as("lead-1").send(JSON.stringify(contract)));
  assert.ok(reply.notes.some((note) => note.code === "wrong-type"));
  const contracts = await team.as("lead-1").contracts();
  assert.ok(contracts.ok && contracts.value.length === 0, "a message with a fault has no effect");
  refused(await team.as("dev-1").send(JSON.stringify(typedMessage("plan_contract"))), "identity-mismatch");
  refused(await team.as("lead-1").send(`{"a":${"[".repeat(1000)}${"]".repeat(1000)}}`), "too-deep");
});

test("broken JSON and oversized inputs are refused and recorded, never read as prose", async () => {
  await using team = await greeters();
  refused(await team.as("dev-1").send('{"type": "execution_update",', { to: ["lead-1"] }), "not-json");
  refused(await team.as("dev-1").send("x".repeat(300_000), { to: ["lead-1"] }), "too-large");
  refused(await team.as("dev-1").send("", { to: ["lead-1"] }), "empty-message");
  refused(await team.as("dev-1").send(new Uint8Array([0x22, 0xff]), { to: ["lead-1"] }), "not-utf8");
  const status = await team.as("owner").status();
  assert.ok(status.ok);
  assert.equal(status.value.counts.refusal, 4);
});

test("offered, seen and acknowledged are different facts, and only the reader's word moves its cursor", async () => {
  await using team = await greeters();
  accepted(await team.as("lead-1").send("one", { to: ["dev-1"] }));
  const second = accepted(await team.as("lead-1").send("two", { to: ["dev-1"] }));
  const stage = async () => {
    const shown = await team.as("owner").show(String(second.receipt.seq));
    assert.ok(shown.ok);
    return shown.value.delivery[0]?.state;
  };
  assert.equal(await stage(), "waiting");
  await team.as("dev-1").inbox();
  await team.as("dev-1").inbox();
  assert.equal(await stage(), "offered");
  await team.as("dev-1").seen(second.receipt.seq);
  assert.equal(await stage(), "seen");
  accepted(await team.as("dev-1").acknowledge(second.receipt.seq));
  assert.equal(await stage(), "acknowledged");
  const page = await team.as("dev-1").inbox();
  assert.deepEqual(page.ok && page.value.deliveries, []);
  refused(await team.as("dev-1").acknowledge(9_999), "not-found");
});

test("a retired agent may send nothing more, and works again in a new session after registering", async () => {
  await using team = await greeters();
  accepted(await team.as("lead-1").retire({ agent: "dev-1" }));
  refused(await team.as("dev-1").send("still here", { to: ["lead-1"] }), "retired-agent");
  refused(await team.as("dev-1").acknowledge(1), "retired-agent");
  refused(await team.as("dev-2").retire({ agent: "lead-1" }), "sender-not-authorised");
  accepted(await team.as("lead-1").register({ agent: "dev-1", role: "dev" }));
  accepted(await team.as("dev-1").send("back again", { to: ["lead-1"] }));
});

test("a team's own limits lower the protocol's, under observe too", async () => {
  const agents = [
    { agent: "lead-1", role: "lead" },
    { agent: "dev-1", role: "dev" },
  ] as const;
  await using team = await testTeam({ policy: "observe", limits: { messageBytes: 100, inboxPage: 2 }, agents });
  refused(await team.as("lead-1").send("x".repeat(101), { to: ["dev-1"] }), "too-large");
  for (const text of ["one", "two", "three"]) accepted(await team.as("lead-1").send(text, { to: ["dev-1"] }));
  const page = await team.as("dev-1").inbox({ limit: 50 });
  assert.ok(page.ok);
  assert.deepEqual([page.value.deliveries.length, page.value.unread], [2, 3]);
});

test("a reader cannot have seen what was not written yet", async () => {
  await using team = await greeters();
  const seen = await team.as("dev-1").seen(99);
  assert.ok(!seen.ok);
  assert.equal(seen.error.code, "not-found");
});

test("a reader that waits in vain is notified", async () => {
  await using team = await greeters();
  // The manual clock moves on by what is waited for.
  const none = await team.as("qa-1").inbox({ waitMs: 60_000 });
  assert.ok(!none.ok);
  assert.equal(none.error.code, "timed-out");
});

test("a message that names another as its sender is refused, and so is a forged decided_by", async () => {
  for (const policy of ["enforce", "observe"] as const) {
    await using team = await greeters(policy);
    const forged: readonly (readonly [object, object, string])[] = [
      [{}, { from: "lead-1" }, "$.from"],
      [{ agent_id: "dev-2" }, {}, "$.payload.agent_id"],
      [{ decided_by: "owner" }, {}, "$.payload.decided_by"],
      [{}, { decided_by: "owner" }, "$.decided_by"],
    ];
    for (const [payload, envelope, path] of forged) {
      const message = typedMessage("execution_update", { ...payload }, { ...envelope });
      const reply = refused(await team.as("dev-1").send(JSON.stringify(message)), "identity-mismatch");
      assert.equal(reply.problems[0]?.path, path);
    }
    const untyped = '{"schema_version":"2.0","author_role":"lead","payload":{}}';
    refused(
      await team.as("dev-1").send(untyped, { to: ["dev-2"] }),
      policy === "enforce" ? "missing-field" : "identity-mismatch",
    );
    accepted(await team.as("dev-1").send(JSON.stringify(typedMessage("execution_update", {}, { from: "dev-1" }))));
  }
});

test("under observe sender and reader learn that a message has no effect, and why", async () => {
  await using team = await greeters("observe");
  accepted(await team.as("dev-1").send(JSON.stringify(typedMessage("approval_request", {}, { id: "request-1" }))));
  const answer = typedMessage("approval_response", {}, { author_role: "dev" });
  for (const _ of ["sent", "repeated"]) {
    const { notes } = accepted(await team.as("dev-2").send(JSON.stringify(answer)));
    assert.deepEqual(
      notes.map(({ code }) => code),
      ["sender-not-authorised", "without-effect"],
    );
  }
  const page = await team.as("dev-1").inbox();
  assert.ok(page.ok);
  assert.equal(page.value.deliveries[0]?.effect, false);
  assert.ok(page.value.deliveries[0].notes.some((note) => note.code === "sender-not-authorised"));
  assert.equal((await team.openApprovals()).length, 1);
});

test("the owner's typo grants nothing, and a repeated answer is reported once", async () => {
  await using team = await greeters();
  accepted(
    await team
      .as("dev-1")
      .send(JSON.stringify(typedMessage("approval_request", {}, { id: "request-1" })), { to: ["owner"] }),
  );
  refused(await team.as("owner").answer({ request: "request-l", approved: true, reason: "Fine" }), "unknown-request");
  assert.equal((await team.openApprovals()).length, 1);
  const first = accepted(await team.as("owner").answer({ request: "request-1", approved: true, reason: "Fine" }));
  assert.deepEqual(first.receivers, ["dev-1"]);
  const again = accepted(await team.as("owner").answer({ request: "request-1", approved: true, reason: "Fine" }));
  assert.deepEqual(again.receivers, []);
  const page = await team.as("dev-1").inbox();
  assert.ok(page.ok);
  assert.equal(page.value.deliveries.length, 1);
});

test("a retired lead changes nobody, itself least, and nobody takes a reserved name", async () => {
  await using team = await greeters();
  accepted(await team.as("owner").retire({ agent: "lead-1" }));
  refused(await team.as("lead-1").register({ agent: "lead-1", role: "lead" }), "retired-agent");
  refused(await team.as("lead-1").retire({ agent: "dev-1" }), "retired-agent");
  for (const agent of ["Owner", "baton"])
    refused(await team.as("owner").register({ agent, role: "dev" }), "wrong-value");
});
