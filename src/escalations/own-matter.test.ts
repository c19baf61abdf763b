/** Nobody judges its own work: a name keeps its past, whatever role or department it gets, through whatever door. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Role } from "../messages/role.ts";
import type { Reply } from "../perform/operations/reply.ts";
import { reviseTeam } from "../team/handlers/revision.ts";
import type { TeamDefinition } from "../team/state/definition.ts";
import { typedMessage } from "../testing/fixtures.ts";
import { type TestTeam, testTeam } from "../testing/test-team.ts";

const agents = [
  { agent: "lead-1", role: "lead" },
  { agent: "architect-1", role: "architect" },
  { agent: "senior-1", role: "senior" },
  { agent: "dev-1", role: "dev" },
  { agent: "dev-2", role: "dev" },
  { agent: "qa-1", role: "qa-lead" },
  { agent: "security-1", role: "security" },
] as const;

function codeOf(reply: Reply): string {
  return reply.outcome === "refused" ? (reply.problems[0]?.code ?? "") : reply.outcome;
}

async function company(): Promise<TestTeam> {
  const team = await testTeam({ agents, dialects: ["yolo/1"], hasRepository: false });
  await team.as("lead-1").addTask({ task: "01-01/T1", plan: "01-01", files: ["src/a.ts"] });
  return team;
}

/** Gives a name another role by command, as the person does, or as its lead. */
async function turned(team: TestTeam, agent: string, role: Role, by = "owner"): Promise<void> {
  assert.equal(codeOf(await team.as(by).retire({ agent })), "accepted");
  assert.equal(codeOf(await team.as(by).register({ agent, role })), "accepted");
}

/** Changes the team's file, which the owner confirms. */
async function revised(team: TestTeam, part: Partial<TeamDefinition>): Promise<void> {
  const status = await team.as("owner").status();
  assert.ok(status.ok && status.value.definition);
  const answer = await reviseTeam(team.context, { ...status.value.definition, ...part });
  const proposal = answer.ok ? answer.value.proposal?.id : undefined;
  assert.equal(codeOf(await team.as("owner").confirmRevision({ proposal: proposal ?? "" })), "accepted");
}

/** Gives a name another role by the team's file. */
async function turnedByFile(team: TestTeam, agent: string, role: Role): Promise<void> {
  await revised(team, { agents: agents.map((each) => (each.agent === agent ? { agent, role } : each)) });
}

const tell = async (team: TestTeam, agent: string, message: object) =>
  codeOf(await team.as(agent).send(JSON.stringify(message)));

async function report(team: TestTeam, agent: string): Promise<void> {
  const done = { task: "01-01/T1", plan: "01-01", commit: "abc1234", files: ["src/a.ts"] };
  assert.equal(codeOf(await team.as(agent).complete(done)), "accepted");
}

const artifact = { artifact: "r.jsonl", committed: true };
const approval = { type: "code_review_result", plan_id: "01-01", result: "approve", cycle: 1, findings_count: 0 };
const approved = { ...approval, critical: 0, ...artifact };
const small = [{ f: "src/a.ts", ln: 1, issue: "A typo", fix: "Write it right" }];
const asked = { plan_id: "01-01", cycle: 1, changes: small, must_fix: [], rerun_tests: false };
const changes = { type: "code_review_changes", ...asked };
const checks = { passed: 1, failed: 0, total: 1 };
const passed = { type: "qa_result", tier: "standard", result: "PASS", checks, failures: [], ...artifact };
const clean = { type: "security_audit", result: "PASS", findings: 0, critical: 0, categories: [], ...artifact };

async function stateOf(team: TestTeam, step: string): Promise<string | undefined> {
  const found = await team.as("owner").phases();
  assert.ok(found.ok);
  return found.value[0]?.departments[0]?.steps.find((each) => each.step === step)?.state;
}

const ways: readonly (readonly [by: string, turn: typeof turnedByFile])[] = [
  ["by the person's command", turned],
  ["by its lead's command", (team, agent, role) => turned(team, agent, role, "lead-1")],
  ["by the team's file", turnedByFile],
];
for (const [by, turn] of ways) {
  test(`a developer made a senior ${by} reviews the plan of another, and not its own`, async () => {
    await using team = await company();
    await report(team, "dev-1");
    await turn(team, "dev-1", "senior");
    assert.equal(await tell(team, "dev-1", approved), "own-request");
    assert.equal(await tell(team, "dev-1", changes), "own-request");
    assert.equal(await tell(team, "dev-1", { ...approved, plan_id: "01-02" }), "accepted");
    assert.equal(await stateOf(team, "code_review"), "running");
    assert.equal(await tell(team, "senior-1", approved), "accepted");
    assert.equal(await stateOf(team, "code_review"), "complete");
  });
}

test("who approves a plan first and works on it afterwards has approved nothing", async () => {
  await using team = await company();
  assert.equal(await tell(team, "senior-1", approved), "accepted");
  await report(team, "senior-1");
  assert.equal(await stateOf(team, "code_review"), "running");
});

test("who worked on a phase does not verify it, audit it or leave that out; what fails is taken from everybody", async () => {
  await using team = await company();
  await report(team, "dev-1");
  await turned(team, "dev-1", "qa-lead");
  assert.equal(await tell(team, "dev-1", passed), "own-request");
  const failures = [{ check: "It greets", expected: "yes", actual: "no", evidence: "by hand" }];
  const failed = { ...passed, result: "FAIL", checks: { passed: 0, failed: 1, total: 1 }, failures };
  assert.equal(await tell(team, "dev-1", failed), "accepted");
  await turned(team, "dev-1", "security");
  assert.equal(await tell(team, "dev-1", clean), "own-request");
  await turned(team, "dev-1", "lead");
  assert.equal(codeOf(await team.as("dev-1").skipStep({ step: "qa", reason: "no time" })), "own-request");
  assert.equal(codeOf(await team.as("lead-1").skipStep({ step: "qa", reason: "no time" })), "accepted");
});

