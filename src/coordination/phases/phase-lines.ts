/**
 * What a message says as rows of a file in its phase's folder, with the short keys that yolo's tools write there. Where
 * a message only counts (a critique, a test plan, an audit), its row is the one that sums such a file up; findings,
 * changes and failures that it spells out are separate rows behind it. Pure: the caller decides where the rows go.
 *
 *   r result   f ln file and line   sev severity   cat category   sug suggestion   q query   conf confidence   dt date
 *   c check    ev evidence          ps fl tt passed, failed, total            dept department
 *
 * Source: docs/protocol/requirements/yolo-1.md, the artifacts of its messages.
 */
import { isJsonList, isJsonObject, type Json, type JsonObject, jsonLine } from "../../base/json.ts";
import type { Fact, FactKind } from "../../message/facts.ts";
import type { WorkDepartment } from "../../message/role.ts";

/** A file in a phase's folder, and lines without line breaks. */
export interface PhaseLines {
  readonly file: string;
  readonly lines: readonly string[];
}

/**
 * The rows of a message; null: messages of its kind have none. `date`: when it was said, RFC 3339. `department`: whose
 * part of the phase it is about; null where there is only one.
 */
export function phaseLines(
  { kind, body }: Fact,
  { date, department }: { readonly date: string; readonly department: WorkDepartment | null },
): PhaseLines | null {
  const form = forms[kind];
  if (form === undefined) return null;
  const rows = form.rows(body);
  const of = { dept: department ?? undefined, dt: date.slice(0, 10) };
  return { file: form.file, lines: rows.map((row) => jsonLine(said({ ...row, ...of }))) };
}

/** A row; what is undefined was not said. */
type Row = { readonly [key: string]: Json | undefined };

const forms: {
  readonly [Kind in FactKind]?: { readonly file: string; rows(body: JsonObject): readonly Row[] };
} = {
  critique: {
    file: "critique.jsonl",
    rows: ({ findings, critical, major, minor, categories }) => [{ findings, critical, major, minor, cat: categories }],
  },
  "test-plan": {
    file: "test-plan.jsonl",
    rows: ({ planId, tasksTested, tasksSkipped, totalTests, allRed }) => [
      {
        plan: planId,
        tasks_tested: tasksTested,
        tasks_skipped: tasksSkipped,
        total_tests: totalTests,
        all_red: allRed,
      },
    ],
  },
  design: {
    file: "decisions.jsonl",
    rows: ({ decisions, risks }) => [...rowsOf(decisions), ...rowsOf(risks)],
  },
  "review-result": {
    file: "code-review.jsonl",
    rows: ({ planId, result, cycle, findingsCount, critical }) => [
      { plan: planId, r: result, cycle, findings_count: findingsCount, critical },
    ],
  },
  "review-changes": {
    file: "code-review.jsonl",
    rows: ({ planId, cycle, changes }) =>
      rowsOf(changes).map(({ fix, ...row }) => ({ plan: planId, cycle, ...row, sug: fix })),
  },
  verdict: {
    file: "verification.jsonl",
    rows: ({ tier, result, checks, failures }) => {
      const { passed: ps, failed: fl, total: tt } = objectIn(checks);
      return [
        { tier, r: result, ps, fl, tt },
        ...rowsOf(failures).map(({ check, evidence, ...row }) => ({ c: check, r: "FAIL", ev: evidence, ...row })),
      ];
    },
  },
  "code-verdict": {
    file: "qa-code.jsonl",
    rows: ({ result, tests, lint, findingsCount, critical }) => [
      { r: result, tests, lint, findings_count: findingsCount, critical },
    ],
  },
  "security-audit": {
    file: "security-audit.jsonl",
    rows: ({ result, findings, critical, categories }) => [{ r: result, findings, critical, cat: categories }],
  },
  research: {
    file: "research.jsonl",
    rows: ({ domain, findings }) =>
      rowsOf(findings).map(({ query, confidence, ...row }) => ({ q: query, ...row, conf: confidence, domain })),
  },
  diagnosis: {
    file: "debug-report.jsonl",
    rows: ({ hypothesis, evidenceFor, evidenceAgainst, confidence, recommendedFix }) => [
      {
        hypothesis,
        evidence_for: evidenceFor,
        evidence_against: evidenceAgainst,
        conf: confidence,
        fix: recommendedFix,
      },
    ],
  },
};

/** The objects of a list; agents write one object where a list of one is meant. */
function rowsOf(value: Json | undefined): readonly JsonObject[] {
  if (isJsonList(value ?? null)) return (value as readonly Json[]).filter(isJsonObject); // a list
  return isJsonObject(value ?? null) ? [value as JsonObject] : []; // an object
}

function objectIn(value: Json | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}

function said(row: Row): JsonObject {
  return Object.fromEntries(Object.entries(row).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}
