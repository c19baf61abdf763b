/** A whole phase in an adopted project of YOLO's company line, and a whole epic in one of BMAD. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { calledWithCode } from "../e2e/called.ts";
import { folder, jsonLines } from "../e2e/command.ts";
import { isRecorded } from "../e2e/hook-call.ts";
import { git, makeLookAlike, put } from "./look-alike.ts";
import { readOrigin } from "./origin-reader.ts";
import { begin, compare, digests, type Message, openTasks, rests, sync } from "./phase-site.ts";

test("a whole phase of yolo-company, from the critique to the owner's word, is in the folder as its agents worked it", async () => {
  const site = await begin("yolo-company", "yolo-lead");
  const before = digests(site.root);
  const says = async (agent: string, message: Message, to?: string) =>
    isRecorded(await site.says(`yolo-${agent}`, message, to === undefined ? undefined : `yolo-${to}`));
  await says("owner", {
    type: "owner_review",
    phase: "02",
    departments_needed: ["backend"],
    dispatch_order: ["backend"],
    priorities: [],
    risks: [],
  });
  await says(
    "critic",
    { type: "critique_result", phase: "02", findings: 1, critical: 0, major: 1, minor: 0, categories: ["gap"] },
    "lead",
  );
  await says(
    "scout",
    {
      type: "scout_findings",
      domain: "quality",
      findings: [{ query: "Tests?", finding: "None", confidence: "high" }],
      artifact: "",
      committed: false,
    },
    "lead",
  );
  await says(
    "architect",
    {
      type: "architecture_design",
      phase: "02",
      decisions: [{ decision: "One table", rationale: "small", alternatives: [] }],
    },
    "lead",
  );
  const done = new Map<string, readonly string[]>();
  const open = await openTasks(site);
  for (const [plan, tasks] of open) {
    await says("senior", { type: "senior_spec", plan_id: plan, tasks_enriched: tasks.length }, "lead");
    await says(
      "tester",
      {
        type: "test_plan_result",
        plan_id: plan,
        tasks_tested: tasks.length,
        tasks_skipped: 0,
        total_tests: 3,
        all_red: true,
      },
      "senior",
    );
    const commits: string[] = [];
    for (const task of tasks) {
      const file = `src/work/${task}.ts`;
      await says(
        "dev",
        { type: "task_claim", task_id: task, plan_id: plan, files: [file], claimed_at: new Date().toISOString() },
        "lead",
      );
      commits.push(await site.commits("yolo-dev", plan, file));
      await says(
        "dev",
        { type: "dev_progress", task, plan_id: plan, commit: commits.at(-1), status: "complete", concerns: [] },
        "senior",
      );
      await says(
        "dev",
        {
          type: "task_complete",
          task_id: task,
          plan_id: plan,
          commit: commits.at(-1),
          files_modified: [file],
          status: "complete",
          deviations: [],
        },
        "lead",
      );
    }
    done.set(plan, commits);
  }
  const [plan = ""] = done.keys();
  await says(
    "senior",
    {
      type: "escalation",
      from: "senior",
      to: "lead",
      issue: "No key",
      evidence: ["x"],
      recommendation: "mine",
      severity: "blocking",
      plan_id: plan,
    },
    "lead",
  );
  await sync(site);
  assert.ok(readOrigin(site.root).pending.includes("No key"));
  const words = ["--decision", "Take mine", "--rationale", "There is one", "--action", "use it"];
  for (const { id } of jsonLines(await calledWithCode(0, site.place, ["needs", "--escalations", "--json"])))
    await calledWithCode(0, site.place, ["escalation", "resolve", String(id), ...words]);
  await calledWithCode(0, site.place, ["verify"]);
  for (const each of done.keys())
    await says(
      "senior",
      { type: "code_review_result", plan_id: each, result: "approve", cycle: 1, findings_count: 0, critical: 0 },
      "lead",
    );
  await says(
    "qa",
    { type: "qa_result", tier: "standard", result: "PASS", checks: { passed: 3, failed: 0, total: 3 } },
    "lead",
  );
  await says(
    "qa-code",
    {
      type: "qa_code_result",
      result: "PASS",
      tests: { passed: 3, failed: 0, skipped: 0 },
      lint: { errors: 0, warnings: 0 },
      findings_count: 0,
      critical: 0,
    },
    "lead",
  );
  await says("security", { type: "security_audit", result: "PASS", findings: 0, critical: 0, categories: [] }, "lead");
  await says(
    "lead",
    {
      type: "department_result",
      department: "backend",
      phase: "02",
      result: "PASS",
      plans_completed: open.size,
      plans_total: open.size,
      qa_result: "PASS",
      security_result: "PASS",
      tdd_coverage: "red_green",
    },
    "owner",
  );
  await says("owner", {
    type: "owner_signoff",
    phase: "02",
    decision: "SHIP",
    departments_approved: ["backend"],
    integration_qa: "PASS",
    notes: "",
  });
  await sync(site);
  const seen = readOrigin(site.root);
  assert.deepEqual(
    [seen.pending, seen.resolved.get("No key"), seen.resolutions.get("2/backend")],
    [[], "Take mine", "Take mine"],
  );
  const { status, plans_complete: complete, plans_total: total } = seen.departments.get("2/backend") ?? {};
  assert.deepEqual([status, complete, total], ["complete", 3, 3]);
  const phase = site.phase.slice("phases/".length);
  const rows = ["critique", "code-review", "qa-code", "security-audit", "test-plan", "verification"].map((name) => [
    name,
    seen.rows.get(`${phase}/${name}.jsonl`)?.length,
  ]);
  assert.deepEqual(Object.fromEntries(rows), {
    critique: 1,
    "code-review": done.size,
    "qa-code": 1,
    "security-audit": 1,
    "test-plan": done.size,
    verification: 1,
  });
  compare(site, before, done, [...rows.map(([name]) => `${name}.jsonl`), "decisions.jsonl"]);
  await rests(site);
});

test("a whole epic of bmad goes from the scrum master to the developer and to quality by documents, and no story changes", async () => {
  const place = folder();
  const made = makeLookAlike(place, { family: "bmad", seed: 41, plansIn: [1, 2] });
  await calledWithCode(0, place, ["adopt"]);
  const before = digests(join(place, "docs"));
  const stories = made.plans.filter(({ isDone }) => !isDone);
  assert.equal(stories.length, 2);
  for (const { id, tasks } of stories) {
    const story = `docs/stories/${id.replace("-", ".")}.sign-in.md`;
    const draft = `${id}.yaml`;
    await calledWithCode(0, place, [
      "handoff",
      "new",
      draft,
      "--to",
      "dev",
      "--story",
      story,
      "--primary",
      `Build story ${id}`,
      "--as",
      "sm",
    ]);
    assert.match(readFileSync(join(place, draft), "utf8"), new RegExp(`story_file: ["']?${story}`));
    await calledWithCode(0, place, ["handoff", "issue", draft, "--as", "sm"]);
    await calledWithCode(0, place, ["handoff", "accept", draft, "--as", "dev"]);
    for (let number = 1; number <= tasks; number += 1) {
      const task = `${id}-T${number}`;
      put(place, `src/${task}.ts`, `// ${task}\n`);
      git(place, "add", "src");
      git(place, "commit", "-q", "-m", `feat: ${task}`);
      const words = ["task", "complete", task, "--commit", git(place, "rev-parse", "HEAD"), "--as", "dev"];
      await calledWithCode(0, place, words);
    }
    await calledWithCode(0, place, ["handoff", "complete", draft, "--as", "dev"]);
  }
  await calledWithCode(0, place, ["verify"]);
  const lines = jsonLines(await calledWithCode(0, place, ["task", "list", "--json"]));
  assert.deepEqual([...new Set(lines.map(({ state }) => state))], ["complete"]);
  const handoffs = jsonLines(await calledWithCode(0, place, ["handoff", "list", "--all", "--json"]));
  assert.deepEqual(
    handoffs.map(({ source, target }) => [source, target]),
    stories.map(() => ["sm", "dev"]),
  );
  assert.deepEqual(digests(join(place, "docs")), before);
  await calledWithCode(0, place, ["journal", "verify"]);
});
