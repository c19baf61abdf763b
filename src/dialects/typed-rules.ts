/**
 * Rules between fields of one payload, which JSON Schema cannot say. Definitions name them, the reference pages quote
 * their words, the reader runs them. A rule looks only at fields that have the right type: a wrong one is reported by
 * the validator already. Source: semantics.md section 1.6, cross-field.
 */
import { type Problem, problem } from "../base/problem.ts";
import type { Json } from "../message/facts.ts";

type Payload = { readonly [field: string]: Json };

interface Rule {
  /** The rule in words, for the reference pages. */
  readonly words: string;
  /** The rule's fault in `payload`, or null. */
  check(payload: Payload): Problem | null;
}

export type RuleName = "checks-add-up" | "pass-without-failures" | "commit-when-complete";

/** Every rule by name. */
export const rules: { readonly [Name in RuleName]: Rule } = {
  "checks-add-up": {
    words: "`checks.passed` + `checks.failed` = `checks.total`.",
    check(payload) {
      const { passed, failed, total } = numbersOf(payload.checks);
      if (passed === null || failed === null || total === null || passed + failed === total) return null;
      return problem(
        "cross-field",
        "$.payload.checks",
        "checks.passed and checks.failed must add up to checks.total.",
        {
          expected: `total ${passed + failed}`,
          received: `passed ${passed}, failed ${failed}, total ${total}`,
          hint: `write "total": ${passed + failed}, or correct the other two`,
        },
      );
    },
  },
  "pass-without-failures": {
    words: "A `result` of `PASS` has no failed checks and lists no `failures`.",
    check(payload) {
      if (payload.result !== "PASS") return null;
      const { failed } = numbersOf(payload.checks);
      const failures = payload.failures;
      const listed = Array.isArray(failures) ? failures.length : 0;
      if ((failed ?? 0) === 0 && listed === 0) return null;
      return problem("cross-field", "$.payload.result", "A result of PASS cannot have failures.", {
        expected: "checks.failed 0 and no failures",
        received: `checks.failed ${failed ?? 0}, ${listed} failures listed`,
        hint: 'write "PARTIAL" or "FAIL"',
      });
    },
  },
  "commit-when-complete": {
    words: "`commit` may be empty only while `status` is not `complete`.",
    check(payload) {
      if (payload.status !== "complete" || payload.commit !== "") return null;
      return problem("cross-field", "$.payload.commit", "A complete task names its commit.", {
        expected: "a commit of 7 to 64 hex digits",
        received: '""',
        hint: 'commit the work and write its hash, or write the status "partial"',
      });
    },
  },
};

function numbersOf(checks: Json | undefined): { passed: number | null; failed: number | null; total: number | null } {
  if (typeof checks !== "object" || checks === null || Array.isArray(checks))
    return { passed: null, failed: null, total: null };
  const fields = checks as Payload; // An object that is no list: what the line above leaves.
  return { passed: numberOf(fields.passed), failed: numberOf(fields.failed), total: numberOf(fields.total) };
}

function numberOf(value: Json | undefined): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : null;
}
