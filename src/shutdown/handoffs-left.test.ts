import assert from "node:assert/strict";
import { test } from "node:test";
import { testTeam } from "../testing/test-team.ts";

test("a handoff that an agent has in hand is in the certificate of a stop, until it is handed on", async () => {
  const agents = [
    { agent: "sm", role: "lead" as const },
    { agent: "dev-1", role: "dev" as const },
  ];
  await using team = await testTeam({ agents, dialects: ["bmad/1"] });
  const left = async () => {
    const found = await team.as("owner").shutdowns();
    assert.ok(found.ok);
    return found.value[0]?.agents.flatMap(({ handoffs = [] }) => handoffs);
  };
  await team.as("sm").send(JSON.stringify(handoff("sm", "h-1", "dev-1")));
  assert.equal((await team.as("dev-1").acceptHandoff({ handoff: "h-1" })).outcome, "accepted");
  await team.as("owner").startShutdown({ reason: "user_abort" }, { id: "stop" });
  assert.deepEqual(await left(), ["h-1"]);
  await team.as("dev-1").send(JSON.stringify(handoff("dev-1", "h-2", "sm")));
  assert.deepEqual(await left(), [], "handed on");
});

function handoff(source: string, id: string, target: string) {
  const metadata = {
    id,
    source_agent: source,
    target_agent: target,
    workflow_id: "w",
    timestamp: "2026-02-12T10:00:00Z",
  };
  const parts = { context: {}, instructions: { primary: "Go on" }, dependencies: {}, validation: {} };
  return { handoff: { metadata, ...parts } };
}
