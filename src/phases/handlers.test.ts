import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reply } from "../perform/operations/reply.ts";
import { manualClock } from "../testing/fixtures.ts";
import { type TestTeam, testTeam } from "../testing/test-team.ts";
import type { PhasePartView } from "./view/phase-part-view.ts";

const agents = [
  { agent: "lead-1", role: "lead" },
  { agent: "architect-1", role: "architect" },
  { agent: "senior-1", role: "senior" },
  { agent: "tester-1", role: "tester" },
  { agent: "dev-1", role: "dev" },
  { agent: "qa-1", role: "qa-lead" },
  { agent: "critic-1", role: "critic" },
  { agent: "security-1", role: "security" },
  { agent: "go", role: "orchestrator" },
] as const;

let sentCount = 0;

type Clock = ReturnType<typeof manualClock>;

async function company(clock: Clock = manualClock()): Promise<TestTeam> {
  return testTeam({ agents, dialects: ["yolo/1"], clock });
}

async function say(team: TestTeam, agent: string, message: object, to?: readonly string[]): Promise<readonly string[]> {
  const reply = await team.as(agent).send(JSON.stringify(message), to === undefined ? {} : { to });
  assert.equal(reply.outcome, "accepted", JSON.stringify(reply));
  return reply.outcome === "accepted" ? reply.notes.map(({ code }) => code) : [];
}

async function part(team: TestTeam): Promise<PhasePartView> {
  const found = await team.as("owner").phases({ phase: "1" });
  assert.ok(found.ok, JSON.stringify(found));
  const view = found.value[0]?.departments[0];
  assert.ok(view !== undefined);
  return view;
}

async function stateOf(team: TestTeam, step: string) {
  return (await part(team)).steps.find((each) => each.step === step)?.state;
}

function codesOf(reply: Reply): readonly string[] {
  return reply.outcome === "refused" ? reply.problems.map(({ code }) => code) : [reply.outcome];
}

async function addPlan(team: TestTeam, plan: string): Promise<void> {
  const reply = await team.as("lead-1").addTask({ task: `${plan}/T1`, plan });
  assert.equal(reply.outcome, "accepted");
}

function done(plan: string, commit = "abc1234") {
  const report = { task_id: "T1", plan_id: plan, commit, files_modified: [`src/${plan}.js`], status: "complete" };
  return { type: "task_complete", ...report, deviations: [] };
}

function verdict(result: "PASS" | "FAIL") {
  const failed = result === "PASS" ? 0 : 1;
  const failures = failed === 0 ? [] : [{ check: "It greets", expected: "yes", actual: "no", evidence: "by hand" }];
  const checks = { passed: 1, failed, total: 1 + failed };
  return { type: "qa_result", tier: "standard", result, checks, failures, artifact: "q.jsonl", committed: true };
}

function audit(result: "PASS" | "FAIL") {
  const findings = result === "FAIL" ? 1 : 0;
  return {
    type: "security_audit",
    result,
    findings,
    critical: findings,
    categories: [],
    artifact: "s.jsonl",
    committed: true,
  };
}

function reviewed(result: "approve" | "changes_requested", cycle: number, critical = 0) {
  const counts = { findings_count: critical, critical };
  return {
    type: "code_review_result",
    plan_id: "01-01",
    result,
    cycle,
    ...counts,
    artifact: "r.jsonl",
    committed: true,
  };
}

test("changes that a review asks for say whose work they are about, where they reach other developers too", async () => {
  await using team = await company();
  for (const agent of ["dev-2", "dev-3"]) await team.as("owner").register({ agent, role: "dev" });
  for (const task of ["T1", "T2"]) await team.as("lead-1").addTask({ task: `01-01/${task}`, plan: "01-01" });
  const report = (task: string, file: string) => ({ ...done("01-01"), task_id: task, files_modified: [file] });
  await say(team, "dev-1", report("T1", "src/a.js"));
  await say(team, "dev-2", report("T2", "src/b.js"));
  const asked = async (f: string) => {
    const change = { f, ln: 4, issue: "An error is lost", fix: "Throw it" };
    const review = { type: "code_review_changes", plan_id: "01-01", cycle: 1, changes: [change], must_fix: [] };
    await say(team, "senior-1", { ...review, rerun_tests: true });
    const mail = await team.as("dev-3").inbox();
    assert.ok(mail.ok);
    return mail.value.deliveries.at(-1)?.notes.find(({ code }) => code === "meant-for")?.message;
  };
  assert.equal(await asked("src/b.js"), "It is about the work of dev-2; nobody else has anything to change.");
  assert.match((await asked("src/new.js")) ?? "", /the work of dev-1, dev-2; nobody else/);
});

