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
  ["vbw/1", "qa-1", typedMessage("qa_verdict"), ["$.body"]],
  ["vbw/1", "dev-1", typedMessage("execution_update", { status: "partial" }), []],
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
