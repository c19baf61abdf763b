import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../base/json.ts";
import { typedMessage } from "../../testing/fixtures.ts";
import { testTeam } from "../../testing/test-team.ts";
import { type DropInPlace, judgeDropIn } from "../dialects/drop-in.ts";
import { vbw21DropIn } from "../dialects/drop-in-table.ts";
import { dialectOf } from "../dialects/registry.ts";
import type { DialectId } from "../message.ts";
import { readMessage } from "./read-message.ts";

const request = { type: "shutdown_request", reason: "phase_complete", team_name: "greeters", from: "lead" };
const response = { type: "shutdown_response", request_id: "stop-1", approved: true, final_status: "complete" };
const around = { id: "stop-9", phase: 2, task: "2-1-T1", timestamp: "2026-02-12T10:00:00Z", confidence: "high" };

const anywhere: DropInPlace = { typedProtocol: true, contractPaths: () => null, nowMs: 0 };

/** The message, whether the scripts and the reader of vbw/2.1 take it, and what the reader assumes where it does. */
const cases: readonly (readonly [JsonObject, string])[] = [
  [request, "id phase task timestamp confidence"],
  [{ ...request, ...around }, ""],
  [{ ...request, requestId: "stop-9" }, "phase task timestamp confidence"],
  [{ ...response, author_role: "dev" }, "id phase task timestamp confidence"],
  [{ ...response, ...around, from: "qa" }, ""],
  [{ ...response, from: "dev", pending_work: "T2" }, "id phase task timestamp confidence"],
  [response, "refused"],
  [{ ...response, from: "architect" }, "refused"],
  [{ ...request, from: "dev" }, "refused"],
  [{ ...request, from: "dev-1" }, "refused"],
  [{ type: "shutdown_request", from: "lead", reason: "phase_complete" }, "refused"],
  [{ ...request, payload: {} }, "refused"],
];

for (const [message, expected] of cases) {
  test(`${JSON.stringify(message)} is ${expected === "refused" ? expected : "read"} as the scripts do`, () => {
    const text = JSON.stringify(message);
    const scripts = judgeDropIn(text, vbw21DropIn, anywhere);
    assert.equal(scripts.valid, expected !== "refused", JSON.stringify(scripts.errors));
    const reading = readMessage(text, { dialects: ["vbw/2.1"] });
    assert.equal(reading.outcome === "accepted", expected !== "refused", JSON.stringify(reading.problems));
    if (reading.outcome !== "accepted" || reading.dialect !== "vbw/2.1") return;
    assert.equal(reading.rung, "typed");
    const envelope = reading.message as unknown as JsonObject;
    assert.deepEqual(envelope.assumed ?? [], expected === "" ? [] : expected.split(" "));
    assert.equal(dialectOf("vbw/2.1")?.read(envelope, { strict: true }).answer, "accepted", JSON.stringify(envelope));
    assert.equal(reading.notes[0]?.code, "lifted");
    assert.notEqual(readMessage(text, { dialects: ["vbw/2.1"], strict: true }).outcome, "accepted");
  });
}

test("drift in a flat message is corrected as in an enveloped one", () => {
  const reading = readMessage(JSON.stringify({ ...request, reason: "done", teamName: "x", team_name: undefined }), {
    dialects: ["vbw/2.1"],
  });
  assert.ok(reading.outcome === "accepted");
  assert.deepEqual(reading.fact.body, { reason: "phase_complete", teamName: "x" });
  const answer = readMessage(JSON.stringify({ ...response, request_id: undefined, requestId: "stop-1", from: "dev" }), {
    dialects: ["vbw/2.1"],
  });
  assert.ok(answer.outcome === "accepted");
  assert.deepEqual(answer.fact.body, { requestId: "stop-1", approved: true, finalStatus: "complete" });
});

test("without a team the dialects keep their order: what yolo/1 takes as it is stays its own", () => {
  const flat = { type: "shutdown_request", reason: "phase_complete", deadline_seconds: 30 };
  const reading = readMessage(JSON.stringify(flat));
  assert.ok(reading.outcome === "accepted");
  assert.equal(reading.dialect, "yolo/1");
  const other = readMessage(JSON.stringify(request));
  assert.ok(other.outcome === "accepted");
  assert.equal(other.dialect, "vbw/2");
});

