/**
 * Rules between fields of one message, which JSON Schema cannot say. Definitions name them, the reference pages quote
 * their words, the reader runs them. A rule looks only at fields that have the right type: a wrong one is reported by
 * the validator already. Source: docs/protocol/messages.md, sections 5 and 6.
 */
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../../base/json.ts";
import { fileLine, placeOf } from "../../../base/paths/paths.ts";
import { jsonPath, makeProblem, type Problem } from "../../../base/problem.ts";
import { shortened } from "../../../base/schema/hint.ts";

/*
 * Rules about work: what a finished task names, what must be fixed.
 * Source: docs/protocol/messages.md, section 6.
 */

/** Rules about work by name. */
export const workRules = {
  "commit-when-complete": {
    words: "`commit` may be empty only while `status` is not `complete`.",
    check(fields, place) {
      if (fields.status !== "complete" || fields.commit !== "") return null;
      return crossProblem(`${place}.commit`, "A complete task names its commit.", {
        expected: "a commit of 7 to 64 hex digits",
        received: '""',
        hint: 'commit the work and write its hash, or write the status "partial"',
      });
    },
  },
  "must-fix-names-changes": {
    words: "Each entry of `must_fix` is `file:line` of one of the `changes`.",
    check(fields, place) {
      if (!isJsonList(fields.must_fix) || !isJsonList(fields.changes)) return null;
      const { changes, must_fix: named } = fields;
      const stray = strayPlace(named, objectsIn(changes));
      if (stray < 0) return null;
      const places = objectsIn(changes).flatMap(({ f, ln }) =>
        typeof f === "string" && typeof ln === "number" ? [`${f}:${ln}`] : [],
      );
      const shown = places.slice(0, 12).join(" | ");
      return crossProblem(
        jsonPath(["must_fix", stray], place),
        "must_fix names a place that no change of this message is about.",
        {
          expected: places.length === 0 ? "nothing, because changes is empty" : shown,
          received: shortened(named[stray]),
          hint: "write file:line of one of the changes, or add the change",
        },
      );
    },
  },
} as const satisfies { readonly [name: string]: Rule };

/** So many comparisons cost less than a set of all places. */
const comparisonsMax = 64;

/** Which of the named places, the first, no change is about; -1: each is. */
function strayPlace(named: readonly Json[], changes: readonly JsonObject[]): number {
  // Nearly all are written as their changes are, and comparing letters costs least.
  const isFew = named.length * changes.length <= comparisonsMax;
  if (isFew && named.every((one) => changes.some((change) => isAt(change, one)))) return -1;
  const known = new Set(changes.map(({ f, ln }) => placeOf(f, ln)));
  return named.findIndex((one) => typeof one === "string" && !known.has(canonicalPlace(one)));
}

/** Whether a place is written as this change would write it. */
function isAt({ f, ln }: JsonObject, place: Json): boolean {
  return typeof f === "string" && typeof ln === "number" && place === `${f}:${ln}`;
}

function canonicalPlace(text: string): string {
  const { file, line } = fileLine(text);
  return line === null ? file : `${file}:${line}`;
}

/*
 * Rules about counts: parts add up to their whole, and none is more than it.
 * Source: docs/protocol/messages.md, sections 5 and 6.
 */

/** At most: the count called `part` is no more than the one called `whole`. */
function within(part: string, whole: string): Rule {
  return {
    words: `\`${part}\` is at most \`${whole}\`.`,
    check(fields, place) {
      const [some, all] = [countOf(fields[part]), countOf(fields[whole])];
      if (some === null || all === null || some <= all) return null;
      return crossProblem(`${place}.${part}`, `${part} cannot be more than ${whole}.`, {
        expected: `at most ${all}`,
        received: String(some),
        hint: `correct ${part} or ${whole}`,
      });
    },
  };
}

/** Rules about counts by name. */
const countRules = {
  "checks-add-up": {
    words: "`checks.passed` + `checks.failed` = `checks.total`.",
    check(fields, place) {
      const { passed, failed, total } = checksOf(fields.checks);
      if (passed === null || failed === null || total === null || passed + failed === total) return null;
      return crossProblem(`${place}.checks`, "checks.passed and checks.failed must add up to checks.total.", {
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
      return crossProblem(`${place}.checks`, "checks.passed and checks.failed are more than checks.total.", {
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
      return crossProblem(`${place}.checks`, "checks does not count what checks_detail lists.", {
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
      return crossProblem(`${place}.result`, "A result of PASS cannot have failures.", {
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
      return crossProblem(`${place}.findings`, "critical, major and minor must add up to findings.", {
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

/** Every rule by name. */
export const rules = { ...countRules, ...workRules } as const satisfies { readonly [name: string]: Rule };

export type RuleName = keyof typeof rules;

/* What a rule between fields is, and how rules look at fields whose type they cannot rely on. */
export interface Rule {
  /** The rule in words, for the reference pages. */
  readonly words: string;
  /** The rule's error in a message's own fields, or null. `place` is the JSON path of the object that holds them. */
  check(fields: JsonObject, place: string): Problem | null;
}

/** The error of a rule at `path`. */
function crossProblem(
  path: string,
  message: string,
  more: { readonly expected: string; readonly received: string; readonly hint: string },
): Problem {
  return makeProblem("cross-field", path, message, more);
}

/** A count, or null where the value is none. */
function countOf(value: Json | undefined): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : null;
}

/** The object, or an empty one. */
function objectIn(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The objects of a list of them, or none. */
function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return isJsonList(value) ? value.filter(isJsonObject) : [];
}
