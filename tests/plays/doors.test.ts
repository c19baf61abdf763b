/** A short play by the tools of a real `baton mcp`: what a refusal says to call is called as it is written. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonLines } from "../e2e/command.ts";
import { play } from "./play.ts";

test("vbw/2 over MCP: a blocker is decided, and who is outside the contract calls what the hint says and goes on", async () => {
  const team = await play(["vbw/2"], { "lead-1": "lead", "dev-1": "dev" }, {}, { through: "mcp" });
  const named = { phase: 1, plan_id: "1-1", task: "1-1-T1", task_id: "1-1-T1", phase_id: "phase-1" };
  team.on({ ...named, files_modified: ["docs/a.md"] });
  const contract = { tasks: ["1-1-T1"], allowed_paths: ["src/"], forbidden_paths: [], depends_on: [] };
  await team.says("lead-1", "plan_contract", contract);
  await team.does("dev-1", ["task", "claim", "1-1-T1", "--files", "src/a.ts"]);
  await team.says("dev-1", "blocker_report", { severity: "blocking" });
  await team.does("lead-1", ["escalation", "resolve", await team.newest(), "--decision", "Take ours"]);
  const report = JSON.stringify(team.written("dev-1", "execution_update", { status: "partial", commit: "" }, "vbw/2"));
  const refused = await team.run("dev-1", ["send", "--json"], report);
  const [{ problems } = { problems: [] }] = jsonLines(refused);
  const [{ code, hint } = { code: "", hint: "" }] = problems as readonly { code: string; hint: string }[]; // as documented
  assert.equal(code, "outside-contract");
  const asked = /`task` with action "ask" \(text WHY, task (\S+), files (\[.*\])\)/.exec(hint);
  assert.ok(asked !== null, hint);
  const asking = { action: "ask", text: "The guide says it", task: asked[1] ?? "", files: JSON.parse(asked[2] ?? "") };
  await team.calls("dev-1", { tool: "task", given: asking });
  const [open] = await team.open("requests");
  const answer = { request_id: String(open?.requestId), approved: true, modifications: [] };
  await team.says("lead-1", "approval_response", answer, { to: ["dev-1"] });
  await team.says("dev-1", "execution_update", { status: "partial", commit: "" });
});