test("in a team role, time and id come from the connection, and readers get the envelope", async () => {
  await using team = await testTeam({
    dialects: ["yolo/1", "vbw/2.1"],
    agents: [
      { agent: "lead-1", role: "lead", dialect: "vbw/2.1" },
      { agent: "dev-1", role: "dev", dialect: "vbw/2.1" },
    ],
  });
  const reads = async (agent: string, id: string, role: string) => {
    const page = await team.as(agent).inbox();
    const delivery = page.ok ? page.value.deliveries.at(-1) : undefined;
    assert.equal(delivery?.dialect, "vbw/2.1");
    const message = delivery?.message as JsonObject;
    assert.deepEqual([message.id, message.author_role], [id, role]);
    assert.equal(dialectOf("vbw/2.1")?.accepts(message), true);
  };
  const { from: _, ...unsigned } = request;
  const asked = await team.as("lead-1").send(JSON.stringify({ ...unsigned, deadline_seconds: 30 }), { id: "stop-1" });
  assert.ok(asked.outcome === "accepted", JSON.stringify(asked));
  await reads("dev-1", "stop-1", "lead");
  const foreign = await team.as("dev-1").send(JSON.stringify({ ...response, from: "lead" }), { id: "a-2" });
  assert.equal(foreign.outcome === "refused" ? foreign.problems[0]?.code : "", "identity-mismatch");
  const answered = await team.as("dev-1").send(JSON.stringify({ ...response, from: "dev-1" }), { id: "a-1" });
  assert.ok(answered.outcome === "accepted", JSON.stringify(answered));
  assert.deepEqual(answered.receivers, ["lead-1"]);
  await reads("lead-1", "a-1", "dev");
});

/** Every form in which an agent's prompt teaches the message, and the dialect. */
const stops: readonly (readonly [DialectId, JsonObject])[] = [
  ["yolo/2", response],
  ["vbw/2.1", response],
  ["vbw/2", response],
  ["vbw/2", { ...response, approved: undefined, approve: true } as unknown as JsonObject],
  ["yolo/2", { type: "shutdown_response", payload: { ...response, type: undefined } } as unknown as JsonObject],
  ["vbw/2", { type: "shutdown_response", payload: { ...response, type: undefined } } as unknown as JsonObject],
];

for (const [dialect, answer] of stops) {
  const text = JSON.stringify(answer);
  test(`an agent of ${dialect} that answers ${text} has stopped and is not forced`, async () => {
    await using team = await testTeam({
      dialects: [dialect],
      agents: [
        { agent: "lead-1", role: "lead" },
        { agent: "dev-1", role: "dev" },
      ],
    });
    const asked = await team.as("lead-1").send(JSON.stringify(request), { id: "stop-1" });
    assert.ok(asked.outcome === "accepted", JSON.stringify(asked));
    const answered = await team.as("dev-1").send(text, { id: "a-1" });
    assert.ok(answered.outcome === "accepted", JSON.stringify(answered));
    assert.deepEqual(answered.notes?.filter(({ code }) => code === "lifted").length, 1);
    const status = await team.as("lead-1").shutdowns();
    assert.ok(status.ok);
    assert.deepEqual(
      status.value.map(({ outcome }) => outcome),
      ["complete"],
    );
  });
}

const report = { plan_id: "4-1", task_id: "4-1-T1", status: "partial", commit: "", files_modified: ["src/a.ts"] };