const documents = [{ name: "STACK.md", content: "A stack." }];
const findings = [{ query: "Which gateway?", finding: "Ours.", confidence: "high" }];
const early = { type: "scout_findings", domain: "quality" };

for (const [dialect, message] of [
  ["vbw/1", { ...early, documents, confidence: "high", confidence_rationale: "Read" }],
  ["vbw/2", { type: early.type, payload: { domain: early.domain, documents } }],
  ["yolo/1", { ...early, findings, artifact: "research.jsonl", committed: true }],
] as const) {
  test(`${dialect}: what a scout finds before any phase is named counts for the first one, and names none`, async () => {
    const crew = [...agents.slice(0, 1), { agent: "scout-1", role: "scout" }] as const;
    await using team = await testTeam({ agents: crew, dialects: [dialect] });
    assert.ok((await say(team, "scout-1", message)).includes("phase-unknown"));
    assert.deepEqual(await team.as("owner").phases(), { ok: true, value: [] });
    for (const plan of ["01-01", "02-01"]) await addPlan(team, plan);
    const found = await team.as("owner").phases();
    assert.ok(found.ok);
    const research = found.value.map(({ phase, departments: [whole] }) => [
      phase,
      whole?.steps.find(({ step }) => step === "research")?.state,
    ]);
    assert.deepEqual(research, [
      ["01", "complete"],
      ["02", "running"],
    ]);
  });
}

test("percent is rounded down, and the end is foreseen by the median time of finished plans", async () => {
  const clock = manualClock();
  await using team = await company(clock);
  for (const plan of ["01-01", "01-02", "01-03"]) await addPlan(team, plan);
  assert.equal((await part(team)).eta, null);
  await team.as("dev-1").claim({ task: "01-01/T1" });
  clock.advance(60_000);
  await say(team, "dev-1", done("01-01"));
  const { percentComplete, plansComplete, plansTotal, eta } = await part(team);
  assert.deepEqual([percentComplete, plansComplete, plansTotal], [33, 1, 3]);
  assert.equal(Date.parse(eta ?? ""), clock.now() + 120_000);
  await say(team, "dev-1", done("01-02"));
  assert.equal((await part(team)).percentComplete, 66);
});

test("what a lead reports is compared with what is computed", async () => {
  await using team = await company();
  await addPlan(team, "01-01");
  const told = {
    type: "phase_progress",
    department: "backend",
    phase: "01",
    step: "qa",
    plans_complete: 4,
    plans_total: 5,
  };
  const noted = await say(team, "lead-1", { ...told, percent_complete: 80, blockers: [], eta: "" });
  assert.ok(noted.includes("progress-differs"));
  assert.deepEqual((await part(team)).differences, [
    "step qa is reported, critique is computed",
    "plans complete 4 is reported, 0 is computed",
    "plans in all 5 is reported, 1 is computed",
    "percent 80 is reported, 0 is computed",
  ]);
});

test("while an escalation is open the implementation is not complete, and no skipping takes it out of the way", async () => {
  await using team = await company();
  await addPlan(team, "01-01");
  await say(team, "dev-1", done("01-01"));
  assert.equal(await stateOf(team, "implementation"), "complete");
  const blocker = { type: "dev_blocker", task: "01-01/T2", plan_id: "01-01", blocker: "No names", needs: "Names" };
  await say(team, "dev-1", { ...blocker, attempted: [] });
  assert.equal(await stateOf(team, "implementation"), "running");
  const skipped = await team.as("lead-1").skipStep({ step: "implementation", reason: "in a hurry" });
  assert.deepEqual(codesOf(skipped), ["human-required"]);
  await team.as("senior-1").resolve({ escalation: "ESC-01-01-T2", decision: "Use these" });
  assert.equal(await stateOf(team, "implementation"), "complete");
});

