/**
 * Rules about counts: parts add up to their whole, and none is more than it.
 * Source: docs/protocol/messages.md, sections 5 and 6.
 */
import { isJsonList } from "../../base/json.ts";
import { countOf, crossFault, objectIn, objectsIn, type Rule } from "./rule.ts";

/** At most: the count called `part` is no more than the one called `whole`. */
function within(part: string, whole: string): Rule {
  return {
    words: `\`${part}\` is at most \`${whole}\`.`,
    check(fields, place) {
      const [some, all] = [countOf(fields[part]), countOf(fields[whole])];
      if (some === null || all === null || some <= all) return null;
      return crossFault(`${place}.${part}`, `${part} cannot be more than ${whole}.`, {
        expected: `at most ${all}`,
        received: String(some),
        hint: `correct ${part} or ${whole}`,
      });
    },
  };
}

/** Rules about counts by name. */
export const countRules = {
  "checks-add-up": {
    words: "`checks.passed` + `checks.failed` = `checks.total`.",
    check(fields, place) {
      const { passed, failed, total } = checksOf(fields.checks);
      if (passed === null || failed === null || total === null || passed + failed === total) return null;
      return crossFault(`${place}.checks`, "checks.passed and checks.failed must add up to checks.total.", {
        expected: `total ${passed + failed}`,
        received: `passed ${passed}, failed ${failed}, total ${total}`,
        hint: `write "total": ${passed + failed}, or correct the other two`,
      });
    },
  },
  "checks-within-total": {
    words: "`checks.passed` + `checks.failed` is at most `checks.total`; the rest are warnings.",
    check(fields, place) {
      const { passed, failed, total } = checksOf(fields.checks);
      if (passed === null || failed === null || total === null || passed + failed <= total) return null;
      return crossFault(`${place}.checks`, "checks.passed and checks.failed are more than checks.total.", {
        expected: `total of at least ${passed + failed}`,
        received: `passed ${passed}, failed ${failed}, total ${total}`,
        hint: `write "total": ${passed + failed}, or correct the other two`,
      });
    },
  },
  "checks-match-detail": {
    words: "Where `checks_detail` lists checks, `checks` counts its PASS, its FAIL and its entries.",
    check(fields, place) {
      const { checks_detail: detail } = fields;
      const { passed, failed, total } = checksOf(fields.checks);
      if (!isJsonList(detail) || detail.length === 0 || passed === null || failed === null || total === null)
        return null;
      const counted = (status: string) => objectsIn(detail).filter((one) => one.status === status).length;
      const [passes, fails] = [counted("PASS"), counted("FAIL")];
      if (passed === passes && failed === fails && total === detail.length) return null;
      return crossFault(`${place}.checks`, "checks does not count what checks_detail lists.", {
        expected: `passed ${passes}, failed ${fails}, total ${detail.length}`,
        received: `passed ${passed}, failed ${failed}, total ${total}`,
        hint: `write {"passed": ${passes}, "failed": ${fails}, "total": ${detail.length}}, or correct the list`,
      });
    },
  },
  "pass-without-failures": {
    words: "A `result` of `PASS` has no failed checks or tests and lists no `failures`.",
    check(fields, place) {
      if (fields.result !== "PASS") return null;
      const counted = Object.hasOwn(fields, "tests") ? "tests" : "checks";
      const failed = countOf(objectIn(fields[counted]).failed) ?? 0;
      const listed = isJsonList(fields.failures) ? fields.failures.length : 0;
      if (failed === 0 && listed === 0) return null;
      return crossFault(`${place}.result`, "A result of PASS cannot have failures.", {
        expected: `${counted}.failed 0 and no failures`,
        received: `${counted}.failed ${failed}, ${listed} failures listed`,
        hint: 'write "PARTIAL" or "FAIL"',
      });
    },
  },
  "severities-add-up": {
    words: "`critical` + `major` + `minor` = `findings`.",
    check(fields, place) {
      const [critical, major, minor] = [countOf(fields.critical), countOf(fields.major), countOf(fields.minor)];
      const findings = countOf(fields.findings);
      if (critical === null || major === null || minor === null || findings === null) return null;
      const sum = critical + major + minor;
      if (sum === findings) return null;
      return crossFault(`${place}.findings`, "critical, major and minor must add up to findings.", {
        expected: String(sum),
        received: String(findings),
        hint: `write "findings": ${sum}, or correct the other three`,
      });
    },
  },
  "critical-within-findings": within("critical", "findings"),
  "critical-within-count": within("critical", "findings_count"),
  "plans-complete-within-total": within("plans_complete", "plans_total"),
  "plans-completed-within-total": within("plans_completed", "plans_total"),
  "tasks-completed-within-total": within("tasks_completed", "tasks_total"),
} as const satisfies { readonly [name: string]: Rule };

function checksOf(value: Parameters<typeof objectIn>[0]) {
  const { passed, failed, total } = objectIn(value);
  return { passed: countOf(passed), failed: countOf(failed), total: countOf(total) };
}
