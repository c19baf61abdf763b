/**
 * A company of three departments as the stories have it, and what each department does the same way: specification, tests
 * that fail, work with a commit, verification.
 */

import { type Stage, same, teamFile } from "../../examples/stage.ts";
import type { WorkDepartment } from "../../src/messages/role.ts";

/** Agents of a company; every department has the same, named by its first letters. */
export const companyAgents: Parameters<typeof teamFile>[2] = [
  ["chief", "owner", "owner"],
  ["go", "orchestrator"],
  ["architect-1", "architect"],
  ["critic-1", "critic", "shared"],
  ["scout-1", "scout", "shared"],
  ["debugger-1", "debugger", "shared"],
  ["security-1", "security", "shared"],
  ...(["uiux", "frontend", "backend"] as const).flatMap((department) =>
    (["lead", "senior", "dev", "tester", "qa-lead", "qa-code"] as const).map(
      (role) => [`${department}-${role}`, role, department] as const,
    ),
  ),
];

/** The team file of the company. */
export const companyTeam = teamFile("company", ["yolo/1"], companyAgents);

/** One department in a story. */
export interface DepartmentOfStory {
  readonly department: WorkDepartment;
  readonly plan: string;
  /** The file that its task changes. */
  readonly file: string;
}

const folder = "phases/01-sign-in";

/** The plan exists, with one task. */
export async function plan(stage: Stage, { department, plan: id, file }: DepartmentOfStory): Promise<void> {
  const lead = await stage.as(`${department}-lead`);
  await stage.done(lead.addTask({ task: `${id}/T1`, plan: id, title: `Build ${file}`, files: [file] }));
}

/** The senior specifies it, and the tester writes tests that fail. */
export async function prepare(stage: Stage, { department, plan: id }: DepartmentOfStory): Promise<void> {
  await stage.say(`${department}-senior`, { type: "senior_spec", plan_id: id, tasks_enriched: 1, committed: true });
  await stage.say(`${department}-tester`, testPlan(id, true));
}

/** The tests of a plan, as its tester reports them. */
export function testPlan(id: string, allRed: boolean) {
  return {
    type: "test_plan_result",
    plan_id: id,
    tasks_tested: 1,
    tasks_skipped: 0,
    total_tests: 4,
    all_red: allRed,
    artifact: `${folder}/test-plan.jsonl`,
    committed: true,
  };
}

/** The developer claims the task, does it with a real commit, and reports; the commit's id. */
export async function build(
  stage: Stage,
  { department, plan: id, file }: DepartmentOfStory,
  text: string,
): Promise<string> {
  const dev = `${department}-dev`;
  await stage.say(dev, {
    type: "task_claim",
    task_id: "T1",
    plan_id: id,
    files: [file],
    claimed_at: new Date().toISOString(),
  });
  return report(stage, { department, plan: id, file }, text);
}

/** One more commit on the same task, reported; the commit's id. */
export async function report(
  stage: Stage,
  { department, plan: id, file }: DepartmentOfStory,
  text: string,
): Promise<string> {
  const dev = `${department}-dev`;
  const commit = stage.commit(dev, { [file]: text }, `${id}: ${file}`);
  await stage.say(dev, {
    type: "task_complete",
    task_id: "T1",
    plan_id: id,
    commit,
    files_modified: [file],
    status: "complete",
    deviations: [],
  });
  await stage.say(dev, { type: "dev_progress", task: `${id}/T1`, plan_id: id, commit, status: "complete" });
  return commit;
}

/** A review that is passed, or asks for changes. */
export function review(id: string, cycle: number, result: "approve" | "changes_requested", critical = 0) {
  return {
    type: "code_review_result",
    plan_id: id,
    result,
    cycle,
    findings_count: critical,
    critical,
    artifact: `${folder}/code-review.jsonl`,
    committed: true,
  };
}