test("verification counts only for the current work: what changed since must be verified again", async () => {
  await using team = await company();
  await addPlan(team, "01-01");
  await say(team, "qa-1", verdict("PASS"));
  await say(team, "dev-1", done("01-01"));
  assert.equal(await stateOf(team, "qa"), "running");
  await say(team, "qa-1", verdict("PASS"));
  assert.equal(await stateOf(team, "qa"), "complete");
  await say(team, "dev-1", done("01-01", "def5678"));
  assert.equal(await stateOf(team, "qa"), "running");
});

test("who did the work gives it no passing verdict and no audit under another role; what fails is taken from everybody", async () => {
  await using team = await company();
  await addPlan(team, "01-01");
  await say(team, "dev-1", done("01-01"));
  const tests = { passed: 1, failed: 0, skipped: 0 };
  const code = {
    tests,
    lint: { errors: 0, warnings: 0 },
    findings_count: 0,
    critical: 0,
    artifact: "c.jsonl",
    committed: true,
  };
  for (const [role, type, judged] of [
    ["qa-lead", "qa_result", verdict],
    ["qa-code", "qa_code_result", (result: string) => ({ type: "qa_code_result", result, ...code })],
    ["security", "security_audit", audit],
  ] as const) {
    await team.as("owner").retire({ agent: "dev-1" });
    assert.equal((await team.as("owner").register({ agent: "dev-1", role })).outcome, "accepted");
    const sent = await team.as("dev-1").send(JSON.stringify(judged("PASS")));
    assert.deepEqual(codesOf(sent), ["own-request"], type);
    await say(team, "dev-1", judged("FAIL"));
  }
  assert.equal(await stateOf(team, "qa"), "running");
  assert.match((await part(team)).blockers.join(), /failed \(by dev-1, 1 critical\)/);
});

test("a verdict says of which task it is: the pass of another ends nothing, and one that nobody knows is noted", async () => {
  const three = { "lead-1": "lead", "dev-1": "dev", "qa-1": "qa" } as const;
  const roster = (["lead-1", "dev-1", "qa-1"] as const).map((agent) => ({ agent, role: three[agent] }));
  await using team = await testTeam({ agents: roster, dialects: ["vbw/2"] });
  const terms = { plan_id: "1-1", tasks: ["1-1-T1", "1-1-T2"], allowed_paths: ["src/"], forbidden_paths: [] };
  const checked = { objective: "Codes", must_haves: [], depends_on: [], verification_checks: [], token_budget: 1000 };
  const sent = (sender: keyof typeof three, type: string, task: string, payload: object, phase = 1) => {
    const head = { id: `m-${++sentCount}`, type, phase, task, author_role: three[sender] };
    const rest = { timestamp: "2026-01-01T00:00:00Z", schema_version: "2.0", confidence: "high", payload };
    return say(team, sender, { ...head, ...rest });
  };
  await sent("lead-1", "plan_contract", "1-1-T1", { ...terms, ...checked, phase_id: "phase-1" });
  for (const task_id of ["1-1-T1", "1-1-T2"]) {
    const report = { plan_id: "1-1", task_id, status: "complete", commit: "abc1234", files_modified: ["src/a.ts"] };
    await sent("dev-1", "execution_update", task_id, { ...report, concerns: [], evidence: "All pass" });
  }
  const judge = (task: string, result: "PASS" | "FAIL", phase?: number) => {
    const { tier, checks, failures } = verdict(result);
    return sent("qa-1", "qa_verdict", task, { tier, result, checks, failures, body: "By hand" }, phase);
  };
  await judge("1-1-T1", "FAIL");
  await judge("1-1-T2", "PASS");
  assert.deepEqual([await stateOf(team, "qa"), (await part(team)).verdict?.task], ["running", "1-1-T1"]);
  assert.deepEqual(codesOf(await team.as("lead-1").endPhase({})), ["phase-open"]);
  assert.ok((await judge("1-1-T9", "FAIL")).includes("unknown-task"));
  assert.ok((await judge("1-1-T1", "FAIL", 2)).includes("phase-differs"));
  await judge("1-1", "PASS");
  assert.equal(await stateOf(team, "qa"), "complete");
});

