import assert from "node:assert/strict";
import { test } from "node:test";
import type { Team } from "../../perform/team.ts";
import { type TestTeam, testTeam } from "../../testing/test-team.ts";
import { openMatters } from "./open-matters.ts";

const agents = [
  { agent: "sm", role: "lead" as const },
  { agent: "dev-1", role: "dev" as const },
  { agent: "sec", role: "security" as const },
];

async function matters(team: TestTeam) {
  const person = team.as("owner");
  const [needs, status] = [await person.needs(), await person.status()];
  assert.ok(status.ok && needs.ok);
  const open = await openMatters(person as unknown as Team, status.value); // Nothing is sent by it.
  assert.ok(open.ok);
  return { needs: needs.value.needs, shown: open.value.matters };
}

test("nothing that needs lists is missing in status, and each has the command that decides it", async () => {
  await using team = await testTeam({ agents, dialects: ["yolo/1", "vbw/2", "bmad/1"] });
  assert.deepEqual(await matters(team), { needs: [], shown: [] });
  const audit = { result: "FAIL", findings: 1, critical: 1, categories: [], artifact: "s.jsonl", committed: true };
  await team.as("sec").send(JSON.stringify({ type: "security_audit", ...audit }));
  for (const _again of [1, 2, 3]) await team.as("dev-1").claim({ task: "none" });
  await team.as("dev-1").send(JSON.stringify(handoff("dev-1", "h-1")));
  const { needs, shown } = await matters(team);
  assert.deepEqual(needs.map(({ kind }) => kind).toSorted(), ["handoff", "hold", "loop"]);
  for (const { kind, target } of needs) {
    const found = shown.filter((each) => each.kind === kind && each.id === target);
    assert.deepEqual([found.length, found[0]?.waitsFor], [1, ["owner"]], kind);
    assert.ok((found[0]?.decide.length ?? 0) > 0, kind);
  }
});

test("work that is handed to the person waits for the answer, and then until it is done", async () => {
  await using team = await testTeam({ agents, dialects: ["bmad/1"] });
  const person = team.as("owner");
  const commands = async () => {
    const { needs, shown } = await matters(team);
    assert.equal(shown.length, needs.length);
    return shown.flatMap(({ decide }) => decide.map((words) => words.slice(0, 2).join(" ")));
  };
  const files = async () => {
    const found = await person.handoff({ handoff: "h-1" });
    assert.ok(found.ok);
    return { digest: found.value.handoff.digest, files: 0, weak: 0, failed: [] };
  };
  assert.equal((await team.as("sm").send(JSON.stringify(handoff("sm", "h-1")))).outcome, "accepted");
  assert.deepEqual(await commands(), ["handoff list", "handoff accept", "handoff reject"]);
  assert.equal((await person.acceptHandoff({ handoff: "h-1", verified: await files() })).outcome, "accepted");
  assert.deepEqual(await commands(), ["handoff list", "handoff complete"]);
  assert.equal((await person.completeHandoff({ handoff: "h-1", verified: await files() })).outcome, "accepted");
  assert.deepEqual(await commands(), []);
});

test("a handoff that an agent has in hand is in status and in the certificate of a stop, until it is handed on", async () => {
  await using team = await testTeam({ agents, dialects: ["bmad/1"] });
  const waiting = async () => (await matters(team)).shown.map(({ id, about, waitsFor }) => [id, about, ...waitsFor]);
  const left = async () => {
    const found = await team.as("owner").shutdowns();
    assert.ok(found.ok);
    return found.value[0]?.agents.flatMap(({ handoffs = [] }) => handoffs);
  };
  await team.as("sm").send(JSON.stringify(handoff("sm", "h-1", "dev-1")));
  assert.deepEqual(await waiting(), []);
  assert.equal((await team.as("dev-1").acceptHandoff({ handoff: "h-1" })).outcome, "accepted");
  assert.deepEqual(await waiting(), [["h-1", "of sm, accepted: Go on", "dev-1"]]);
  await team.as("owner").startShutdown({ reason: "user_abort" }, { id: "stop" });
  assert.deepEqual(await left(), ["h-1"]);
  await team.as("dev-1").send(JSON.stringify(handoff("dev-1", "h-2", "sm")));
  assert.deepEqual(await left(), [], "handed on");
});

function handoff(source: string, id: string, target = "owner") {
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
