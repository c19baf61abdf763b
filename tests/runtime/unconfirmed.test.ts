/**
 * What is said of a phase too early, or without anything to show for it: sender and reader are notified, and the phase
 * shows it.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { paintFor } from "../../src/doors/cli/terminal/output.ts";
import { phaseText } from "../../src/phases/text/phase-text.ts";
import { teamKinds } from "../../src/team/state/kinds.ts";
import { type TestTeam, testTeam } from "../../src/testing/test-team.ts";

const { agents, dialects } = teamKinds["yolo-departments"];

/** Says it, and answers the codes of the notes; a reader's copy must have the same. */
async function say(team: TestTeam, agent: string, message: object, reader: string): Promise<readonly string[]> {
  const reply = await team.as(agent).send(JSON.stringify(message));
  assert.equal(reply.outcome, "accepted", JSON.stringify(reply));
  const codes = reply.notes.map(({ code }) => code);
  const inbox = await team.as(reader).inbox();
  assert.ok(inbox.ok);
  assert.deepEqual(
    inbox.value.deliveries.at(-1)?.notes.map(({ code }) => code),
    codes,
  );
  return codes;
}

async function shown(team: TestTeam) {
  const found = await team.as("owner").phases();
  const [view] = found.ok ? found.value : [];
  assert.ok(view !== undefined);
  return view;
}

const review = {
  type: "owner_review",
  phase: "01",
  departments_needed: ["uiux", "frontend"],
  dispatch_order: ["uiux", "frontend"],
  priorities: [],
  risks: [],
};

const handoff = (status: string) => ({
  type: "design_handoff",
  phase: "01",
  department: "uiux",
  artifacts: { design_tokens: "tokens.jsonl", component_specs: "specs.jsonl", user_flows: "flows.jsonl" },
  ready_components: ["Form"],
  deferred: [],
  acceptance_criteria: [],
  status,
});

test("a design that is handed over before uiux has finished is noted, and the phase shows it until it has", async () => {
  await using team = await testTeam({ agents, dialects });
  await say(team, "owner-1", review, "frontend-lead-1");
  assert.deepEqual(await say(team, "uiux-lead-1", handoff("failed"), "frontend-lead-1"), [], "it opens nothing");
  assert.deepEqual(await say(team, "uiux-lead-1", handoff("complete"), "frontend-lead-1"), ["design-early"]);
  const view = await shown(team);
  assert.match(view.unconfirmed.join(), /^the design is handed over \(entry 4\), and uiux has not finished critique/);
  assert.match(phaseText(view, { paint: paintFor(false), hasBars: false }), /unconfirmed +the design is handed over/);
  for (const { step, state } of view.departments[0]?.steps ?? []) {
    if (step === "signoff" || state === "skipped") continue;
    const skipped = await team.as("owner").skipStep({ step, department: "uiux", reason: "The design is all there is" });
    assert.equal(skipped.outcome, "accepted", JSON.stringify(skipped));
  }
  assert.deepEqual((await shown(team)).unconfirmed, []);
  assert.deepEqual(await say(team, "uiux-lead-1", handoff("partial"), "frontend-lead-1"), []);
});

test("a critic's word that its file is committed is noted, and the phase says whose it is to commit", async () => {
  await using team = await testTeam({ agents, dialects });
  const critique = (committed: boolean) => ({
    type: "critique_result",
    phase: "01",
    findings: 1,
    critical: 0,
    major: 1,
    minor: 0,
    categories: ["gap"],
    artifact: "critique.jsonl",
    committed,
  });
  assert.deepEqual(await say(team, "critic-1", critique(true), "backend-lead-1"), ["critic-cannot-commit"]);
  assert.equal((await shown(team)).departments[0]?.critique?.committed, false);
  assert.deepEqual(await say(team, "critic-1", { ...critique(false), minor: 1, findings: 2 }, "backend-lead-1"), [
    "lead-commits",
  ]);
});

test("a phase that ships on results without a plan or a verification, or over an open escalation, says so on the receipt and where it is shown", async () => {
  await using team = await testTeam({ agents, dialects });
  await say(
    team,
    "owner-1",
    { ...review, departments_needed: ["backend"], dispatch_order: ["backend"] },
    "backend-lead-1",
  );
  const result = {
    type: "department_result",
    department: "backend",
    phase: "01",
    result: "PASS",
    plans_completed: 0,
    plans_total: 0,
    qa_result: "PASS",
    security_result: "PASS",
    tdd_coverage: "all",
  };
  assert.deepEqual(await say(team, "backend-lead-1", result, "owner-1"), ["result-differs"]);
  const told = [
    "backend reports PASS: no plan is known; qa PASS is reported, none is known; security PASS is reported, none is known",
  ];
  assert.deepEqual((await shown(team)).unconfirmed, told);
  const blocker = { type: "dev_blocker", task: "01-01/T1", plan_id: "01-01", blocker: "No gateway", needs: "One" };
  await say(team, "backend-dev-1", blocker, "backend-senior-1");
  told[0] = `${told[0]}`.replace("known;", "known; open: ESC-01-01-T1;");
  assert.deepEqual((await shown(team)).unconfirmed, told);
  const ship = {
    type: "owner_signoff",
    phase: "01",
    decision: "SHIP",
    departments_approved: ["backend"],
    integration_qa: "PASS",
  };
  const shipped = await team.as("owner-1").send(JSON.stringify({ ...ship, notes: "" }));
  assert.ok(shipped.outcome === "accepted", JSON.stringify(shipped));
  assert.deepEqual(
    shipped.notes.map(({ code, message }) => [code, message]),
    [["result-differs", ...told]],
  );
  assert.deepEqual((await shown(team)).unconfirmed, told);
});
