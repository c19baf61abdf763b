/**
 * The second revisions, played whole: contracts, work, blockers up and down, verdicts, approvals, and a stop that one agent
 * refuses before it agrees.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Cast, play } from "./play.ts";

const yolo: Cast = {
  "lead-1": "lead",
  "architect-1": "architect",
  "dev-1": "dev",
  "docs-1": "docs",
  "debugger-1": "debugger",
};

for (const [dialect, cast] of [
  ["vbw/2", { ...yolo, "qa-1": "qa", "scout-1": "scout" }],
  ["yolo/2", yolo],
] as const) {
  test(`${dialect} alone: contracts, work, blockers up and down, verdicts, approvals, and a stop that one agent refuses first`, async () => {
    const team = await play([dialect], cast);
    team.on({ phase: 1, plan_id: "1-1", task: "1-1-T1", task_id: "1-1-T1", phase_id: "phase-1" });
    if (team.people.has("scout-1"))
      for (const domain of ["tech-stack", "architecture", "quality", "concerns"])
        await team.says("scout-1", "scout_findings", { domain });
    const contract = { allowed_paths: ["src/"], forbidden_paths: ["src/secret/"], depends_on: [] };
    await team.says("architect-1", "plan_contract", { ...contract, plan_id: "1-2", tasks: ["1-2-T1"], task: "1-2-T1" });
    await team.says("lead-1", "plan_contract", { ...contract, tasks: ["1-1-T1", "1-1-T2"] });
    for (const [who, plan, task, file] of [
      ["dev-1", "1-1", "1-1-T1", "src/a.ts"],
      ["docs-1", "1-1", "1-1-T2", "src/b.md"],
      ["dev-1", "1-2", "1-2-T1", "src/c.ts"],
    ] as const) {
      team.on({ phase: 1, plan_id: plan, task, task_id: task, files_modified: [file] });
      await team.does(who, ["task", "claim", task, "--files", file]);
      await team.says(who, "execution_update", { status: "partial", commit: "" });
      for (const severity of ["informational", "degraded", "blocking"])
        await team.says(who, "blocker_report", { severity });
      for (const level of ["lead-1", "architect-1"])
        await team.does(level, ["escalation", "raise", await team.newest()]);
      await team.decides("owner");
      assert.match(await team.reads(who), /Take ours/);
      await team.says(who, "execution_update", { status: "failed", commit: "" });
      await team.says(who, "execution_update");
    }
    if (dialect === "vbw/2") await team.says("debugger-1", "blocker_report", { severity: "informational" });
    else await team.says("debugger-1", "debugger_report");
    for (const [asker, answerer] of [
      ["dev-1", "lead-1"],
      ["dev-1", "architect-1"],
      ["lead-1", "architect-1"],
    ] as const) {
      for (const approved of [true, false]) {
        const request_id = await team.says(asker, "approval_request", { request_type: "plan_approval" });
        await team.says(answerer, "approval_response", { request_id, approved }, { to: [asker] });
        assert.match(await team.reads(asker), /approval_response/);
      }
    }
    await team.says("dev-1", "approval_request", { request_type: "gate_override" });
    await team.decides("owner");
    if (team.people.has("qa-1")) {
      for (const result of ["PARTIAL", "FAIL"]) await team.says("qa-1", "qa_verdict", { result });
      // The document sends a verdict to the lead, which is told how the work goes back to who reported it.
      const [, given = ""] = /`baton (task reopen) TASK`/.exec(await team.reads("lead-1")) ?? [];
      await team.does("lead-1", [...given.split(" "), "1-2-T1", "--reason", "A code is accepted twice"]);
      assert.match(await team.reads("dev-1"), /1-2-T1 .*done again.*A code is accepted twice/);
      await team.says("dev-1", "execution_update", { commit: "def5678" });
      const passed = { result: "PASS", failures: [], checks: { passed: 12, failed: 0, total: 12 } };
      await team.says("qa-1", "qa_verdict", { result: "FAIL", task: "1-2" });
      await team.says("qa-1", "qa_verdict", passed);
      assert.match(await team.reads("lead-1"), /counts on; a pass that names no task ends it/);
      await team.says("qa-1", "qa_verdict", { ...passed, task: "1-2" });
    }
    await team.does("lead-1", ["phase", "end"]);
    const yes = dialect === "yolo/2" ? "approved" : "approve";
    const asked = { task: "", reason: "phase_complete" };
    const { outcome } = await team.stops("lead-1", asked, (request_id, isFirst) => {
      const answer = { request_id, task: "", pending_work: "" };
      const refusal = { ...answer, [yes]: false, final_status: "in_progress", pending_work: "Writes a file" };
      const agreed = { ...answer, [yes]: true, final_status: "complete" };
      return isFirst ? [refusal, agreed] : [agreed];
    });
    assert.equal(outcome, "complete");
    team.whole();
  });
}