test("a failed verification needs the person where nobody leads, and who does the work again reads what failed", async () => {
  const roster = [
    { agent: "dev-1", role: "dev" },
    { agent: "qa-1", role: "qa" },
  ] as const;
  await using team = await testTeam({ agents: roster, dialects: ["vbw/1"] });
  await team.as("owner").addTask({ task: "1-1-T1", plan: "1-1" });
  const report = await team.as("dev-1").complete({ task: "1-1-T1", commit: "abc1234", files: ["src/a.ts"] });
  assert.equal(report.outcome, "accepted");
  const { artifact, committed, ...result } = verdict("FAIL");
  await say(team, "qa-1", { ...result, body: `Read ${artifact}: ${committed}` });
  const needed = async () => {
    const needs = await team.as("owner").needs({});
    return needs.ok ? needs.value.needs.map(({ subject, why }) => [subject, why]) : [];
  };
  assert.deepEqual(await needed(), [
    ["qa-1 found that phase 1 fails. `baton task reopen TASK` has it done again.", "It greets"],
  ]);
  assert.equal((await team.as("owner").reopen({ task: "1-1-T1" })).outcome, "accepted");
  const page = await team.as("dev-1").inbox();
  assert.match(
    page.ok ? JSON.stringify(page.value.deliveries.at(-1)?.message) : "",
    /done again.*qa-1 says FAIL: It greets/,
  );
  assert.deepEqual(await needed(), []);
});

test("a third verification that fails after work goes to the architect; one that is only repeated is no round", async () => {
  await using team = await company();
  await addPlan(team, "01-01");
  const failsAgain = async (commit: string) => {
    await say(team, "dev-1", done("01-01", commit));
    return await say(team, "qa-1", verdict("FAIL"));
  };
  for (const [round, commit] of ["abc1231", "abc1232", "abc1233"].entries()) {
    assert.equal((await failsAgain(commit)).includes("escalated"), round === 2, `round ${round}`);
    assert.deepEqual(await say(team, "qa-1", verdict("FAIL")), ["already-so"]);
  }
  const mail = await team.as("architect-1").inbox();
  assert.ok(mail.ok && JSON.stringify(mail.value.deliveries).includes("ESC-01-1"));
  const [escalation] = await waiting(team);
  assert.deepEqual([escalation?.level, escalation?.id], ["architect", "ESC-01-1"]);
  // A fourth tells nothing new; after a decision it is a new round of the same escalation.
  await failsAgain("abc1234");
  assert.equal((await waiting(team)).length, 1);
  await team.as("architect-1").resolve({ escalation: "ESC-01-1", decision: "Leave the check out" });
  await failsAgain("abc1235");
  assert.deepEqual(
    (await waiting(team)).map(({ id, round }) => [id, round]),
    [["ESC-01-1", 2]],
  );
});

test("two rounds of review without approval go to the lead; tests that pass before their code to the senior", async () => {
  await using team = await company();
  await addPlan(team, "01-01");
  await say(team, "dev-1", done("01-01"));
  await say(team, "senior-1", reviewed("changes_requested", 1, 1));
  await say(team, "dev-1", done("01-01", "def5678"));
  const noted = await say(team, "senior-1", reviewed("changes_requested", 2, 1));
  assert.ok(noted.includes("review-limit") && noted.includes("escalated"));
  // What puts the decision into words before anybody worked on it is no round, whatever number it has.
  const [rounds] = await waiting(team);
  assert.ok(rounds !== undefined);
  await team.as("lead-1").resolve({ escalation: rounds.id, decision: "Throw it" });
  const change = { f: "src/a.js", ln: 4, issue: "An error is lost", fix: "Throw it" };
  const asked = { type: "code_review_changes", plan_id: "01-01", cycle: 3, changes: [change], rerun_tests: true };
  for (const message of [{ ...asked, must_fix: ["src/a.js:4"] }, reviewed("changes_requested", 3, 1)])
    assert.ok(!(await say(team, "senior-1", message)).includes("review-limit"));
  assert.deepEqual(await waiting(team), []);
  await say(team, "dev-1", done("01-01", "fed5678"));
  assert.ok((await say(team, "senior-1", reviewed("changes_requested", 3, 1))).includes("review-limit"));
  const counts = { tasks_tested: 1, tasks_skipped: 0, total_tests: 2 };
  await say(team, "tester-1", {
    type: "test_plan_result",
    plan_id: "01-01",
    ...counts,
    all_red: false,
    artifact: "t",
    committed: true,
  });
  assert.deepEqual(
    (await waiting(team)).map(({ level, plan }) => [level, plan]),
    [
      ["lead", "01-01"],
      ["senior", "01-01"],
    ],
  );
});

