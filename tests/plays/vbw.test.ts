/** The vbw documents, played whole: a lone lead, a developer with its lead, the first revision alone, the second one. */
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
  const [held] = await team.lists("lead-1", ["needs", "--escalations"]);
  await team.does("lead-1", ["escalation", "resolve", String(held?.id), "--decision", "Take ours"]);
  assert.match(await team.reads("dev-1"), /Take ours/);
  await team.says("dev-1", "dev_progress", { status: "failed" });
  await team.says("dev-1", "dev_progress", { commit: "abc1234" });
  assert.deepEqual(await team.open("escalations"), []);
  for (const result of ["PARTIAL", "FAIL"]) await team.says("qa-1", "qa_result", { result });
  await team.says("qa-1", "qa_result", { result: "PASS", failures: [], checks: { passed: 12, failed: 0, total: 12 } });
  await team.says("debugger-1", "debugger_report");
  await team.reads("lead-1");
  team.whole();
});

/** How an agent of the second revision answers a request to stop: the first one refuses before it agrees. */
function stopped(request_id: string, isFirst: boolean) {
  const refusal = { request_id, task: "", approve: false, final_status: "in_progress", pending_work: "Writes a file" };
  const agreed = { request_id, task: "", approve: true, final_status: "complete", pending_work: "" };
  return isFirst ? [refusal, agreed] : [agreed];
}

test("vbw/2 solo: what a developer and its lead do wrong leads on, hint after hint", async () => {
  const team = await play(["vbw/2"], { "lead-1": "lead", "dev-1": "dev" });
  const files_modified = ["src/a.ts"];
  team.on({ phase: 1, plan_id: "1-1", task: "1-1-T1", task_id: "1-1-T1", phase_id: "phase-1", files_modified });
  const contract = {
    allowed_paths: ["src/"],
    forbidden_paths: ["src/secret/"],
    depends_on: [],
    tasks: ["1-1-T1", "1-1-T2"],
  };
  await team.isRefused("sender-not-authorised", "dev-1", "plan_contract", contract);
  await team.refused("unknown-task", "dev-1", ["task", "claim", "1-1-T9"]);
  await team.refused("outside-contract", "dev-1", ["task", "claim", "1-1-T1", "--files", "docs/a.md"]);
  await team.does("dev-1", ["task", "claim", "1-1-T1", "--files", "src/a.ts"]);
  const outside = { status: "partial", commit: "", files_modified: ["docs/a.md"] };
  await team.isRefused("outside-contract", "dev-1", "execution_update", outside);
  await team.isRefused("sender-not-authorised", "lead-1", "execution_update", { status: "partial", commit: "" });
  await team.says("dev-1", "blocker_report");
  await team.refused("own-request", "dev-1", ["escalation", "resolve", "ESC-1-1-T1", "--decision", "Mine"]);
  await team.says("dev-1", "blocker_report");
  await team.refused("unknown-request", "lead-1", ["escalation", "resolve", "ESC-1-1-T9", "--decision", "Ours"]);
  const request = await team.says("dev-1", "approval_request");
  await team.refused("sender-not-authorised", "dev-1", ["approve", request]);
  await team.refused("wrong-format", "dev-1", ["task", "complete", "1-1-T1", "--token", "3"]);
  await team.refused("task-done", "dev-1", ["task", "claim", "1-1-T1"]);
  await team.refused("phase-open", "lead-1", ["phase", "end"]);
  for (const task of ["1-1-T2", "1-1-T9"]) await team.does("dev-1", ["task", "release", task]);
  const { outcome } = await team.stops("lead-1", { task: "", reason: "phase_complete" }, stopped);
  assert.equal(outcome, "complete");
  await team.refused("agent-stopped", "dev-1", ["task", "claim", "1-1-T2"]);
});

test("lone lead", async () => {
  const team = await play(["vbw/2"], { "lead-1": "lead" });
  await team.isRefused("no-receiver", "lead-1", "plan_contract", { phase: 1, plan_id: "1-1" });
});
