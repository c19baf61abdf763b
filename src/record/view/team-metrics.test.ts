/** Counts agree with what happened: by agent, by reason, over time, and only of the range that is asked for. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock, typedMessage } from "../../testing/fixtures.ts";
import { testTeam } from "../../testing/test-team.ts";

test("entries are counted by agent and part of the time, refusals by reason, and waiting until acknowledgement", async () => {
  const clock = manualClock();
  await using team = await testTeam({
    clock,
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "dev-1", role: "dev" },
    ],
  });
  const [owner, lead, dev] = [team.as("owner"), team.as("lead-1"), team.as("dev-1")];
  assert.equal((await lead.send(JSON.stringify(typedMessage("plan_contract")))).outcome, "accepted");
  assert.equal((await dev.claim({ task: "1-1-T1", files: ["src/greet.js"] })).outcome, "accepted");
  const update = typedMessage("execution_update", { tokens_used: 700 });
  assert.equal((await dev.send(JSON.stringify(update))).outcome, "accepted");
  clock.advance(60_000);
  const from = new Date(clock.now()).toISOString();
  assert.equal((await dev.send(JSON.stringify(typedMessage("qa_verdict")))).outcome, "refused");
  assert.equal((await dev.send("Hello", { to: ["lead-1"] })).outcome, "accepted");
  clock.advance(30_000);
  assert.equal((await lead.acknowledge(6)).outcome, "accepted");
  const found = await owner.metrics({ bucket: 60 });
  assert.ok(found.ok, JSON.stringify(found));
  const { agents, codes, pairs, tokens, starts, bucketSeconds } = found.value;
  const of = (agent: string) => agents.find((each) => each.agent === agent);
  assert.deepEqual([bucketSeconds, starts.length], [60, 2]);
  assert.deepEqual(
    [of("dev-1")?.accepted, of("dev-1")?.refused, of("lead-1")?.accepted],
    [
      [2, 1],
      [0, 1],
      [1, 0],
    ],
  );
  assert.deepEqual(of("dev-1")?.firstReports, { verified: 0, disputed: 0, superseded: 0, open: 1 });
  assert.deepEqual([of("lead-1")?.acknowledgedMs, of("dev-1")?.acknowledgedMs], [{ p50: 90_000, p95: 90_000 }, null]);
  assert.deepEqual(codes, [{ code: "identity-mismatch", refused: [0, 1] }]);
  assert.deepEqual(
    pairs.find(({ from: sender }) => sender === "dev-1"),
    { from: "dev-1", to: "lead-1", messages: 2 },
  );
  assert.deepEqual(tokens, [{ plan: "1-1", task: "1-1-T1", reporter: "dev-1", tokens: 700 }]);
  const later = await owner.metrics({ from });
  assert.ok(later.ok);
  assert.deepEqual(later.value.agents.find(({ agent }) => agent === "dev-1")?.accepted, [1]);
  const nothing = await owner.metrics({ to: "2000-01-01T00:00:00Z" });
  assert.ok(nothing.ok && nothing.value.starts.length === 0 && nothing.value.agents.length === 0);
  const wrong = await owner.metrics({ to: "soon" });
  assert.ok(!wrong.ok && wrong.error.code === "wrong-format");
});
