/** Nobody answers: what was asked goes on by itself, as the documents have it, and who waits is told. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { play } from "./play.ts";

/** Asks again until the answer is there: time passes by itself, and each question records what is due. */
async function until<Found>(look: () => Promise<Found | undefined>): Promise<Found> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
  }
}

test("yolo/1: an escalation goes up past a level that is silent, a round of review waits, and who answers no stop is stopped", async () => {
  const crew = { "lead-1": "lead", "senior-1": "senior", "dev-1": "dev" };
  const team = await play(["yolo/1"], crew, {}, { limits: "escalation_seconds: 10" });
  team.on({ phase: "01", plan_id: "01-01", task_id: "T1", task: "01-01/T1", files: ["src/a.ts"] });
  await team.says("dev-1", "task_claim");
  await team.says("dev-1", "dev_blocker");
  await until(async () => (await team.open("escalations")).find(({ level }) => level === "lead"));
  assert.match(await team.reads("lead-1"), /The mail gateway refuses the test account/);
  assert.match(await team.reads("dev-1"), /escalation_resolution/);
  // No document gives a review a time: the work goes on, and the senior's word counts whenever it comes.
  await team.says("dev-1", "task_complete", { files_modified: ["src/a.ts"] });
  await team.says("senior-1", "code_review_result", { result: "approve", findings_count: 0, critical: 0 });
  const round = await team.says("lead-1", "shutdown_request", { deadline_seconds: 15 });
  await team.says("senior-1", "shutdown_response", { status: "clean", pending_work: [] });
  const ended = await until(async () => {
    const found = await team.first("lead-1", ["shutdown", "status"]);
    return found.outcome === "open" ? undefined : found;
  });
  assert.deepEqual([ended.round, ended.outcome], [round, "incomplete"]);
  const outcomes = (ended.agents as readonly { agent: string; outcome: string }[]).map((one) => [
    one.agent,
    one.outcome,
  ]);
  assert.deepEqual(Object.fromEntries(outcomes), { "senior-1": "clean", "dev-1": "forced" });
  await team.refused("agent-stopped", "dev-1", ["task", "claim", "T2"]);
});

test("vbw/2: a request whose deadline passes is denied, and its asker is told", async () => {
  const team = await play(["vbw/2"], { "lead-1": "lead", "dev-1": "dev" });
  team.on({ phase: 1, plan_id: "1-1", task: "1-1-T1", task_id: "1-1-T1", phase_id: "phase-1" });
  const deadline = { timestamp: "2026-03-04T10:00:00Z", deadline: "2026-03-04T10:00:01Z" };
  await team.says("dev-1", "approval_request", { ...deadline, request_type: "plan_approval" });
  await until(async () => ((await team.open("requests")).length === 0 ? "denied" : undefined));
  assert.match(await team.reads("dev-1"), /denied approval_request-\d+: The deadline passed without an answer/);
});