test("a phase of one department ends once every step is done or skipped, by the lead and nobody below", async () => {
  await using team = await company();
  await addPlan(team, "01-01");
  await say(team, "dev-1", done("01-01"));
  await say(team, "senior-1", reviewed("approve", 1));
  await say(team, "qa-1", verdict("PASS"));
  await say(team, "security-1", audit("FAIL"));
  const lead = team.as("lead-1");
  for (const step of ["critique", "research", "architecture", "design_review", "test_authoring"]) {
    assert.deepEqual(codesOf(await lead.skipStep({ step, reason: "a small phase" })), ["accepted"]);
  }
  const stopped = await lead.endPhase({});
  assert.deepEqual(codesOf(stopped), ["phase-open"]);
  const hint = stopped.outcome === "refused" ? stopped.problems[0]?.hint : "";
  assert.match(hint ?? "", /baton phase lift/, "skipping it is refused, so no hint says so");
  assert.deepEqual(codesOf(await lead.skipStep({ step: "security", reason: "late" })), ["human-required"]);
  assert.deepEqual(codesOf(await lead.liftStop({ reason: "late" })), ["human-required"]);
  assert.deepEqual(codesOf(await team.as("owner").liftStop({ reason: "It is a test key" })), ["accepted"]);
  assert.deepEqual(codesOf(await team.as("dev-1").endPhase({})), ["sender-not-authorised"]);
  const told = { type: "phase_progress", department: "backend", phase: "01", plans_complete: 1, plans_total: 1 };
  await say(team, "lead-1", { ...told, step: "signoff", percent_complete: 100, blockers: [], eta: "" });
  assert.equal((await part(team)).status, "ended");
  const status = await team.as("owner").status();
  assert.ok(status.ok && status.value.phases.length === 0, "what is over is not shown at a glance");
});

test("what is filled in for a verdict on a task is the task's phase, however the task is called", async () => {
  const crew = [
    { agent: "lead-1", role: "lead" },
    { agent: "dev-1", role: "dev" },
    { agent: "qa-1", role: "qa" },
  ] as const;
  await using team = await testTeam({ agents: crew, dialects: ["vbw/2"] });
  for (const [task, plan] of [
    ["login", "01-01"],
    ["1-1-T2", "01-01"],
    ["2-1-T1", "02-01"],
  ] as const) {
    await team.as("lead-1").addTask({ task, plan });
    const report = { task_id: task, plan_id: plan, commit: "abc1234", files_modified: [`src/${task}.js`] };
    await say(team, "dev-1", { type: "execution_update", ...report, status: "complete", concerns: [], evidence: "-" });
  }
  const checks = { passed: 1, failed: 1, total: 2 };
  for (const task of ["login", "1-1-T2"])
    assert.ok(
      !(
        await say(team, "qa-1", { type: "qa_verdict", task, payload: { tier: "standard", result: "FAIL", checks } })
      ).includes("phase-differs"),
      task,
    );
  const mail = await team.as("lead-1").inbox();
  assert.ok(mail.ok);
  const message = mail.value.deliveries.at(-1)?.message as { readonly phase: number } | undefined; // as documented
  assert.equal(message?.phase, 1);
});

