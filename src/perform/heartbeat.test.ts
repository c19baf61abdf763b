import assert from "node:assert/strict";
import { test } from "node:test";
import { timestampOf } from "../base/clock.ts";
import { manualClock } from "../testing/fixtures.ts";
import { type TestTeam, testTeam } from "../testing/test-team.ts";

const agents = [
  { agent: "lead-1", role: "lead" },
  { agent: "dev-1", role: "dev" },
] as const;

async function lastSeen(team: TestTeam, agent: string): Promise<string | null | undefined> {
  const status = await team.as("owner").status();
  assert.ok(status.ok);
  return status.value.agents.find((each) => each.agent === agent)?.lastSeenAt;
}

test("an agent that asks for its mail is seen, and nothing is recorded for it", async () => {
  const clock = manualClock();
  await using team = await testTeam({ agents, clock });
  assert.equal(await lastSeen(team, "dev-1"), null);
  const before = await team.context.journal.state(team.context.team);
  await team.as("dev-1").inbox();
  assert.equal(await lastSeen(team, "dev-1"), timestampOf(clock.now()));
  const after = await team.context.journal.state(team.context.team);
  assert.ok(before.ok && after.ok);
  assert.equal(after.value.head.seq, before.value.head.seq);
});

test("signs close together are one, later ones count, and the later of sign and act is shown", async () => {
  const clock = manualClock();
  await using team = await testTeam({ agents, clock });
  const dev = team.as("dev-1");
  await dev.heartbeat();
  const first = timestampOf(clock.now());
  clock.advance(5_000);
  await dev.heartbeat();
  assert.equal(await lastSeen(team, "dev-1"), first);
  clock.advance(5_000);
  await dev.heartbeat();
  const second = timestampOf(clock.now());
  assert.equal(await lastSeen(team, "dev-1"), second);
  clock.advance(1_000);
  await dev.acknowledge(1);
  assert.equal(await lastSeen(team, "dev-1"), timestampOf(clock.now()));
});

test("somebody who is not in the team leaves no sign", async () => {
  await using team = await testTeam({ agents });
  assert.ok((await team.as("nobody").heartbeat()).ok);
  assert.ok((await team.as("owner").heartbeat()).ok);
  const signs = await team.context.journal.heartbeats(team.context.team);
  assert.ok(signs.ok);
  assert.equal(signs.value.size, 0);
});
