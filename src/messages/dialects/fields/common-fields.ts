/**
 * Fields that mean the same in several messages, in every revision, each defined once: the state of work, what holds it
 * up, a verdict, a diagnosis; with the examples that two of them share.
 */
import { commit, count, entry, listOf, name, oneOf, optional, required, text } from "../../../base/schema/shapes.ts";

/** A list of strings. */
export const texts = () => listOf(text());

export const planId = required(name(), "The plan the task belongs to.");

/** The state of a task, and the commit that shows it. */
export const workCommit = required(
  commit(),
  "Commit with the work, 7 to 64 hex digits; empty only while the status is not complete.",
);
export const workStatus = oneOf(["complete", "partial", "failed"]);
export const taskStatus = required(workStatus, "The state of the task.");
export const concerns = optional(texts(), "What the receiver should know or watch.");

/** What holds a task up. */
export const blockerFields = {
  blocker: required(text(), "What blocks it."),
  needs: required(text(), "What would resolve it."),
  attempted: optional(texts(), "What was tried already."),
} as const;

export const blockerExample = {
  blocker: "The mail gateway refuses the test account",
  needs: "Credentials for the gateway's sandbox",
  attempted: ["Sent through the old gateway: it drops codes"],
} as const;

/** Whether work holds. */
export const verdictFields = {
  tier: required(oneOf(["quick", "standard", "deep"]), "How thoroughly was checked."),
  result: required(oneOf(["PASS", "FAIL", "PARTIAL"]), "The verdict."),
  checks: required(
    entry({ passed: count(), failed: count(), total: count() }),
    "How many checks passed and failed, and their sum.",
  ),
  failures: optional(
    listOf(entry({ check: text(), expected: text(), actual: text(), evidence: text() })),
    "Each failed check: what was expected, what came, and what shows it.",
  ),
} as const;

export const verdictExample = {
  tier: "standard",
  result: "PARTIAL",
  checks: { passed: 11, failed: 1, total: 12 },
  failures: [
    { check: "Code is refused twice", expected: "401", actual: "200", evidence: "tests/auth/code.test.ts:31" },
  ],
} as const;

/** What a debugger found out about one cause. */
export const diagnosisFields = {
  hypothesis: required(text(), "The cause that was examined."),
  evidence_for: required(texts(), "What speaks for it."),
  evidence_against: required(texts(), "What speaks against it."),
  confidence: required(oneOf(["high", "medium", "low"]), "How sure the debugger is of the hypothesis."),
} as const;

export const recommendedFix = required(text(), "What would fix it; without enough evidence, that there is not enough.");

export const diagnosisExample = {
  hypothesis: "Two requests use the same code at once",
  evidence_for: ["Both answers carry the same request time", "The fault grows with load"],
  evidence_against: ["A single client never sees it"],
  confidence: "high",
} as const;

export const recommendedFixExample = "Mark the code as used in the statement that reads it";

/*
 * Spellings that agents use in many messages instead of the defined ones, as counted in what they really wrote: long
 * for short names, one word for another, other words for a verdict. Authored here once and put together per message.
 * General drift (case, camel case, numbers as text) needs no entry. Source: docs/protocol/messages.md, section 15.
 */

/** Words for the state of work. */
export const statusWords = {
  done: "complete",
  completed: "complete",
  finished: "complete",
  success: "complete",
  succeeded: "complete",
  ok: "complete",
  in_progress: "partial",
  "in-progress": "partial",
  incomplete: "partial",
  wip: "partial",
  fail: "failed",
  failure: "failed",
  error: "failed",
} as const;

/** Words for a verdict that knows PARTIAL. */
export const resultWords = {
  passed: "PASS",
  passing: "PASS",
  ok: "PASS",
  success: "PASS",
  failed: "FAIL",
  failure: "FAIL",
  failing: "FAIL",
  mixed: "PARTIAL",
  incomplete: "PARTIAL",
  partially: "PARTIAL",
} as const;

/** Words for how sure somebody is, or how much something weighs. */
export const levelWords = {
  certain: "high",
  critical: "high",
  h: "high",
  med: "medium",
  moderate: "medium",
  m: "medium",
  uncertain: "low",
  l: "low",
} as const;

/** Names of the plan, the task and the commit. */
export const planNames = { plan: "plan_id", p: "plan_id" } as const;
export const commitNames = {
  commit_hash: "commit",
  commits: "commit",
  hash: "commit",
  sha: "commit",
  cm: "commit",
  ch: "commit",
  c: "commit",
} as const;
/** Names of all commits of a plan, and of the lone one. */
export const commitListNames = {
  commits: "commit_hashes",
  commit: "commit_hashes",
  commit_hash: "commit_hashes",
  cm: "commit_hashes",
  ch: "commit_hashes",
  c: "commit_hashes",
} as const;
export const fileNames = {
  files: "files_modified",
  files_changed: "files_modified",
  modified_files: "files_modified",
  changed_files: "files_modified",
  fm: "files_modified",
  f: "files_modified",
} as const;
export const statusNames = { s: "status", st: "status", state: "status", result: "status" } as const;
export const resultNames = { r: "result", status: "result", verdict: "result" } as const;
export const concernNames = { concern: "concerns", issues: "concerns", risks: "concerns" } as const;
export const findingsCountNames = {
  findings: "findings_count",
  total_findings: "findings_count",
  crit: "critical",
} as const;
export const deviationNames = { dv: "deviations", d: "deviations" } as const;

/** Words for a department. */
export const departmentWords = {
  "back-end": "backend",
  be: "backend",
  server: "backend",
  "front-end": "frontend",
  fe: "frontend",
  "ui/ux": "uiux",
  "ui-ux": "uiux",
  ux: "uiux",
  ui: "uiux",
} as const;

/** Names inside of a verdict's counts and failures. */
export const verdictNames = {
  ...resultNames,
  "checks.pass": "checks.passed",
  "checks.ps": "checks.passed",
  "checks.fail": "checks.failed",
  "checks.fl": "checks.failed",
  "checks.tt": "checks.total",
  "checks.count": "checks.total",
  failure: "failures",
  failed_checks: "failures",
  fails: "failures",
  "failures.c": "failures.check",
  "failures.name": "failures.check",
  "failures.exp": "failures.expected",
  "failures.act": "failures.actual",
  "failures.got": "failures.actual",
  "failures.ev": "failures.evidence",
  "failures.detail": "failures.evidence",
} as const;

/** Names of a diagnosis. */
export const diagnosisNames = {
  hypotheses: "hypothesis",
  hyp: "hypothesis",
  evidence: "evidence_for",
  supporting_evidence: "evidence_for",
  counter_evidence: "evidence_against",
  contradicting_evidence: "evidence_against",
  conf: "confidence",
  fix: "recommended_fix",
  recommendation: "recommended_fix",
} as const;

/** Names of a blocker. */
export const blockerNames = {
  ...planNames,
  reason: "blocker",
  blocked_by: "blocker",
  description: "blocker",
  desc: "blocker",
  need: "needs",
  required: "needs",
  tried: "attempted",
  attempts: "attempted",
} as const;
