import assert from "node:assert/strict";
import { test } from "node:test";
import { typedMessage } from "../../testing/fixtures.ts";
import { testTeam } from "../../testing/test-team.ts";

// Alone in its file: only the first message of a process finds the rules of messages not loaded.
test("words that are sent while the rules of messages are being loaded stay behind the message before them", async () => {
  await using team = await testTeam({
    dialects: ["vbw/2"],
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "dev-1", role: "dev" },
    ],
  });
  const lead = team.as("lead-1");
  const words = { to: ["dev-1"] };
  const replies = await Promise.all([
    lead.send("Before.", words),
    lead.send(JSON.stringify(typedMessage("plan_contract"))),
    lead.send("Behind.", words),
    lead.send("Last.", words),
  ]);
  const seqs = replies.map((reply) => (reply.outcome === "accepted" ? reply.receipt.seq : null));
  assert.deepEqual(
    seqs,
    [...seqs].sort((one, other) => (one ?? 0) - (other ?? 0)),
  );
  assert.ok(!seqs.includes(null), JSON.stringify(replies));
});
