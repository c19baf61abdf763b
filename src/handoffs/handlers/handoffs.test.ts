import assert from "node:assert/strict";
import { test } from "node:test";
import { testTeam } from "../../testing/test-team.ts";

test("a rejection goes to who leads the issuer where that left; a name that nobody has goes to the person", async () => {
  const agents = [
    { agent: "sm", role: "lead" },
    { agent: "dev", role: "dev" },
    { agent: "qa", role: "qa" },
  ] as const;
  await using team = await testTeam({ dialects: ["bmad/1"], agents });
  const issue = async (id: string, target_agent: string) => {
    const metadata = { id, source_agent: "qa", target_agent, timestamp: "2026-02-12T10:00:00Z" };
    const sections = { context: {}, instructions: { primary: "Mend it" }, dependencies: {} };
    return await team.as("qa").send(JSON.stringify({ handoff: { metadata, ...sections } }));
  };
  const asked = await issue("h-1", "ux-expert");
  assert.ok(asked.outcome === "accepted", JSON.stringify(asked));
  assert.deepEqual(asked.receivers, ["owner"]);
  assert.deepEqual(
    asked.notes.map(({ message }) => message),
    ["Nobody is called ux-expert to receive this; it goes to the person who owns the team."],
  );
  const own = await issue("h-2", "qa");
  assert.deepEqual(own.outcome === "refused" && own.problems.map(({ code }) => code), ["no-receiver"]);
  assert.equal((await issue("h-3", "dev")).outcome, "accepted");
  await team.as("owner").retire({ agent: "qa" });
  const rejected = await team.as("dev").rejectHandoff({ handoff: "h-3", reasons: ["It has no criteria"] });
  assert.deepEqual(rejected.outcome === "accepted" && rejected.receivers, ["sm"]);
});

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
