/** Messages of yolo/1 that judge work: code review, verification, security. */
import { count, entry, flag, listOf, name, oneOf, required, text } from "../../../../base/schema/shapes.ts";
import { message } from "../../define.ts";
import { findingsCountNames, planNames, resultNames, resultWords, texts } from "../../fields/common-fields.ts";
import { committedArtifact, qaResult } from "../../payloads/flat-payloads.ts";

export const codeReviewMessages = [
  message({
    type: "code_review_changes",
    summary: "Tells a developer exactly what to change after a review; follow the words exactly.",
    kind: "review-changes",
    senders: ["senior"],
    receivers: ["dev"],
    rules: ["must-fix-names-changes"],
    aliases: {
      names: {
        ...planNames,
        round: "cycle",
        findings: "changes",
        rerun: "rerun_tests",
        "changes.file": "changes.f",
        "changes.path": "changes.f",
        "changes.line": "changes.ln",
        "changes.l": "changes.ln",
        "changes.finding": "changes.issue",
        "changes.desc": "changes.issue",
        "changes.sug": "changes.fix",
        "changes.suggestion": "changes.fix",
      },
    },
    payload: {
      plan_id: required(name(), "The plan that was reviewed."),
      cycle: required(count(), "Which round of review this is; the first is 1."),
      changes: required(
        listOf(entry({ f: text(), ln: count(), issue: text(), fix: text() })),
        "Each change: file, line, what is wrong there, what to write.",
      ),
      must_fix: required(texts(), "Those that hold up approval, each as file:line of a change."),
      rerun_tests: required(flag(), "Whether the tests must be run again."),
    },
    example: {
      payload: {
        plan_id: "02-01",
        cycle: 1,
        changes: [
          { f: "src/auth/code.ts", ln: 31, issue: "A used code is accepted", fix: "Mark it as used when it is read" },
          { f: "src/auth/code.ts", ln: 12, issue: "Ten minutes are written twice", fix: "Use CODE_LIFE_MS" },
        ],
        must_fix: ["src/auth/code.ts:31"],
        rerun_tests: true,
      },
    },
  }),
  message({
    type: "code_review_result",
    summary: "Says whether a plan's code is approved or changes are asked for.",
    kind: "review-result",
    senders: ["senior"],
    receivers: ["lead"],
    rules: ["critical-within-count"],
    aliases: {
      names: { ...planNames, ...resultNames, ...findingsCountNames, round: "cycle" },
      words: {
        result: {
          approved: "approve",
          pass: "approve",
          passed: "approve",
          changes: "changes_requested",
          request_changes: "changes_requested",
          "changes requested": "changes_requested",
          rejected: "changes_requested",
        },
      },
    },
    payload: {
      plan_id: required(name(), "The plan that was reviewed."),
      result: required(oneOf(["approve", "changes_requested"]), "The verdict."),
      cycle: required(count(), "Which round of review this is; the first is 1."),
      findings_count: required(count(), "How many findings there are."),
      critical: required(count(), "How many of them are critical."),
      ...committedArtifact,
    },
    example: {
      payload: {
        plan_id: "02-01",
        result: "changes_requested",
        cycle: 1,
        findings_count: 2,
        critical: 1,
        artifact: "phases/02-sign-in/code-review.jsonl",
        committed: true,
      },
    },
  }),
];

export const verificationMessages = [
  message({
    ...qaResult,
    senders: ["qa-lead"],
    receivers: ["lead"],
    payload: { ...qaResult.payload, ...committedArtifact },
    example: {
      payload: { ...qaResult.example.payload, artifact: "phases/02-sign-in/verification.jsonl", committed: true },
    },
  }),
  message({
    type: "qa_code_result",
    summary: "Says whether a plan's code holds, with the counts of its tests and its lint errors.",
    kind: "code-verdict",
    senders: ["qa-code"],
    receivers: ["lead"],
    rules: ["pass-without-failures", "critical-within-count"],
    aliases: {
      names: {
        ...resultNames,
        ...findingsCountNames,
        test: "tests",
        "tests.pass": "tests.passed",
        "tests.ps": "tests.passed",
        "tests.fail": "tests.failed",
        "tests.fl": "tests.failed",
        "tests.skip": "tests.skipped",
        "tests.sk": "tests.skipped",
        "lint.err": "lint.errors",
        "lint.error": "lint.errors",
        "lint.warn": "lint.warnings",
      },
      words: { result: resultWords },
    },
    payload: {
      result: required(oneOf(["PASS", "FAIL", "PARTIAL"]), "The verdict."),
      tests: required(
        entry({ passed: count(), failed: count(), skipped: count() }),
        "How many tests passed, failed and were skipped.",
      ),
      lint: required(entry({ errors: count(), warnings: count() }), "How many errors and warnings the linter has."),
      findings_count: required(count(), "How many findings there are."),
      critical: required(count(), "How many of them are critical."),
      ...committedArtifact,
    },
    example: {
      payload: {
        result: "PASS",
        tests: { passed: 23, failed: 0, skipped: 1 },
        lint: { errors: 0, warnings: 2 },
        findings_count: 2,
        critical: 0,
        artifact: "phases/02-sign-in/qa-code.jsonl",
        committed: true,
      },
    },
  }),
  message({
    type: "security_audit",
    summary: "Says whether a phase is safe to ship; a FAIL stops it until a person lifts it.",
    kind: "security-audit",
    senders: ["security"],
    receivers: ["lead"],
    rules: ["critical-within-findings"],
    aliases: {
      names: { ...resultNames, findings_count: "findings", total: "findings", cat: "categories", crit: "critical" },
      words: {
        result: {
          passed: "PASS",
          ok: "PASS",
          failed: "FAIL",
          failure: "FAIL",
          warning: "WARN",
          warnings: "WARN",
          partial: "WARN",
        },
      },
    },
    payload: {
      result: required(oneOf(["PASS", "FAIL", "WARN"]), "The verdict."),
      findings: required(count(), "How many findings there are."),
      critical: required(count(), "How many of them are critical."),
      categories: required(texts(), "What was looked at, such as secrets, owasp, deps, config."),
      ...committedArtifact,
    },
    example: {
      payload: {
        result: "WARN",
        findings: 1,
        critical: 0,
        categories: ["secrets", "deps"],
        artifact: "phases/02-sign-in/security-audit.jsonl",
        committed: true,
      },
    },
  }),
];