for (const [needed, shipped, held] of [
  [["backend"], false, "backend"],
  [["backend", "frontend"], true, "backend frontend"],
] as const) {
  test(`an audit of a shared agent holds ${held}, the departments that the phase at work needs, and is lifted at once`, async () => {
    const crew = [
      { agent: "owner-1", role: "owner", department: "owner" },
      { agent: "lead-b", role: "lead", department: "backend" },
      { agent: "lead-f", role: "lead", department: "frontend" },
      { agent: "lead-u", role: "lead", department: "uiux" },
      { agent: "security-1", role: "security", department: "shared" },
    ] as const;
    await using team = await testTeam({ agents: crew, dialects: ["yolo/1"] });
    const reviews = (phase: string, departments: readonly string[]) =>
      say(team, "owner-1", {
        type: "owner_review",
        phase,
        departments_needed: departments,
        dispatch_order: departments,
        priorities: [],
        risks: [],
      });
    if (shipped) {
      const all = ["backend", "frontend", "uiux"];
      await reviews("01", all);
      for (const department of all)
        await say(team, `lead-${department.slice(0, 1)}`, {
          type: "department_result",
          department,
          phase: "01",
          result: "PASS",
          plans_completed: 1,
          plans_total: 1,
          qa_result: "PASS",
          security_result: "PASS",
          tdd_coverage: "red_green",
        });
      await say(team, "owner-1", {
        type: "owner_signoff",
        phase: "01",
        decision: "SHIP",
        departments_approved: all,
        integration_qa: "PASS",
        notes: "",
      });
    }
    await reviews("02", needed);
    await say(team, "security-1", { ...audit("FAIL"), ...(shipped ? {} : { artifact: "phases/02-x/s.jsonl" }) });
    const stops = async () => {
      const found = await team.as("owner").phases();
      assert.ok(found.ok);
      return found.value.flatMap(({ phase, departments }) =>
        departments.flatMap(({ department, stops: open }) =>
          open.filter(({ lifted }) => lifted === null).map(() => `${phase} ${department}`),
        ),
      );
    };
    assert.deepEqual(
      await stops(),
      held.split(" ").map((department) => `02 ${department}`),
    );
    assert.deepEqual(codesOf(await team.as("owner").liftStop({ reason: "It is a test" })), ["accepted"]);
    assert.deepEqual(await stops(), []);
  });
}

test("a plan whose tasks were all ended is done, until it has another one", async () => {
  await using team = await company();
  await addPlan(team, "01-01");
  const lead = team.as("lead-1");
  assert.equal((await lead.addTask({ task: "01-01/T2", plan: "01-01" })).outcome, "accepted");
  for (const task of ["01-01/T1", "01-01/T2"]) {
    assert.notEqual(await stateOf(team, "implementation"), "complete");
    assert.equal((await lead.endTask({ task, reason: "Nobody wants it" })).outcome, "accepted");
  }
  assert.equal(await stateOf(team, "implementation"), "complete");
  assert.equal((await lead.addTask({ task: "01-01/T3", plan: "01-01" })).outcome, "accepted");
  assert.notEqual(await stateOf(team, "implementation"), "complete");
});

test("a step of which the team's dialects have no message is skipped by itself, with that reason", async () => {
  await using team = await testTeam({
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "dev-1", role: "dev" },
      { agent: "scout-1", role: "scout" },
      { agent: "qa-1", role: "qa" },
    ],
  });
  await addPlan(team, "1-1");
  const { steps } = await part(team);
  const skipped = steps.filter(({ state }) => state === "skipped").map(({ step }) => step);
  assert.deepEqual(skipped, ["critique", "architecture", "design_review", "test_authoring", "code_review", "security"]);
  assert.match(steps[0]?.reason ?? "", /no message for it/);
});

test("a step that no agent of the team can do skips itself, and retiring who could do it skips nothing", async () => {
  const members = [
    { agent: "lead-1", role: "lead" },
    { agent: "dev-1", role: "dev" },
    { agent: "qa-1", role: "qa" },
  ] as const;
  await using team = await testTeam({ agents: members });
  await addPlan(team, "1-1");
  const skippedBy = async () => {
    const { steps } = await part(team);
    return steps.flatMap(({ step, reason }) => (reason?.includes("no agent of the team") ? [step] : []));
  };
  assert.deepEqual(await skippedBy(), ["research"]);
  await team.as("owner").retire({ agent: "qa-1" });
  assert.deepEqual(await skippedBy(), ["research"]);
  await team.as("owner").register({ agent: "scout-1", role: "scout" });
  assert.deepEqual(await skippedBy(), []);
  assert.equal(await stateOf(team, "research"), "running");
});

