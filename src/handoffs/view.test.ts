import assert from "node:assert/strict";
import { test } from "node:test";
import { testTeam } from "../testing/test-team.ts";

test("work for somebody who is not there waits with the person and for who joins under that name or role, and is theirs", async () => {
  await using team = await testTeam({ dialects: ["bmad/1"], agents: [{ agent: "dev-1", role: "dev" }] });
  const hand = async (id: string) => {
    const metadata = { id, source_agent: "dev-1", target_agent: "qa", timestamp: "2026-02-12T10:00:00Z" };
    const rest = { context: {}, instructions: { primary: "Test the cart" }, dependencies: {}, validation: {} };
    const sent = await team.as("dev-1").send(JSON.stringify({ handoff: { metadata, ...rest } }));
    assert.equal(sent.outcome, "accepted", JSON.stringify(sent));
  };
  for (const id of ["h-1", "h-2"]) await hand(id);
  const needs = await team.as("owner").needs({});
  assert.ok(needs.ok);
  assert.match(needs.value.needs[0]?.subject ?? "", /no agent is called qa/);
  const wrong = await team.as("dev-1").acceptHandoff({ handoff: "h-1" });
  assert.equal(wrong.outcome, "refused");
  assert.equal((await team.as("owner").register({ agent: "tess", role: "qa" })).outcome, "accepted");
  const page = await team.as("tess").inbox();
  assert.match(page.ok ? JSON.stringify(page.value.deliveries) : "", /Test the cart.*Accept h-1 to take it/);
  const taken = await team.as("tess").acceptHandoff({ handoff: "h-1" });
  assert.equal(taken.outcome, "accepted", JSON.stringify(taken));
  const back = await team.as("tess").rejectHandoff({ handoff: "h-2", reasons: ["no criteria"] });
  assert.equal(back.outcome, "accepted", JSON.stringify(back));
});
