/** What is found wrong with a phase after it was shipped reaches the person's inbox, once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { teamKinds } from "../../src/team/state/kinds.ts";
import { type TestTeam, testTeam } from "../../src/testing/test-team.ts";
import { file, testEnvironment } from "../evidence/history.ts";
import { madeRepository } from "../evidence/place.ts";
import { toldTo } from "../evidence/reporting.ts";

const { agents, dialects } = teamKinds["yolo-departments"];

async function say(team: TestTeam, agent: string, message: object, to?: readonly string[]): Promise<void> {
  const reply = await team.as(agent).send(JSON.stringify(message), to === undefined ? {} : { to });
  assert.equal(reply.outcome, "accepted", JSON.stringify(reply));
}

/** A phase of one department, up to its result. */
async function worked(): Promise<TestTeam> {
  const team = await testTeam({ agents, dialects });
  const order = { departments_needed: ["backend"], dispatch_order: ["backend"], priorities: [], risks: [] };
  await say(team, "owner-1", { type: "owner_review", phase: "01", ...order });
  await design(team, "none.toon");
  const plans = { plans_completed: 1, plans_total: 1, tdd_coverage: "all" };
  const passed = { result: "PASS", qa_result: "PASS", security_result: "PASS" };
  await say(team, "backend-lead-1", {
    type: "department_result",
    department: "backend",
    phase: "01",
    ...passed,
    ...plans,
  });
  return team;
}

function design(team: TestTeam, artifact: string): Promise<void> {
  const decisions = [{ decision: "A", rationale: "B", alternatives: [] }];
  const said = { type: "architecture_design", phase: "01", artifact, decisions, risks: [], committed: true };
  return say(team, "backend-architect-1", said);
}

function ship(team: TestTeam): Promise<void> {
  const decision = { decision: "SHIP", departments_approved: ["backend"], integration_qa: "PASS", notes: "" };
  return say(team, "owner-1", { type: "owner_signoff", phase: "01", ...decision });
}

const audit = (findings: number) => ({
  type: "security_audit",
  result: "FAIL",
  findings,
  critical: 1,
  categories: ["secrets"],
  artifact: "audit.jsonl",
  committed: false,
});

const headOf = (text: string) => text.split("\n").slice(0, 2).join(" ");

test("the person is notified of each failed audit after SHIP once, and not of one before it", async () => {
  await using team = await worked();
  await ship(team);
  const quiet = (await toldTo(team, "owner")).length;
  for (const findings of [1, 2]) {
    await say(team, "security-1", audit(findings), ["backend-lead-1"]);
    for (let n = 0; n < 3; n += 1) assert.ok((await team.as("owner").status()).ok);
  }
  const told = (await toldTo(team, "owner")).slice(quiet).map(headOf);
  assert.equal(told.length, 2);
  assert.match(
    told[0] ?? "",
    /^Phase 01 was shipped, and something is found since \(entry \d+\)\. Found: the security audit of entry \d+ by security-1 failed$/,
  );
  await using held = await worked();
  await say(held, "security-1", audit(1), ["backend-lead-1"]);
  assert.ok((await held.as("owner").status()).ok);
  assert.deepEqual(await toldTo(held, "owner"), []);
});

test("disputed work of a shipped phase is reported when the phase had none, and again only after it was repaired", async () => {
  await using team = await worked();
  await using made = await madeRepository({
    commits: [{ tree: new Map([["design.toon", file("x")]]), parents: [] }],
    references: { "refs/heads/main": 0 },
  });
  await ship(team);
  const judge = async () => {
    const judged = await team.as("owner").verifyArtifacts({ directory: made.directory, environment: testEnvironment });
    assert.ok(judged.ok && (await team.as("owner").status()).ok);
    return (await toldTo(team, "owner")).filter((text) => text.startsWith("Phase 01 was shipped")).length;
  };
  assert.equal(await judge(), 1);
  assert.equal(await judge(), 1);
  await design(team, "other.toon");
  await design(team, "design.toon");
  assert.equal(await judge(), 1, "it is repaired");
  await design(team, "lost.toon");
  assert.equal(await judge(), 2);
});

test("the person says that disputed artifacts count: SHIP is not refused for them, and a later message is judged again", async () => {
  await using team = await worked();
  await using made = await madeRepository({
    commits: [{ tree: new Map([["x", file("x")]]), parents: [] }],
    references: { "refs/heads/main": 0 },
  });
  const look = async () => {
    const judged = await team.as("owner").verifyArtifacts({ directory: made.directory, environment: testEnvironment });
    assert.ok(judged.ok);
  };
  const needs = async () => {
    const found = await team.as("owner").needs({});
    assert.ok(found.ok);
    return found.value.needs.flatMap(({ id, kind, target }) => (id === `artifact:${target}` ? [kind, target] : []));
  };
  const asked = { decision: "SHIP", departments_approved: ["backend"], integration_qa: "PASS", notes: "" };
  const signoff = JSON.stringify({ type: "owner_signoff", phase: "01", ...asked });
  await look();
  const [kind, target = ""] = await needs();
  assert.equal(kind, "dispute");
  assert.equal((await team.as("owner-1").send(signoff)).outcome, "refused");

  const settle = (agent: string, message = target) =>
    team.as(agent).settleArtifacts({ message, reason: "It is in another repository." });
  assert.equal((await settle("backend-dev-1")).outcome, "refused");
  assert.equal((await settle("owner", "1")).outcome, "refused", "nothing of that entry is disputed");
  assert.equal((await settle("owner")).outcome, "accepted");
  assert.match((await toldTo(team, "backend-architect-1")).at(-1) ?? "", /owner decided: .* counts/);
  await look();
  assert.deepEqual(await needs(), [], "a look disputes nothing that was decided");
  await ship(team);
  await design(team, "lost.toon");
  await look();
  assert.equal((await needs()).length, 2);
});
