import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../base/json.ts";
import { type DropInPlace, judgeDropIn } from "../dialects/drop-in.ts";
import { dialectOf } from "../dialects/registry.ts";
import { vbw21DropIn } from "../dialects/vbw-2.1/drop-in.ts";
import { testTeam } from "../testing/test-team.ts";
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
  [{ type: "execution_update", from: "dev", plan_id: "1-1", task_id: "T1", status: "partial", commit: "" }, "refused"],
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

test("drift in a flat message is put right as in an enveloped one", () => {
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
  assert.equal(other.dialect, "vbw/2.1");
});

test("in a team role, time and id come from the connection, and readers get the envelope", async () => {
  await using team = await testTeam({
    dialects: ["yolo/1", "vbw/2.1"],
    agents: [
      { agent: "lead-1", role: "lead", dialect: "vbw/2.1" },
      { agent: "dev-1", role: "dev", dialect: "vbw/2.1" },
    ],
  });
  const { from: _, ...unsigned } = request;
  const asked = await team.as("lead-1").send(JSON.stringify({ ...unsigned, deadline_seconds: 30 }), { id: "stop-1" });
  assert.ok(asked.outcome === "accepted", JSON.stringify(asked));
  const foreign = await team.as("dev-1").send(JSON.stringify({ ...response, from: "lead" }), { id: "a-2" });
  assert.equal(foreign.outcome === "refused" ? foreign.problems[0]?.code : "", "identity-mismatch");
  const answered = await team.as("dev-1").send(JSON.stringify({ ...response, from: "dev-1" }), { id: "a-1" });
  assert.ok(answered.outcome === "accepted", JSON.stringify(answered));
  assert.deepEqual(answered.receivers, ["lead-1"]);
  for (const [agent, id, role] of [
    ["dev-1", "stop-1", "lead"],
    ["lead-1", "a-1", "dev"],
  ] as const) {
    const page = await team.as(agent).inbox();
    const delivery = page.ok ? page.value.deliveries.at(-1) : undefined;
    assert.equal(delivery?.dialect, "vbw/2.1");
    const message = delivery?.message as JsonObject;
    assert.deepEqual([message.id, message.author_role], [id, role]);
    assert.equal(dialectOf("vbw/2.1")?.accepts(message), true);
  }
});
