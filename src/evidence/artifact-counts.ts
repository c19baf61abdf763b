/**
 * The numbers that a message gives of its artifact, against the entries of the artifact: one table, a row a kind of
 * message. Fields are named as in neutral facts. Source: docs/protocol/verdicts.md.
 */
import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import { type Problem, problem } from "../base/problem.ts";
import type { FactKind } from "../message/facts.ts";
import { isGreen, outcomeOf, severityOf, testsOf } from "./artifact-rows.ts";

type Entries = readonly JsonObject[];
type Count = (entries: Entries) => number | boolean | null;

const all: Count = (entries) => entries.length;
const grave =
  (severity: string): Count =>
  (entries) =>
    entries.filter((row) => severityOf(row) === severity).length;
const ended =
  (outcome: ReturnType<typeof outcomeOf>): Count =>
  (entries) =>
    entries.filter((row) => outcomeOf(row) === outcome).length;

/** Tests of all entries; null: no entry counts them. */
const tests: Count = (entries) => {
  const counted = entries.map(testsOf);
  return counted.every((count) => count === null)
    ? null
    : counted.reduce<number>((sum, count) => sum + (count ?? 0), 0);
};
const tested: Count = (entries) => entries.filter((row) => testsOf(row) !== 0).length;
const red: Count = (entries) => !entries.some(isGreen);

/** What each kind of message counts: field (with a dot: inside an object; a list counts by its length) to its count. */
const counts: { readonly [Kind in FactKind]?: { readonly [field: string]: Count } } = {
  critique: { findings: all, critical: grave("critical"), major: grave("major"), minor: grave("minor") },
  "test-plan": { tasksTested: tested, totalTests: tests, allRed: red },
  "review-result": { findingsCount: all, critical: grave("critical") },
  "code-verdict": { findingsCount: all, critical: grave("critical") },
  "security-audit": { findings: all, critical: grave("critical") },
  research: { findings: all },
  verdict: { "checks.total": all, "checks.passed": ended("passed"), "checks.failed": ended("failed") },
};

/** Whether messages of this kind say numbers of their artifact. */
export function isCounted(kind: FactKind): boolean {
  return counts[kind] !== undefined;
}

/** A `counts-differ` for each number of the message that the entries do not bear out. `path` names the artifact. */
export function countProblems(kind: FactKind, body: JsonObject, entries: Entries, path: string): readonly Problem[] {
  return Object.entries(counts[kind] ?? {}).flatMap(([field, count]) => {
    const said = saidIn(body, field);
    const found = said === null ? null : count(entries);
    if (said === null || found === null || said === found) return [];
    return [
      problem("counts-differ", `$.body.${field}`, `The message says ${field} ${said}; ${path} shows ${found}.`, {
        expected: String(found),
        received: String(said),
        hint: "Send the message again with the numbers of the artifact, or commit the artifact that was meant.",
      }),
    ];
  });
}

function saidIn(body: JsonObject, field: string): number | boolean | null {
  const value = field
    .split(".")
    .reduce<Json | undefined>((at, name) => (isJsonObject(at) ? at[name] : undefined), body);
  if (Array.isArray(value)) return value.length;
  return typeof value === "number" || typeof value === "boolean" ? value : null;
}
