/**
 * A team whose members speak different protocols: the lead and a developer write vbw/2, the senior yolo/1, the architect
 * hands over documents as bmad/1. Each reads its own dialect; what that has no word for is prose that keeps the message.
 */
import { runStory, type Stage, type Story, same, teamFile, type Wire } from "../stage.ts";

export const story: Story = {
  name: "mixed-team",
  team: teamFile(
    "mixed",
    ["vbw/2", "yolo/1", "bmad/1"],
    [
      ["lead-1", "lead", "", "vbw/2"],
      ["dev-1", "dev", "", "vbw/2"],
      ["qa-1", "qa", "", "vbw/2"],
      ["senior-1", "senior", "", "yolo/1"],
      ["architect-1", "architect", "", "bmad/1"],
    ],
  ),
  async tell(stage) {
    await plan(stage);
    await work(stage);
    await endOfPhase(stage);
  },
};

async function plan(stage: Stage): Promise<void> {
  stage.step("The lead issues a contract in its dialect");
  await stage.say(
    "lead-1",
    typed("plan_contract", "lead", {
      plan_id: "1-1",
      phase_id: "phase-1",
      objective: "Greet people by name",
      tasks: ["1-1-T1"],
      allowed_paths: ["src/"],
      must_haves: ["The greeting names the person"],
    }),
    ["dev-1"],
  );
  same("dev-1 reads", await lastOf(stage, "dev-1"), ["vbw/2", "plan_contract"]);

  stage.step("The architect hands the design over as a document");
  await stage.say("architect-1", handoff("architect-1", "senior-1"), ["lead-1", "senior-1"]);
  same("lead-1 reads prose that keeps it", await lastOf(stage, "lead-1"), [null, null]);

  stage.step("A document comes back, and the architect reads it as one");
  await stage.say("senior-1", handoff("senior-1", "architect-1"), ["architect-1"]);
  same("architect-1 reads", await lastOf(stage, "architect-1"), ["bmad/1", "handoff"]);

  stage.step("The senior specifies the plan in its own dialect");
  await stage.say("senior-1", { type: "senior_spec", plan_id: "1-1", tasks_enriched: 1, committed: true });
  same("lead-1 reads prose that keeps it too", await lastOf(stage, "lead-1"), [null, null]);

  stage.step("The developer is held up; the senior reads it as yolo/1 says it, and answers");
  const blocker = {
    plan_id: "1-1",
    task_id: "1-1-T1",
    blocker: "No names yet",
    needs: "A list",
    attempted: ["grep"],
  };
  await stage.say("dev-1", typed("blocker_report", "dev", blocker), ["senior-1", "lead-1"]);
  same("senior-1 reads", await lastOf(stage, "senior-1"), ["yolo/1", "dev_blocker"]);
  same("lead-1 reads", await lastOf(stage, "lead-1"), ["vbw/2", "blocker_report"]);
  const lead = await stage.as("lead-1");
  await stage.done(lead.resolve({ escalation: "ESC-01-01-T1", decision: "Use the names of the test" }));
}

async function work(stage: Stage): Promise<void> {
  stage.step("The developer does the work, and everybody reads of it in its own words");
  const commit = stage.commit("dev-1", { "src/greet.js": "export const greet = (name) => name;\n" }, "Greet");
  const update = { plan_id: "1-1", task_id: "1-1-T1", status: "complete", commit, files_modified: ["src/greet.js"] };
  await stage.say("dev-1", typed("execution_update", "dev", { ...update, evidence: "The greeting names the person" }), [
    "lead-1",
    "senior-1",
  ]);
  same("senior-1 reads", await lastOf(stage, "senior-1"), ["yolo/1", "dev_progress"]);
  same("lead-1 reads", await lastOf(stage, "lead-1"), ["vbw/2", "execution_update"]);

  stage.step("The senior reviews in yolo/1, qa verifies in vbw/2");
  await stage.say("senior-1", {
    type: "code_review_result",
    plan_id: "1-1",
    result: "approve",
    cycle: 1,
    findings_count: 0,
    critical: 0,
    artifact: "review.jsonl",
    committed: true,
  });
  const checks = { passed: 3, failed: 0, total: 3 };
  await stage.say("qa-1", typed("qa_verdict", "qa", { tier: "quick", result: "PASS", checks }), ["lead-1"]);
}

async function endOfPhase(stage: Stage): Promise<void> {
  const lead = await stage.as("lead-1");
  stage.step("One phase out of three dialects");
  const part = await stage.part("1", null);
  const done = part.steps.filter(({ state }) => state === "complete").map(({ step }) => step);
  same("done by messages of two dialects", done, ["planning", "design_review", "implementation", "code_review", "qa"]);
  const open = part.steps.filter(({ state }) => state === "pending" || state === "running").map(({ step }) => step);
  await stage.denied(lead.endPhase({}), "phase-open");
  for (const step of open.filter((each) => each !== "signoff")) {
    await stage.done(lead.skipStep({ step, reason: "A small team without that role" }));
  }
  await stage.done(lead.endPhase({}));
  same("the phase is over", (await stage.part("1", null)).status, "ended");
}

/** A handoff document from one agent to another. */
function handoff(source: string, target: string): Wire {
  return {
    handoff: {
      metadata: {
        id: `handoff-of-${source}`,
        source_agent: source,
        target_agent: target,
        timestamp: new Date().toISOString(),
      },
      context: { key_decisions: [{ decision: "One function", rationale: "It is small", impact: "One file" }] },
      dependencies: {},
      instructions: { primary: "Greet people by their name", constraints: ["No new dependency"] },
    },
  };
}

/** A typed message of the second revisions. */
function typed(type: string, role: string, payload: Wire): Wire {
  return {
    id: `${type}-1`,
    type,
    phase: 1,
    task: "1-1-T1",
    author_role: role,
    timestamp: new Date().toISOString(),
    schema_version: "2.0",
    confidence: "high",
    payload,
  };
}

/** Dialect and type of the last message that an agent got; it reads and acknowledges all. */
async function lastOf(stage: Stage, agent: string): Promise<readonly (string | null)[]> {
  const team = await stage.as(agent);
  const page = await team.inbox();
  if (!page.ok) throw new Error(`DIFFERS: ${agent} cannot read its mail`);
  const last = page.value.deliveries.at(-1);
  if (last === undefined) throw new Error(`DIFFERS: ${agent} has no mail`);
  await stage.done(team.acknowledge(last.seq));
  stage.tell(`${agent} reads ${last.dialect ?? "prose"} ${last.type ?? ""}`.trimEnd());
  return [last.dialect, last.type];
}

if (import.meta.main) await runStory(story);
