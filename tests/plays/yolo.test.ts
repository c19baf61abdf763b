/** The yolo documents, played whole: without a senior, without an architect, one department, and several under an owner. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { play } from "./play.ts";

/** How an agent of the first revision answers a request to stop: the first one leaves work behind. */
function stopped(_: string, isFirst: boolean) {
  return [{ status: isFirst ? "in_progress" : "clean", pending_work: isFirst ? ["Writes a file"] : [] }];
}

test("yolo/1 in one department: critique to security, rounds of review and of verification, escalations up and down, a stop", async () => {
  const team = await play(["yolo/1"], {
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
  team.on({ phase: "01", plan_id: "01-01", task: "01-01/T1", task_id: "T1", files: ["src/a.ts"], files_modified: ["src/a.ts"] });
  await team.says("critic-1", "critique_result");
  for (const domain of ["tech-stack", "architecture", "quality", "concerns"])
    await team.says("scout-1", "scout_findings", { domain });
  await team.says("architect-1", "architecture_design");
  for (const task of ["T1", "T2"]) await team.does("lead-1", ["task", "add", `01-01/${task}`]);
  await team.says("senior-1", "senior_spec");
  await team.says("tester-1", "test_plan_result", { all_red: false });
  await team.says("tester-1", "test_plan_result");
  assert.deepEqual(await team.open("escalations"), []);
  await team.says("dev-1", "task_claim");
  await team.isRefused("task-held", "dev-2", "task_claim", { files: ["src/b.ts"] });
  // A blocker goes up all levels, and the decision goes down to who is held up.
  await team.says("dev-1", "dev_blocker");
  const [{ id: blocker = "" } = {}] = await team.open("escalations");
  await team.says("senior-1", "escalation", { issue: "The mail gateway refuses the test account" });
  await team.says("lead-1", "escalation", { issue: "The mail gateway refuses the test account" });
  const decision = { original_escalation: blocker, resolved_by: "architect" };
  await team.says("architect-1", "escalation_resolution", decision, { to: ["lead-1", "senior-1", "dev-1"] });
  assert.deepEqual(await team.open("escalations"), []);
  await team.says("dev-1", "dev_progress", { status: "partial", commit: "" });
  // Whoever works escalates to the level above; the lead decides, or raises it to the architect.
  for (const who of ["tester-1", "docs-1", "dev-2", "qa-lead-1", "qa-code-1", "critic-1", "scout-1", "debugger-1", "security-1"]) {
    for (const decider of ["lead-1", "architect-1"]) {
      const issue = `${who} asks ${decider}`;
      await team.says(who, "escalation", { issue });
      const isBelow = (await team.open("escalations"))[0]?.level === "senior";
      if (isBelow) await team.says("senior-1", "escalation", { issue });
      if (decider === "architect-1") await team.says("lead-1", "escalation", { issue });
      const [{ id = "" } = {}] = await team.open("escalations");
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
  const approved = { cycle: 3, result: "approve", findings_count: 0, critical: 0 };
  await team.isRefused("must-decide", "senior-1", "code_review_result", approved);
  for (const result of ["PARTIAL", "FAIL"]) await team.says("qa-lead-1", "qa_result", { result });
  await team.says("qa-lead-1", "qa_result", { result: "PASS", failures: [], checks: { passed: 12, failed: 0, total: 12 } });
  for (const result of ["FAIL", "PARTIAL", "PASS"]) await team.says("qa-code-1", "qa_code_result", { result });
  for (const result of ["WARN", "PASS", "FAIL"]) await team.says("security-1", "security_audit", { result });
  await team.says("debugger-1", "debugger_report");
  await team.says("lead-1", "phase_progress", {}, { reaches: ["owner"] });
  await team.refused("phase-open", "lead-1", ["phase", "end"]);
  const { outcome } = await team.stops("lead-1", {}, stopped);
  assert.equal(outcome, "incomplete");
  team.whole();
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
  team.on({ phase: "01" });
  const all = ["backend", "frontend", "uiux"];
  await team.says("critic-1", "critique_result");
  await team.says("owner-1", "owner_review", { departments_needed: all, dispatch_order: ["uiux", "frontend", "backend"] });
  for (const department of all) {
    const [lead, dev] = [`${department}-lead-1`, `${department}-dev-1`];
    await team.says(lead, "phase_progress", { department, step: "planning" }, { reaches: ["owner"] });
    const at = all.indexOf(department) + 1;
    await team.does(lead, ["task", "add", `01-0${at}/T1`]);
    team.on({ phase: "01", plan_id: `01-0${at}`, task_id: "T1", task: `01-0${at}/T1`, files: [`src/${at}.ts`], files_modified: [`src/${at}.ts`], department });
    await team.says(dev, "task_claim");
    await team.says(dev, "dev_blocker", {}, { reaches: ["owner"] });
    console.log(JSON.stringify(await team.open("escalations")));
    await team.says(dev, "task_complete");
  }
  await team.says("uiux-lead-1", "design_handoff");
  for (const status of ["proposed", "agreed", "implemented"]) {
    await team.says("frontend-lead-1", "api_contract", { status, direction: "frontend_to_backend" });
    await team.says("backend-lead-1", "api_contract", { status, direction: "backend_to_frontend" });
  }
  console.log((await team.run("owner", ["phase"])).said);
  for (const department of all) await team.says(`${department}-lead-1`, "department_result", { department, plans_completed: 1, plans_total: 1 });
  await team.says("owner-1", "owner_signoff", { decision: "HOLD" });
  await team.says("owner-1", "owner_signoff", { decision: "SHIP", departments_approved: all });
  console.log((await team.run("owner", ["phase"])).said);
  team.whole();
});

for (const [missing, crew] of [
  ["a senior", { "lead-1": "lead", "architect-1": "architect", "dev-1": "dev" }],
  ["an architect", { "lead-1": "lead", "senior-1": "senior", "dev-1": "dev" }],
  ["an architect and a senior", { "lead-1": "lead", "dev-1": "dev" }],
] as const) {
  test(`yolo/1 and yolo/2 without ${missing}`, async () => {
    const team = await play(["yolo/1", "yolo/2"], crew);
    const t = async (who: string, words: string[], input = "") => { const r = await team.run(who, [...words], input); console.log(`${who} ${words.join(" ")} ${input.slice(0,200)}\n   => ${r.code} ${r.said.slice(0,800)}`); };
    const flat = (who: string, m: object) => t(who, ["send"], JSON.stringify(m));
    await flat("dev-1", {type:"dev_progress",task:"01-01/T1",plan_id:"01-01",commit:"",status:"partial",concerns:[]});
    await flat("dev-1", {type:"dev_blocker",task:"01-01/T1",plan_id:"01-01",blocker:"b",needs:"n",attempted:[]});
    await flat("dev-1", {type:"escalation",from:"dev",to:"senior",issue:"b2",evidence:[],recommendation:"r",severity:"blocking"});
    await flat("dev-1", {type:"escalation",from:"dev",to:"lead",issue:"b3",evidence:[],recommendation:"r",severity:"blocking"});
    await flat("lead-1", {type:"escalation",from:"lead",to:"architect",issue:"b4",evidence:[],recommendation:"r",severity:"blocking"});
    await flat("dev-1", {type:"task_claim",task_id:"T1",plan_id:"01-01",files:["src/a.ts"],claimed_at:"2026-02-17T10:30:00Z"});
    await t("owner", ["needs"]);
    await t("lead-1", ["needs", "--escalations"]);
  });
}
