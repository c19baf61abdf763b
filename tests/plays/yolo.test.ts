/** The yolo documents, played whole: without a senior, without an architect, one department, and several under an owner. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { play } from "./play.ts";

/** A plan as `baton phase` shows it. */
interface Review {
  readonly reviewCycle: number;
  readonly review: string | null;
}

/** A part of a phase as `baton phase` shows it. */
interface Part {
  readonly steps: readonly { readonly step: string; readonly state: string }[];
  readonly audit: { readonly result: string } | null;
  readonly verdict: { readonly result: string } | null;
  readonly codeVerdict: { readonly result: string } | null;
}

/** How an agent of the first revision answers a request to stop: the first one leaves work behind. */
function stopped(_: string, isFirst: boolean) {
  return [{ status: isFirst ? "in_progress" : "clean", pending_work: isFirst ? ["Writes a file"] : [] }];
}

test("yolo/1 and yolo/2 in one department: critique to security, rounds of review and of verification, escalations up and down, a stop", async () => {
  const team = await play(["yolo/1", "yolo/2"], {
    "lead-1": "lead",
    "architect-1": "architect",
    "senior-1": "senior",
    "tester-1": "tester",
    "dev-1": "dev",
    "dev-2": "dev",
    "qa-lead-1": "qa-lead",
    "qa-code-1": "qa-code",
    "critic-1": "critic",
    "scout-1": "scout",
    "debugger-1": "debugger",
    "security-1": "security",
    "docs-1": "docs",
  });
  team.on({
    phase: "01",
    plan_id: "01-01",
    task: "01-01/T1",
    task_id: "T1",
    files: ["src/a.ts"],
    files_modified: ["src/a.ts"],
  });
  await team.says("critic-1", "critique_result");
  for (const domain of ["tech-stack", "architecture", "quality", "concerns"])
    await team.says("scout-1", "scout_findings", { domain });
  await team.says("architect-1", "architecture_design");
  await team.isRefused("identity-mismatch", "architect-1", "escalation", { from: "lead", to: "architect" });
  const contract = { phase: 1, phase_id: "phase-1", tasks: ["T1", "T2"], allowed_paths: ["src/"], depends_on: [] };
  await team.says("lead-1", "plan_contract", contract);
  const request_id = await team.says("dev-1", "approval_request", { phase: 1 });
  await team.says("lead-1", "approval_response", { phase: 1, request_id }, { to: ["dev-1"] });
  await team.says("senior-1", "senior_spec");
  await team.says("tester-1", "test_plan_result", { all_red: false });
  await team.reads("senior-1");
  await team.says("tester-1", "test_plan_result");
  assert.deepEqual(await team.open("escalations"), []);
  await team.says("dev-1", "task_claim");
  await team.isRefused("task-held", "dev-2", "task_claim");
  // A blocker goes up all levels, and the decision goes down to who is held up.
  await team.says("dev-1", "dev_blocker");
  const blocker = await team.newest();
  await team.says("senior-1", "escalation", { issue: "The mail gateway refuses the test account" });
  await team.says("lead-1", "escalation", { issue: "The mail gateway refuses the test account" });
  const decision = { original_escalation: blocker, resolved_by: "architect" };
  await team.says("architect-1", "escalation_resolution", decision, { to: ["lead-1", "senior-1", "dev-1"] });
  assert.deepEqual(await team.open("escalations"), []);
  const stateOf = async () => (await team.lists("lead-1", ["needs", "--escalations"])).find(({ id }) => id === blocker);
  assert.equal((await stateOf())?.status, "resolved");
  // The senior puts the decision into changes, which is no review yet.
  const asIsDecided = [{ f: "src/a.ts", ln: 1, issue: "Decided", fix: "Use the gateway of the test account" }];
  await team.says("senior-1", "code_review_changes", { changes: asIsDecided, must_fix: [] });
  await team.says("dev-1", "dev_progress", { status: "partial", commit: "" });
  assert.equal((await stateOf())?.status, "closed");
  // Whoever works escalates to the level above; the lead decides, or raises it to the architect.
  for (const who of [
    "tester-1",
    "docs-1",
    "dev-2",
    "qa-lead-1",
    "qa-code-1",
    "critic-1",
    "scout-1",
    "debugger-1",
    "security-1",
  ]) {
    for (const decider of ["lead-1", "architect-1"]) {
      const issue = `${who} asks ${decider}`;
      await team.says(who, "escalation", { issue });
      const isBelow = (await team.open("escalations"))[0]?.level === "senior";
      if (isBelow) await team.says("senior-1", "escalation", { issue });
      if (decider === "architect-1") await team.says("lead-1", "escalation", { issue });
      const id = await team.newest();
      const reaches = [who, ...(isBelow ? ["senior-1"] : []), ...(decider === "architect-1" ? ["lead-1"] : [])];
      const said = { original_escalation: id, decision: issue };
      await team.says(decider, "escalation_resolution", said, { reaches });
    }
  }
  await team.says("dev-1", "dev_progress", { status: "failed", commit: "" });
  await team.says("dev-1", "dev_progress");
  await team.says("dev-1", "task_complete");
  await team.says("dev-2", "task_complete", { task_id: "T2", files_modified: ["src/b.ts"] });
  const fix = { f: "src/a.ts", ln: 42, issue: "An error is lost", fix: "Throw it after logging" };
  await team.says("senior-1", "code_review_changes", { changes: [fix], must_fix: ["src/a.ts:42"] });
  await team.says("senior-1", "code_review_result", { cycle: 1 });
  await team.says("senior-1", "code_review_changes", { cycle: 2, changes: [fix], must_fix: ["src/a.ts:42"] });
  await team.says("senior-1", "code_review_result", { cycle: 2 });
  assert.equal((await team.open("escalations")).length, 1);
  await team.says("dev-1", "task_complete", { commit: "def5678" });
  await team.says("senior-1", "code_review_result", { cycle: 3, result: "approve", findings_count: 0, critical: 0 });
  assert.deepEqual(await team.open("escalations"), []);
  for (const result of ["PARTIAL", "FAIL"]) await team.says("qa-lead-1", "qa_result", { result });
  await team.says("qa-lead-1", "qa_result", {
    result: "PASS",
    failures: [],
    checks: { passed: 12, failed: 0, total: 12 },
  });
  for (const result of ["FAIL", "PARTIAL", "PASS"]) await team.says("qa-code-1", "qa_code_result", { result });
  for (const result of ["WARN", "PASS", "FAIL"]) await team.says("security-1", "security_audit", { result });
  await team.says("debugger-1", "debugger_report");
  await team.says("lead-1", "phase_progress", {}, { reaches: ["owner"] });
  await team.refused("phase-open", "lead-1", ["phase", "end"]);
  const { outcome } = await team.stops("lead-1", {}, stopped);
  assert.equal(outcome, "incomplete");
  team.whole("yolo/1");
});