test("who worked for one department does not leave a step out of the whole phase", async () => {
  const named = [
    { agent: "owner-1", role: "owner" },
    { agent: "architect-1", role: "architect" },
    { agent: "lead-b", role: "lead", department: "backend" },
    { agent: "senior-b", role: "senior", department: "backend" },
    { agent: "dev-b", role: "dev", department: "backend" },
    { agent: "lead-f", role: "lead", department: "frontend" },
    { agent: "dev-f", role: "dev", department: "frontend" },
  ] as const;
  await using team = await testTeam({ agents: named, dialects: ["yolo/1"], hasRepository: false });
  await team.as("lead-b").addTask({ task: "01-01/T1", plan: "01-01", files: ["src/a.ts"] });
  await team.as("lead-b").addTask({ task: "01-01/T2", plan: "01-01", files: ["src/b.ts"] });
  await report(team, "dev-b");
  const other = { task: "01-01/T2", plan: "01-01", commit: "abc1235", files: ["src/b.ts"] };
  assert.equal(codeOf(await team.as("owner-1").complete(other)), "accepted");
  assert.equal(codeOf(await team.as("owner-1").skipStep({ step: "qa", reason: "no time" })), "own-request");
  assert.equal(codeOf(await team.as("architect-1").skipStep({ step: "qa", reason: "no time" })), "accepted");
});

test("a lead does not register its own judge", async () => {
  await using team = await company();
  await report(team, "lead-1");
  assert.equal(codeOf(await team.as("lead-1").register({ agent: "qa-9", role: "qa-lead" })), "accepted");
  assert.equal(codeOf(await team.as("lead-1").register({ agent: "senior-9", role: "senior" })), "accepted");
  assert.equal(await tell(team, "qa-9", passed), "own-request");
  assert.equal(await tell(team, "senior-9", approved), "own-request");
  assert.equal(await tell(team, "qa-1", passed), "accepted");
});

test("nobody has its own judge registered by an agent that it registered, also where names registered each other", async () => {
  await using team = await company();
  const names = [
    { pattern: "w-dev-*", role: "dev", max: 8 },
    { pattern: "w-qa-*", role: "qa-lead", max: 8 },
    { pattern: "w-senior-*", role: "senior", max: 8 },
  ] as const;
  await revised(team, { names });
  const joins = async (agent: string, role: Role, by: string) =>
    assert.equal(codeOf(await team.as(by).register({ agent, role })), "accepted", `${agent} by ${by}`);
  await joins("w-dev-1", "dev", "dev-1");
  await joins("w-dev-2", "dev", "w-dev-1");
  await joins("w-qa-1", "qa-lead", "w-dev-2");
  await joins("w-senior-1", "senior", "w-dev-1");
  await joins("w-qa-2", "qa-lead", "dev-2");
  await report(team, "dev-1");
  assert.equal(await tell(team, "w-qa-1", passed), "own-request");
  assert.equal(await tell(team, "w-senior-1", approved), "own-request");
  // Now dev-1 registered w-dev-1, which registered w-dev-2, which registered dev-1.
  await turned(team, "w-dev-2", "lead");
  await turned(team, "dev-1", "dev", "w-dev-2");
  assert.equal(await tell(team, "w-qa-1", passed), "own-request");
  assert.equal(await tell(team, "w-qa-2", passed), "accepted");
});

test("a request is answered by nobody who asked, nor by a name that who asked registered", async () => {
  await using team = await testTeam({ agents, dialects: ["vbw/2"] });
  const leave = { subject: "More files", request_type: "scope_change", evidence: "src/b.ts is missing" };
  const say = (agent: string, role: string) =>
    tell(team, agent, typedMessage("approval_request", leave, { id: `by-${agent}`, author_role: role }));
  assert.equal(await say("dev-1", "dev"), "accepted");
  // Leaving the team would close the request.
  await turnedByFile(team, "dev-1", "lead");
  const yes = { approved: true, reason: "Mine" };
  assert.equal(codeOf(await team.as("dev-1").answer({ request: "by-dev-1", ...yes })), "own-request");
  // A lead that registered a name asks, and the person makes that name a lead as well.
  assert.equal(codeOf(await team.as("lead-1").register({ agent: "dev-9", role: "dev" })), "accepted");
  assert.equal(await say("lead-1", "lead"), "accepted");
  await turned(team, "dev-9", "lead");
  assert.equal(codeOf(await team.as("dev-9").answer({ request: "by-lead-1", ...yes })), "own-request");
  assert.equal(codeOf(await team.as("architect-1").answer({ request: "by-lead-1", ...yes })), "accepted");
});

test("a developer made a senior does not decide what holds it up", async () => {
  await using team = await company();
  const blocker = { type: "dev_blocker", task: "01-01/T1", plan_id: "01-01", blocker: "No names", needs: "Names" };
  assert.equal(await tell(team, "dev-1", { ...blocker, attempted: [] }), "accepted");
  await turned(team, "dev-1", "senior");
  const decided = await team.as("dev-1").resolve({ escalation: "ESC-01-01-T1", decision: "Go on" });
  assert.equal(codeOf(decided), "own-request");
  assert.equal(
    codeOf(await team.as("dev-1").raise({ escalation: "ESC-01-01-T1" })),
    "accepted",
    "handing it up decides nothing",
  );
  assert.equal(codeOf(await team.as("lead-1").resolve({ escalation: "ESC-01-01-T1", decision: "Go on" })), "accepted");
});
