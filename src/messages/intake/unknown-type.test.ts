/** What a message of a dialect that is not in use still needs: no more than its sender must add. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../base/json.ts";
import { typedMessage } from "../../testing/fixtures.ts";
import { testTeam } from "../../testing/test-team.ts";
import { dialectOf } from "../dialects/registry.ts";
import type { DialectId } from "../message.ts";

const progress = { task: "1-1-T1", plan_id: "1-1", commit: "abc1234", status: "partial" };
const { type: _, ...result } = dialectOf("yolo/1")?.definitions.get("qa_result")?.example ?? {};

/** the team's dialect, the sender, what it sends, where something is still needed */
const cases: readonly (readonly [DialectId, string, JsonObject, readonly string[]])[] = [
  ["vbw/2", "dev-1", { type: "dev_progress", ...progress }, []],
  ["vbw/2", "dev-1", { type: "dev_progress", payload: progress }, []],
  ["vbw/2", "dev-1", { type: "dev_blocker", task: "T1", plan_id: "1-1", blocker: "x", needs: "y" }, []],
  ["vbw/2", "qa-1", { type: "qa_result", ...result }, []],
];

for (const [dialect, agent, message, needed] of cases) {
  test(`${JSON.stringify(message).slice(0, 60)} in a team of ${dialect} still needs ${needed.join(", ") || "nothing"}`, async () => {
    await using team = await testTeam({
      dialects: [dialect],
      agents: [
        { agent: "lead-1", role: "lead" },
        { agent: "dev-1", role: "dev" },
        { agent: "qa-1", role: "qa" },
      ],
    });
    const reply = await team.as(agent).send(JSON.stringify(message), { id: "m-1" });
    assert.ok(reply.outcome === "refused");
    assert.deepEqual(
      reply.problems.map(({ code, path }) => [code, path]),
      [["unknown-type", "$.type"], ...needed.map((path) => ["missing-field", path])],
    );
  });
}

const handoff = dialectOf("bmad/1")?.definitions.get("handoff")?.example ?? {};
const inEnvelope = { ...typedMessage("execution_update"), type: "mood_report" };

/** What a team of first revisions does not know, and what becomes of it. */
const unrecognised: readonly (readonly [DialectId, string, JsonObject, string])[] = [
  ["vbw/1", "qa-1", typedMessage("qa_verdict"), "prose"],
  ["vbw/1", "dev-1", typedMessage("execution_update", { status: "partial" }), "prose"],
  ["vbw/1", "dev-1", { type: "task_claim", task_id: "T1", plan_id: "1-1", files: [] }, "prose"],
  ["vbw/1", "dev-1", inEnvelope, "prose"],
  ["yolo/1", "dev-1", inEnvelope, "prose"],
  ["vbw/1", "dev-1", handoff, "refused"],
  ["vbw/1", "dev-1", { type: "dev_progress", ...progress, status: "great" }, "refused"],
  ["vbw/2", "dev-1", inEnvelope, "refused"],
];

for (const [dialect, agent, message, outcome] of unrecognised) {
  test(`${JSON.stringify(message).slice(0, 60)} of ${agent} in a team of ${dialect} is ${outcome}`, async () => {
    await using team = await testTeam({
      dialects: [dialect],
      agents: [
        { agent: "lead-1", role: "lead" },
        { agent: "dev-1", role: "dev" },
        { agent: "qa-1", role: dialect === "yolo/1" ? "qa-lead" : "qa" },
      ],
    });
    const reply = await team.as(agent).send(JSON.stringify(message), { id: "m-1", to: ["lead-1"] });
    if (outcome === "refused") return assert.equal(reply.outcome, "refused");
    assert.ok(reply.outcome === "accepted", JSON.stringify(reply));
    assert.ok(
      reply.notes.some(({ message: words }) => /not in use here|No dialect in use/.test(words)),
      JSON.stringify(reply.notes),
    );
    const page = await team.as("lead-1").inbox();
    assert.ok(page.ok && page.value.deliveries.length === 1);
    assert.equal((await team.as("owner").tasks()).ok, true);
  });
}