test("yolo/1: the senior approves a fix that the developer reports to it alone, and a decision in changes is no round", async () => {
  const team = await play(["yolo/1"], { "lead-1": "lead", "senior-1": "senior", "dev-1": "dev" });
  team.on({ phase: "01", plan_id: "01-01", task_id: "T1", task: "01-01/T1", files: ["src/a.ts"] });
  const reviewOf = async () => {
    const { departments } = await team.first("lead-1", ["phase"]);
    const [plan] = (departments as { plans: Review[] }[]).flatMap(({ plans }) => plans); // as documented
    const { reviewCycle, review } = plan ?? assert.fail("no plan");
    return [reviewCycle, review];
  };
  const asked = { changes: [{ f: "src/a.ts", ln: 4, issue: "An error is lost", fix: "Throw it" }] };
  await team.says("dev-1", "task_claim");
  await team.says("dev-1", "dev_blocker");
  const original_escalation = await team.newest();
  await team.says("senior-1", "escalation", { original_escalation });
  await team.says("lead-1", "escalation_resolution", { original_escalation }, { reaches: ["senior-1", "dev-1"] });
  await team.says("senior-1", "code_review_changes", { ...asked, must_fix: [] });
  assert.deepEqual(await reviewOf(), [0, null]);
  await team.says("dev-1", "task_complete", { files_modified: ["src/a.ts"] });
  await team.says("senior-1", "code_review_changes", { ...asked, must_fix: ["src/a.ts:4"] });
  assert.deepEqual(await reviewOf(), [1, "changes-requested"]);
  await team.says("dev-1", "dev_progress", { commit: "def5678" });
  await team.says("senior-1", "code_review_result", { cycle: 2, result: "approve", findings_count: 0, critical: 0 });
  assert.equal((await reviewOf())[1], "approved");
});