async function waiting(team: TestTeam) {
  const found = await team.as("owner").escalations();
  assert.ok(found.ok);
  return found.value;
}

test("who reported a task takes it up again while changes of it are asked for", async () => {
  const other = { agent: "dev-2", role: "dev" } as const;
  await using team = await testTeam({ agents: [...agents, other], dialects: ["yolo/1"] });
  const task = { task: "01-01/T1", plan: "01-01" };
  await team.as("lead-1").addTask({ ...task, files: ["src/a.ts"] });
  const changes = [{ f: "src/a.ts", ln: 3, issue: "It fails", fix: "Make it work" }];
  const asked = { type: "code_review_changes", plan_id: "01-01", cycle: 1, changes, must_fix: ["src/a.ts:3"] };
  const receivers = async (cycle: number) => {
    const reply = await team.as("senior-1").send(JSON.stringify({ ...asked, cycle, rerun_tests: false }));
    return reply.outcome === "accepted" ? reply.receivers : codesOf(reply);
  };
  assert.deepEqual(await receivers(1), ["dev-1", "dev-2"]);
  await team.as("dev-1").claim(task);
  await say(team, "dev-1", done("01-01"));
  assert.deepEqual(codesOf(await team.as("dev-1").claim(task)), ["task-done"], "the fix is reported");
  assert.deepEqual(await receivers(2), ["dev-1", "dev-2"]);
  assert.deepEqual(codesOf(await team.as("dev-2").claim(task)), ["task-done"]);
  assert.deepEqual(codesOf(await team.as("dev-1").claim(task)), ["accepted"]);
  await say(team, "dev-1", done("01-01", "def5678"));
  const shown = await team.as("owner").tasks();
  assert.deepEqual(shown.ok && shown.value.map(({ state, holder, reporter }) => [state, holder, reporter]), [
    ["reported", null, "dev-1"],
  ]);
});

test("departments whose dialect has no result to report are done by their steps, and the owner ships the phase", async () => {
  const roster = (["backend", "frontend"] as const).flatMap(
    (department) =>
      [
        { agent: `${department}-lead`, role: "lead", department },
        { agent: `${department}-dev`, role: "dev", department },
      ] as const,
  );
  await using team = await testTeam({ agents: roster, dialects: ["yolo/2"] });
  for (const [plan, department] of [
    ["1-1", "backend"],
    ["1-2", "frontend"],
  ] as const)
    await team.as(`${department}-lead`).addTask({ task: `${plan}/T1`, plan });
  const needed = async () => {
    const needs = await team.as("owner").needs({});
    assert.ok(needs.ok);
    return needs.value.needs.filter(({ kind }) => kind === "signoff").map(({ target }) => target);
  };
  assert.deepEqual(
    codesOf(await team.as("backend-dev").complete({ task: "1-1-T1", commit: "abc1234", files: ["src/a.ts"] })),
    ["accepted"],
  );
  const early = await team.as("owner").endPhase({ phase: "1" });
  assert.deepEqual(early.outcome === "refused" ? early.problems.map(({ message }) => message) : [], [
    "Phase 1 cannot ship: implementation of frontend is open.",
  ]);
  assert.deepEqual(await needed(), []);
  assert.deepEqual(
    codesOf(await team.as("frontend-dev").complete({ task: "1-2-T1", commit: "abc1234", files: ["src/a.ts"] })),
    ["accepted"],
  );
  assert.deepEqual(await needed(), ["1"]);
  assert.deepEqual(codesOf(await team.as("backend-lead").endPhase({ phase: "1" })), ["sender-not-authorised"]);
  assert.deepEqual(codesOf(await team.as("owner").endPhase({ phase: "1" })), ["accepted"]);
  assert.deepEqual([await stateOf(team, "signoff"), await needed()], ["complete", []]);
});
