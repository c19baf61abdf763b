import assert from "node:assert/strict";
import { test } from "node:test";
import { testTeam } from "../../testing/test-team.ts";

test("who completes a handoff and still holds its task learns how to report the task", async () => {
  const agents = [
    { agent: "dev-1", role: "dev" },
    { agent: "dev-2", role: "dev" },
  ] as const;
  await using team = await testTeam({ dialects: ["bmad/1"], agents });
  await team.as("owner").addTask({ task: "1-1-T1", plan: "1-1", files: ["src/a.ts"] });
  const metadata = {
    id: "h-1",
    source_agent: "dev-2",
    target_agent: "dev-1",
    timestamp: "2026-02-12T10:00:00Z",
    task_id: "1-1-T1",
  };
  const instructions = { primary: "Go on with the cart" };
  const handoff = { metadata, context: {}, instructions, dependencies: {}, validation: {} };
  const issued = await team.as("dev-2").send(JSON.stringify({ handoff }));
  assert.equal(issued.outcome, "accepted", JSON.stringify(issued));
  assert.equal((await team.as("dev-1").acceptHandoff({ handoff: "h-1" })).outcome, "accepted");
  const done = await team.as("dev-1").completeHandoff({ handoff: "h-1" });
  assert.deepEqual(done.outcome === "accepted" && done.notes.map(({ message }) => message), [
    "dev-1 still holds 1-1-T1, which is done once it is reported with its commit.",
  ]);
});