/** A verdict of the department's verification. */
export function verdict(result: "PASS" | "FAIL", failed = 0, check = "the code is used once") {
  return {
    type: "qa_result",
    tier: "standard",
    result,
    checks: { passed: 5 - failed, failed, total: 5 },
    failures: failed === 0 ? [] : [{ check, expected: "refused", actual: "accepted", evidence: "a test by hand" }],
    artifact: `${folder}/verification.jsonl`,
    committed: true,
  };
}

/** The code's own verdict. */
export function codeVerdict() {
  return {
    type: "qa_code_result",
    result: "PASS",
    tests: { passed: 4, failed: 0, skipped: 0 },
    lint: { errors: 0, warnings: 1 },
    findings_count: 1,
    critical: 0,
    artifact: `${folder}/qa-code.jsonl`,
    committed: true,
  };
}

/** A security audit. */
export function audit(result: "PASS" | "WARN" | "FAIL", findings = 0, critical = 0) {
  return {
    type: "security_audit",
    result,
    findings,
    critical,
    categories: ["secrets", "deps"],
    artifact: `${folder}/security-audit.jsonl`,
    committed: true,
  };
}

/** Verification, code and security, all passed. */
export async function pass(
  stage: Stage,
  { department }: DepartmentOfStory,
  security: "PASS" | "WARN" = "PASS",
): Promise<void> {
  await stage.say(`${department}-qa-lead`, verdict("PASS"));
  await stage.say(`${department}-qa-code`, codeVerdict());
  await stage.say("security-1", audit(security, security === "WARN" ? 1 : 0), [`${department}-lead`]);
}

/** The department's word to the owner, as its messages say it. */
export function departmentResult({ department }: DepartmentOfStory, security: "PASS" | "WARN" = "PASS") {
  return {
    type: "department_result",
    department,
    phase: "01",
    result: "PASS",
    plans_completed: 1,
    plans_total: 1,
    qa_result: "PASS",
    security_result: security,
    tdd_coverage: "red_green",
  };
}

/** The critique and what the owner makes of it. */
export async function open(stage: Stage, order: readonly WorkDepartment[]): Promise<void> {
  const noted = await stage.say("critic-1", {
    type: "critique_result",
    phase: "01",
    findings: 4,
    critical: 1,
    major: 1,
    minor: 2,
    categories: ["gap", "risk"],
    artifact: `${folder}/critique.jsonl`,
    committed: false,
  });
  same("the critic cannot write, so the lead commits", noted.includes("lead-commits"), true);
  const rows = ["critical", "major", "minor", "minor"].map((sev) => `${JSON.stringify({ sev })}\n`).join("");
  stage.commit("backend-lead", { [`${folder}/critique.jsonl`]: rows }, "Commit the critique");
  await stage.say("chief", {
    type: "owner_review",
    phase: "01",
    departments_needed: order,
    dispatch_order: order,
    priorities: ["The design is there before the page is built"],
    risks: ["Endpoints may change the page"],
  });
}

/** Research and architecture for all departments. */
export async function design(stage: Stage): Promise<void> {
  await stage.say("scout-1", {
    type: "scout_findings",
    domain: "quality",
    findings: [{ query: "How are codes kept?", finding: "In memory only", confidence: "high" }],
    artifact: `${folder}/research.jsonl`,
    committed: true,
  });
  await stage.say("architect-1", {
    type: "architecture_design",
    phase: "01",
    artifact: `${folder}/architecture.toon`,
    decisions: [{ decision: "Codes live ten minutes", rationale: "Mail may be slow", alternatives: ["Two minutes"] }],
    risks: [{ risk: "A code is guessed", impact: "medium", mitigation: "Five tries a code" }],
    committed: true,
  });
}

/** The design, handed to those who build it. */
export function handoff(status: "complete" | "partial" = "complete") {
  return {
    type: "design_handoff",
    phase: "01",
    department: "uiux",
    artifacts: {
      design_tokens: `${folder}/design-tokens.jsonl`,
      component_specs: `${folder}/component-specs.jsonl`,
      user_flows: `${folder}/user-flows.jsonl`,
    },
    ready_components: ["CodeField"],
    deferred: ["AccountRecovery"],
    acceptance_criteria: ["The field takes a pasted code"],
    status,
  };
}
