/** What the files of a phase say that other tools read, and when an owner's review counts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { departmentStatus, executionState } from "../../src/phases/text/phase.ts";
import { teamKinds } from "../../src/team/state/kinds.ts";
import { type TestTeam, testTeam } from "../../src/testing/test-team.ts";

const { agents, dialects } = teamKinds["yolo-departments"];

const review = {
  type: "owner_review",
  phase: "01",
  departments_needed: ["backend", "frontend"],
  dispatch_order: ["backend", "frontend"],
  priorities: [],
};

const critique = {
  type: "critique_result",
  phase: "01",
  findings: 1,
  critical: 0,
  major: 1,
  minor: 0,
  categories: ["gap"],
  artifact: "critique.jsonl",
  committed: false,
};

async function say(team: TestTeam, agent: string, message: object): Promise<void> {
  const reply = await team.as(agent).send(JSON.stringify(message));
  assert.equal(reply.outcome, "accepted", JSON.stringify(reply));
}

async function shown(team: TestTeam) {
  const phases = await team.as("owner").phases();
  const escalations = await team.as("owner").escalations();
  assert.ok(phases.ok && escalations.ok);
  const [view] = phases.value;
  assert.ok(view !== undefined);
  return { view, escalations: escalations.value };
}

test("an escalation is an entry with its id in the exported execution state", async () => {
  await using team = await testTeam({ agents, dialects });
  await say(team, "owner-1", review);
  await say(team, "backend-dev-1", {
    type: "dev_blocker",
    plan_id: "01-02",
    task: "01-02/T3",
    blocker: "The key is missing",
    needs: "A key",
    attempted: [],
  });
  const { view, escalations } = await shown(team);
  const state = executionState(view, escalations);
  assert.ok(Array.isArray(state.escalations));
  const [entry] = state.escalations as { readonly id: string; readonly status: string }[];
  assert.equal(entry?.id, "ESC-01-02-T3");
  assert.equal(entry.status, "open");
});

test("each department has a status file that says what its progress message says", async () => {
  await using team = await testTeam({ agents, dialects });
  await say(team, "owner-1", review);
  const { view } = await shown(team);
  const parts = view.departments.map((part) => departmentStatus(view, part));
  for (const part of parts) {
    assert.equal(part.type, "phase_progress");
    assert.equal(part.phase, "01");
    assert.equal(part.percent_complete, 0);
  }
  assert.deepEqual(new Set(parts.map(({ department }) => department)), new Set(["backend", "frontend"]));
});

test("an owner's review is taken with and without a critique before it", async () => {
  for (const hasCritique of [false, true]) {
    await using team = await testTeam({ agents, dialects });
    if (hasCritique) await say(team, "critic-1", critique);
    await say(team, "owner-1", review);
    assert.equal((await shown(team)).view.phase, "01");
  }
});