test("yolo/1: an audit, findings and verdicts that name the folder of an older phase count for that phase", async () => {
  const crew = { "lead-1": "lead", "critic-1": "critic", "security-1": "security", "scout-1": "scout" };
  const team = await play(["yolo/1"], { ...crew, "qa-lead-1": "qa-lead", "qa-code-1": "qa-code" });
  for (const phase of ["01", "02"]) await team.says("critic-1", "critique_result", { phase });
  const older = { artifact: "phases/01-auth/found.jsonl" };
  await team.says("scout-1", "scout_findings", older);
  await team.says("security-1", "security_audit", { ...older, result: "FAIL" });
  await team.says("qa-lead-1", "qa_result", { ...older, result: "PARTIAL" });
  await team.says("qa-code-1", "qa_code_result", { ...older, result: "PARTIAL" });
  const foundIn = async (phase: string) => {
    const { departments } = await team.first("lead-1", ["phase", phase]);
    const [part = assert.fail(phase)] = departments as readonly Part[]; // as documented
    const research = part.steps.find(({ step }) => step === "research")?.state;
    return [research, part.audit?.result, part.verdict?.result, part.codeVerdict?.result];
  };
  assert.deepEqual(await foundIn("01"), ["complete", "FAIL", "PARTIAL", "PARTIAL"]);
  assert.deepEqual(await foundIn("02"), ["running", undefined, undefined, undefined]);
});

test("yolo/1: what judges work counts for the phase that reported last, and code is approved after its report", async () => {
  const crew = { "lead-1": "lead", "senior-1": "senior", "dev-1": "dev", "qa-lead-1": "qa-lead" };
  const team = await play(["yolo/1"], crew);
  const said = { task_id: "T1", task: "01-01/T1", files: ["src/a.ts"], files_modified: ["src/a.ts"] };
  team.on({ ...said, phase: "01", plan_id: "01-01" });
  const stepOf = async (phase: string, step: string) => {
    const { departments } = await team.first("lead-1", ["phase", phase]);
    const [part = assert.fail(phase)] = departments as readonly Part[]; // as documented
    return part.steps.find((each) => each.step === step)?.state;
  };
  const approval = { cycle: 1, result: "approve", findings_count: 0, critical: 0 };
  await team.says("dev-1", "task_claim");
  await team.says("senior-1", "code_review_result", approval);
  await team.says("dev-1", "task_complete");
  assert.equal(await stepOf("01", "code_review"), "running");
  assert.match(await team.reads("lead-1"), /No work of plan 01-01 is reported yet/);
  await team.says("senior-1", "code_review_result", { ...approval, cycle: 2 });
  assert.equal(await stepOf("01", "code_review"), "complete");
  // The lead plans ahead, and the verdict names neither phase nor folder.
  await team.does("lead-1", ["task", "add", "Next", "--plan", "02-01"]);
  const checks = { passed: 12, failed: 0, total: 12 };
  const { artifact: _, ...verdict } = team.written(
    "qa-lead-1",
    "qa_result",
    { result: "PASS", failures: [], checks },
    "yolo/1",
  );
  await team.does("qa-lead-1", ["send"], JSON.stringify(verdict));
  assert.deepEqual([await stepOf("01", "qa"), await stepOf("02", "qa")], ["complete", "pending"]);
  assert.match(await team.reads("lead-1"), /It names no phase, so it counts for phase 01/);
});

test("yolo/1: what is said of a plan that nobody knows is taken, and its sender is told", async () => {
  const team = await play(["yolo/1"], { "lead-1": "lead", "senior-1": "senior", "tester-1": "tester", "dev-1": "dev" });
  team.on({ plan_id: "01-01", task_id: "T1", files: ["src/a.ts"] });
  await team.says("senior-1", "senior_spec");
  await team.says("dev-1", "task_claim");
  team.on({ plan_id: "01-10", task: "01-10/T1" });
  for (const [who, type] of [
    ["senior-1", "senior_spec"],
    ["tester-1", "test_plan_result"],
    ["senior-1", "code_review_changes"],
    ["senior-1", "code_review_result"],
    ["dev-1", "dev_progress"],
  ] as const) {
    const message = JSON.stringify(team.written(who, type, { changes: [], must_fix: [] }, "yolo/1"));
    const { said } = await team.does(who, ["send"], message);
    assert.match(said, /no plan 01-10 with tasks|no task \\*"01-10\/T1\\*" of plan 01-10/, type);
  }
});

test("yolo/1: what a review asks for is reported by another developer where the author has left", async () => {
  const crew = { "lead-1": "lead", "senior-1": "senior", "dev-1": "dev", "dev-2": "dev" };
  const team = await play(["yolo/1"], crew);
  team.on({ task_id: "T1", task: "01-01/T1", plan_id: "01-01", files: ["src/a.ts"], files_modified: ["src/a.ts"] });
  await team.says("dev-1", "task_claim");
  await team.says("dev-1", "task_complete");
  const fix = { f: "src/a.ts", ln: 4, issue: "An error is lost", fix: "Throw it" };
  await team.says("senior-1", "code_review_changes", { changes: [fix], must_fix: ["src/a.ts:4"] });
  await team.does("owner", ["agent", "retire", "dev-1"]);
  await team.says("dev-2", "task_complete", { commit: "def5678" });
  const { departments } = await team.first("lead-1", ["phase", "01"]);
  const [part] = departments as readonly { plans: readonly { review: string }[] }[]; // as documented
  assert.equal(part?.plans[0]?.review, "fix-reported");
});