test("the envelope is filled with what is known: the sender's role, the contract's phase, the task, the time", async () => {
  await using team = await testTeam({
    dialects: ["yolo/2"],
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "dev-1", role: "dev" },
      { agent: "docs-1", role: "docs" },
    ],
  });
  const contract = typedMessage("plan_contract", { plan_id: "greeting", phase_id: "phase-7" }, { phase: 7 });
  assert.equal((await team.as("lead-1").send(JSON.stringify(contract))).outcome, "accepted");
  const sent: readonly (readonly [string, JsonObject, JsonObject])[] = [
    ["dev-1", { type: "execution_update", payload: report }, { phase: 4, task: "4-1-T1", author_role: "dev" }],
    ["dev-1", { type: "execution_update", ...report }, { phase: 4, task: "4-1-T1", author_role: "dev" }],
    [
      "docs-1",
      { type: "execution_update", payload: { ...report, plan_id: "greeting", task_id: "T1" }, confidence: "high" },
      { phase: 7, task: "T1", author_role: "docs", confidence: "high" },
    ],
  ];
  for (const [index, [agent, message, expected]] of sent.entries()) {
    const reply = await team.as(agent).send(JSON.stringify(message), { id: `u-${index}` });
    assert.ok(reply.outcome === "accepted", JSON.stringify(reply));
    const page = await team.as("lead-1").inbox();
    const delivered = (page.ok ? page.value.deliveries.at(-1)?.message : null) as JsonObject;
    assert.equal(dialectOf("yolo/2")?.accepts(delivered), true);
    const told = Object.fromEntries(Object.keys(expected).map((field) => [field, delivered[field] ?? null]));
    assert.deepEqual(told, expected);
    const assumed = ["id", "phase", "task", "author_role", "timestamp", "confidence"];
    assert.deepEqual(
      delivered.assumed,
      assumed.filter((field) => !Object.hasOwn(message, field)),
    );
  }
});

/** A message without its envelope may not say more than its sender may: who sends it, how, what comes of it. */
const powerless: readonly (readonly [string, string, JsonObject, string])[] = [
  [
    "dev-1",
    "alone",
    { type: "plan_contract", payload: typedMessage("plan_contract").payload ?? {} },
    "sender-not-authorised",
  ],
  ["dev-1", "alone", { type: "execution_update", from: "lead", ...report }, "identity-mismatch"],
  ["dev-1", "alone", { type: "execution_update", author_role: "docs", ...report }, "identity-mismatch"],
  ["lead-1", "among words", { type: "approval_response", request_id: "r-1", approved: true, reason: "Fine" }, "prose"],
  ["dev-1", "among words", { type: "execution_update", ...report, status: "complete", commit: "abc1234" }, "prose"],
  ["lead-1", "among words", { type: "execution_update", payload: report }, "prose"],
  ["dev-1", "alone", { type: "execution_update", ...report, status: "so-so" }, "wrong-value $.status"],
  [
    "dev-1",
    "alone",
    { type: "execution_update", payload: { ...report, status: "so-so" } },
    "wrong-value $.payload.status",
  ],
];

for (const [agent, place, message, outcome] of powerless) {
  test(`${JSON.stringify(message)} from ${agent} ${place}: ${outcome}`, async () => {
    await using team = await testTeam({
      dialects: ["yolo/2"],
      agents: [
        { agent: "lead-1", role: "lead" },
        { agent: "dev-1", role: "dev" },
      ],
    });
    const json = JSON.stringify(message);
    const text = place === "alone" ? json : `It could be said so:\n${json}\nand that is all.`;
    const reply = await team.as(agent).send(text, { id: "m-1", to: [agent === "lead-1" ? "dev-1" : "lead-1"] });
    if (reply.outcome === "refused") {
      const [problem] = reply.problems;
      assert.ok(`${problem?.code} ${problem?.path}`.startsWith(outcome), JSON.stringify(reply.problems));
      assert.equal(reply.problems.length, 1, JSON.stringify(reply.problems));
      return;
    }
    assert.ok(reply.outcome === "accepted");
    const page = await team.as(agent === "lead-1" ? "dev-1" : "lead-1").inbox();
    assert.equal(page.ok ? page.value.deliveries.at(-1)?.type : "", null);
    assert.equal(outcome, "prose");
  });
}

test("without a sender, the role is the only thing that a flat message is refused for", () => {
  const reading = readMessage(JSON.stringify(response), { dialects: ["yolo/2"] });
  assert.deepEqual(
    reading.problems.map(({ code, path }) => [code, path]),
    [["missing-field", "$.author_role"]],
  );
});
