/** What of an agent that asks again and again is recorded. Source: docs/protocol/record.md, section 1. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock, typedMessage } from "../testing/fixtures.ts";
import { testTeam } from "../testing/test-team.ts";

test("an agent that stopped and goes on sending is answered each time, and recorded a few times", async () => {
  const agents = [
    { agent: "lead-1", role: "lead" },
    { agent: "dev-1", role: "dev" },
  ] as const;
  await using team = await testTeam({ clock: manualClock(), dialects: ["vbw/2"], agents });
  await team.as("lead-1").startShutdown({ reason: "phase_complete", deadlineMs: 2_000 }, { id: "shut-1" });
  const dev = team.as("dev-1");
  const stop = await dev.send(JSON.stringify(typedMessage("shutdown_response", { request_id: "shut-1" })));
  assert.equal(stop.outcome, "accepted", JSON.stringify(stop));
  let recorded = 0;
  for (let count = 1; count <= 12; count += 1) {
    const text = count % 2 === 0 ? `Line ${count}` : `{"type": "execution_update", "field-${count}": 1}`;
    const reply = await dev.send(text, { to: ["lead-1"] });
    assert.ok(reply.outcome === "refused", text);
    assert.deepEqual(
      reply.problems.map(({ code }) => code),
      ["agent-stopped"],
    );
    if (reply.receipt !== null) recorded += 1;
  }
  assert.equal(recorded, 4, "three, and the tenth");
});