test("yolo/1: a decision that goes to the level below reaches who is held up, too", async () => {
  const team = await play(["yolo/1"], { "lead-1": "lead", "senior-1": "senior", "dev-1": "dev" });
  team.on({ phase: "01", plan_id: "01-01", task_id: "T1", task: "01-01/T1" });
  await team.says("dev-1", "dev_blocker");
  const decision = { original_escalation: await team.newest(), resolved_by: "lead" };
  await team.says("lead-1", "escalation_resolution", decision, { to: ["senior-1"], reaches: ["senior-1", "dev-1"] });
});

test("yolo/1: a phase of two departments is signed off also when the agents of one have left", async () => {
  const team = await play(["yolo/1"], {
    "owner-1": "owner@owner",
    "back-1": "lead@backend",
    "front-1": "lead@frontend",
  });
  team.on({ phase: "01" });
  const both = ["backend", "frontend"];
  await team.says("owner-1", "owner_review", { departments_needed: both, dispatch_order: both });
  const passed = { plans_completed: 1, plans_total: 1, result: "PASS", qa_result: "PASS", security_result: "PASS" };
  await team.says("front-1", "department_result", { ...passed, department: "frontend" });
  await team.does("owner", ["agent", "retire", "front-1"]);
  const ends = await team.run("back-1", ["phase", "end"]);
  assert.match(ends.said, /the owner ships it/);
  await team.says("back-1", "department_result", { ...passed, department: "backend" }, { reaches: ["owner-1"] });
  await team.says("owner-1", "owner_signoff", { departments_approved: both }, { reaches: ["back-1"] });
  // The person stops whom it names, a lead too.
  await team.does("owner", ["stop", "back-1", "--no-wait"]);
});

test("yolo/1 with departments: review, design, endpoints, results, sign-off", async () => {
  const team = await play(["yolo/1"], {
    "owner-1": "owner@owner",
    "backend-lead-1": "lead@backend",
    "backend-dev-1": "dev@backend",
    "frontend-lead-1": "lead@frontend",
    "frontend-dev-1": "dev@frontend",
    "uiux-lead-1": "lead@uiux",
    "uiux-dev-1": "dev@uiux",
    "critic-1": "critic@shared",
  });
  const all = ["uiux", "frontend", "backend"];
  team.on({ phase: "01" });
  await team.says("critic-1", "critique_result");
  await team.says("owner-1", "owner_review", { departments_needed: all, dispatch_order: all });
  for (const [at, department] of all.entries()) {
    const [lead, dev, plan, file] = [
      `${department}-lead-1`,
      `${department}-dev-1`,
      `01-0${at}`,
      `src/${department}.ts`,
    ];
    team.on({ phase: "01", plan_id: plan, task_id: "T1", task: `${plan}/T1`, files: [file], files_modified: [file] });
    await team.says(dev, "task_claim");
    await team.says(lead, "phase_progress", { department }, { reaches: ["owner"] });
    // The blocker of a developer goes up to the owner; what a critic and a developer ask, its lead decides.
    await team.says(dev, "dev_blocker");
    const blocker = await team.newest();
    await team.says(lead, "escalation", { original_escalation: blocker });
    const decided = { original_escalation: blocker, resolved_by: "owner" };
    await team.says("owner-1", "escalation_resolution", decided, { reaches: [lead, dev] });
    for (const who of [dev, "critic-1"]) {
      await team.says(who, "escalation", { issue: `${who} asks ${lead}` });
      const decision = { original_escalation: await team.newest() };
      await team.says(lead, "escalation_resolution", decision, { reaches: [who] });
    }
    await team.says(dev, "task_complete");
  }
  assert.deepEqual(await team.open("escalations"), []);
  await team.says("uiux-lead-1", "design_handoff");
  for (const status of ["proposed", "agreed", "implemented"]) {
    const [lead, direction] =
      status === "agreed" ? ["backend-lead-1", "backend_to_frontend"] : ["frontend-lead-1", "frontend_to_backend"];
    await team.says(lead, "api_contract", { status, direction });
    const wrong = direction.split("_to_").toReversed().join("_to_");
    await team.isRefused("identity-mismatch", lead, "api_contract", { status, direction: wrong });
  }
  // Who do not agree on their endpoints are all held up, and all read the decision.
  const endpoint = (version: number) => [{ method: "POST", path: "/orders", request: {}, response: { version } }];
  for (const version of [1, 2, 3, 4]) {
    const lead = version % 2 === 1 ? "frontend-lead-1" : "backend-lead-1";
    const direction = version % 2 === 1 ? "frontend_to_backend" : "backend_to_frontend";
    await team.says(lead, "api_contract", { status: "proposed", direction, endpoints: endpoint(version) });
  }
  const original_escalation = await team.newest();
  const leads = ["frontend-lead-1", "backend-lead-1"];
  await team.says(
    "owner-1",
    "escalation_resolution",
    { original_escalation, resolved_by: "owner" },
    { reaches: leads },
  );
  const result = { plans_completed: 1, plans_total: 1, security_result: "PASS" };
  for (const department of all) {
    for (const passed of ["PARTIAL", "FAIL", "PASS"])
      await team.says(`${department}-lead-1`, "department_result", {
        ...result,
        department,
        result: passed,
        qa_result: passed,
      });
    if (department === all.at(-1)) continue;
    await team.isRefused("not-ready", "owner-1", "owner_signoff", { departments_approved: all });
  }
  await team.says("owner-1", "owner_signoff", { decision: "HOLD", departments_approved: [] });
  await team.says("owner-1", "owner_signoff", { departments_approved: all });
  for (const department of all) {
    const { outcome } = await team.stops(`${department}-lead-1`, {}, () => [{ status: "clean", pending_work: [] }]);
    assert.equal(outcome, "complete", department);
  }
  team.whole();
});

