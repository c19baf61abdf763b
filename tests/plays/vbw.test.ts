/** The first vbw document played whole, and the second one in the smallest teams: what goes wrong there leads on. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { play } from "./play.ts";

test("vbw/1 alone: findings, progress, a blocker, verdicts and a debugger's report reach the lead", async () => {
  const team = await play(["vbw/1"], {
    "lead-1": "lead",
    "scout-1": "scout",
    "dev-1": "dev",
    "qa-1": "qa",
    "debugger-1": "debugger",
  });
  for (const domain of ["tech-stack", "architecture", "quality", "concerns"])
    await team.says("scout-1", "scout_findings", { domain });
  for (const task of ["03-01/task-1", "03-01/task-2"]) await team.does("lead-1", ["task", "add", task]);
  team.on({ plan_id: "03-01", task: "03-01/task-1", commit: "" });
  await team.does("dev-1", ["task", "claim", "03-01/task-1", "--files", "src/a.ts"]);
  await team.says("dev-1", "dev_progress", { status: "partial" });
  await team.says("dev-1", "dev_blocker");
  const { id } = await team.first("lead-1", ["needs", "--escalations"]);
  await team.does("lead-1", ["escalation", "resolve", String(id), "--decision", "Take ours"]);
  assert.match(await team.reads("dev-1"), /Take ours/);
  await team.says("dev-1", "dev_progress", { status: "failed" });
  await team.says("dev-1", "dev_progress", { commit: "abc1234" });
  assert.deepEqual(await team.open("escalations"), []);
  // A plan's tasks count from 1, as the documents name them; a number is the board's, behind the plan and beside it.
  await team.does("lead-1", ["plan", "add", "-", "--plan", "03-01", "--yes"], "1. Three\n");
  await team.does(
    "lead-1",
    ["plan", "add", "-", "--plan", "03-02", "--yes"],
    "1. One\n2. Two\n3. Three of the second\n",
  );
  for (const [name, status, state] of [
    ["03-02/task-3", "complete", "reported"],
    ["03-02/6", "failed", "available"],
    ["T3", "complete", "reported"],
    ["6", "failed", "available"],
  ] as const) {
    await team.says("dev-1", "dev_progress", { plan_id: "03-02", task: name, status, commit: "abc1234" });
    const shown = await team.first("lead-1", ["task", "list", "03-02/task-3"]);
    assert.deepEqual([shown.title, shown.state], ["Three of the second", state], name);
  }
  for (const result of ["PARTIAL", "FAIL"]) await team.says("qa-1", "qa_result", { result });
  await team.says("qa-1", "qa_result", { result: "PASS", failures: [], checks: { passed: 12, failed: 0, total: 12 } });
  await team.says("debugger-1", "debugger_report");
  await team.reads("lead-1");
  await team.ends("lead-1");
  team.whole();
});

test("vbw/2 solo: what a developer and its lead do wrong leads on, hint after hint", async () => {
  const team = await play(["vbw/2"], { "lead-1": "lead", "dev-1": "dev" });
  const files_modified = ["src/a.ts"];
  team.on({ phase: 1, plan_id: "1-1", task: "1-1-T1", task_id: "1-1-T1", phase_id: "phase-1", files_modified });
  const tasks = ["1-1-T1", "1-1-T2"];
  const contract = { tasks, allowed_paths: ["src/"], forbidden_paths: ["src/secret/"], depends_on: [] };
  await team.isRefused("sender-not-authorised", "dev-1", "plan_contract", contract);
  await team.refused("unknown-task", "dev-1", ["task", "claim", "1-1-T9"]);
  await team.refused("outside-contract", "dev-1", ["task", "claim", "1-1-T1", "--files", "docs/a.md"]);
  await team.does("dev-1", ["task", "claim", "1-1-T1", "--files", "src/a.ts"]);
  const partly = { status: "partial", commit: "" };
  await team.isRefused("outside-contract", "dev-1", "execution_update", { ...partly, files_modified: ["docs/a.md"] });
  const secret = { ...partly, files_modified: ["src/secret/a.ts"] };
  await team.isRefused("outside-contract", "dev-1", "execution_update", secret);
  await team.isRefused("sender-not-authorised", "lead-1", "execution_update", partly);
  await team.isRefused("cross-field", "dev-1", "execution_update", { commit: "" });
  await team.says("dev-1", "execution_update", { status: "failed", commit: "" });
  await team.says("dev-1", "blocker_report");
  await team.refused("own-request", "dev-1", ["escalation", "resolve", "ESC-01-01-T1", "--decision", "Mine"]);
  await team.says("dev-1", "blocker_report");
  await team.refused("unknown-request", "lead-1", ["escalation", "resolve", "ESC-01-01-T9", "--decision", "Ours"]);
  const request_id = await team.says("dev-1", "approval_request", { request_type: "plan_approval" });
  await team.refused("sender-not-authorised", "dev-1", ["approve", request_id]);
  await team.isRefused("already-answered", "lead-1", "approval_response", { request_id, approved: false });
  await team.says("lead-1", "plan_contract", { ...contract, allowed_paths: ["src/", "lib/"] });
  const open = await team.says("dev-1", "approval_request");
  await team.says("lead-1", "approval_response", { request_id: open });
  await team.says("dev-1", "approval_request");
  await team.isRefused("unknown-request", "lead-1", "approval_response", { request_id: "approve-678" });
  assert.deepEqual(await team.open("requests"), []);
  const completing = ["task", "complete", "1-1-T1", "--token"];
  await team.refused("not-holder", "dev-1", [...completing, "99", "--status", "partial"]);
  await team.does("dev-1", ["task", "release", "1-1-T1"]);
  await team.refused("wrong-format", "dev-1", [...completing, "3"]);
  await team.refused("task-done", "dev-1", ["task", "claim", "1-1-T1"]);
  await team.refused("wrong-value", "lead-1", ["phase", "skip", "reserch", "--reason", "Nobody is there for it"]);
  await team.refused("sender-not-authorised", "dev-1", ["phase", "end"]);
  for (const task of ["1-1-T2", "1-1-T9"]) await team.does("dev-1", ["task", "release", task]);
  const { outcome } = await team.stops("lead-1", { task: "", reason: "phase_complete" }, (asked) => [
    { request_id: asked, task: "", approve: true, final_status: "idle", pending_work: "" },
  ]);
  assert.equal(outcome, "complete");
  await team.refused("agent-stopped", "dev-1", ["task", "claim", "1-1-T2"]);
  team.whole();
});

test("vbw/2 of a lead alone: what it says and asks comes to the person, who decides", async () => {
  const team = await play(["vbw/2"], { "lead-1": "lead" });
  const alone = { reaches: ["owner"] };
  for (const request_type of ["scope_change", "plan_approval", "gate_override"]) {
    const asked = await team.says("lead-1", "approval_request", { request_type }, alone);
    await team.refused("own-request", "lead-1", ["approve", asked]);
    assert.match(await team.reads("lead-1"), /approval_response/);
  }
  await team.says("lead-1", "plan_contract", { depends_on: [] }, alone);
  assert.equal((await team.first("lead-1", ["task", "list"])).state, "available");
  await team.says("lead-1", "shutdown_request", { task: "" }, alone);
  assert.equal((await team.first("lead-1", ["shutdown", "status"])).outcome, "complete");
  await team.does("lead-1", ["stop"]);
  team.whole();
});

test("vbw/2: a task named by its number alone is the plan's: its blocker is one escalation, and its report ends it", async () => {
  const team = await play(["vbw/2"], { "lead-1": "lead", "dev-1": "dev" });
  for (const task of ["1-1-T1", "1-1-T2"]) await team.does("lead-1", ["task", "add", task]);
  await team.says("dev-1", "blocker_report", { plan_id: "1-1", task: "1-1-T2", task_id: "1-1-T2" });
  const blocker = ["blocker=No key", "needs=A key", "severity=blocking"].flatMap((field) => ["--set", field]);
  await team.does("dev-1", ["send", "--type", "blocker_report", "--task", "2", ...blocker]);
  const [waiting, ...others] = await team.open("escalations");
  assert.deepEqual([waiting?.id, others], ["ESC-01-01-T2", []]);
  assert.match(String(waiting?.evidence), /No key/);
  await team.does("lead-1", ["task", "add", "Feature", "--plan", "03-01"]);
  await team.does("dev-1", ["task", "claim", "3", "--files", "src/a.ts"]);
  const said = ["status=complete", "commit=abc1234", "files_modified[]=src/a.ts"].flatMap((field) => ["--set", field]);
  await team.does("dev-1", ["send", "--type", "execution_update", "--task", "3", ...said]);
  assert.equal((await team.first("lead-1", ["task", "list", "3"])).state, "complete");
});