for (const [missing, crew] of [
  ["a senior", { "lead-1": "lead", "architect-1": "architect", "dev-1": "dev" }],
  ["an architect", { "lead-1": "lead", "senior-1": "senior", "dev-1": "dev" }],
  ["a senior and an architect", { "lead-1": "lead", "dev-1": "dev" }],
  ["anybody but a lead", { "lead-1": "lead" }],
] as const) {
  test(`yolo/1 without ${missing}: what goes up skips the empty levels, at last to the person`, async () => {
    const team = await play(["yolo/1"], crew);
    const [hasDev, hasSenior, hasArchitect] = ["dev-1", "senior-1", "architect-1"].map((who) => team.people.has(who));
    const seniors = hasSenior ? ["senior-1"] : [];
    team.on({
      phase: "01",
      plan_id: "01-01",
      task_id: "T1",
      task: "01-01/T1",
      files: ["src/a.ts"],
      files_modified: ["src/a.ts"],
    });
    /** What waits at the top is decided there, for these. */
    const decided = async (reaches: readonly string[]) => {
      const said = { original_escalation: await team.newest(), resolved_by: "architect" };
      if (hasArchitect) await team.says("architect-1", "escalation_resolution", said, { reaches });
      else await team.decides("owner");
      for (const who of reaches) assert.match(await team.reads(who), /escalation_resolution/);
    };
    if (hasArchitect) await team.says("architect-1", "architecture_design");
    if (hasSenior) await team.says("senior-1", "senior_spec");
    if (hasDev) {
      await team.says("dev-1", "task_claim");
      await team.says("dev-1", "dev_progress", { status: "partial", commit: "" });
      await team.says("dev-1", "dev_blocker");
      const original_escalation = await team.newest();
      for (const who of [...seniors, "lead-1"]) await team.says(who, "escalation", { original_escalation });
      await decided(["dev-1", ...seniors, "lead-1"]);
      await team.says("dev-1", "escalation", { issue: "May the code be longer?" });
      for (const who of seniors) await team.says(who, "escalation", { original_escalation: await team.newest() });
      const own = { original_escalation: await team.newest() };
      await team.says("lead-1", "escalation_resolution", own, { reaches: ["dev-1", ...seniors] });
      await team.says("dev-1", "dev_progress");
      await team.says("dev-1", "task_complete");
    }
    if (hasSenior) {
      await team.says("senior-1", "code_review_changes", { changes: [], must_fix: [] });
      await team.says("senior-1", "code_review_result");
    }
    await team.says("lead-1", "phase_progress", {}, { reaches: ["owner"] });
    await team.says("lead-1", "escalation", { issue: "Which gateway is ours?" });
    await decided(["lead-1"]);
    assert.deepEqual(await team.open("escalations"), []);
    if (hasDev) await team.stops("lead-1", {}, stopped);
    team.whole();
  });
}
