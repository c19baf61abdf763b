/**
 * What a journal holds for the folders of phases, in order: the rows that were imported from such, the rows of messages
 * that have their place there, and a line of `summary.jsonl` for each plan that is done. A row that is known in both ways,
 * said here and imported again, is one row.
 */

import { isJsonList, isJsonObject, type Json, type JsonObject, jsonLine } from "../../base/json.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import type { Entry } from "../../journal/entry.ts";
import type { Fact, FactKind } from "../../messages/facts.ts";
import type { WorkDepartment } from "../../messages/role.ts";
import { phaseKey } from "../../messages/task-ids.ts";
import { contentOf } from "../../perform/content.ts";
import { evolve } from "../../perform/projection.ts";
import { isPhaseFile, isPhaseName } from "../../perform/restoring.ts";
import { initialState, type TeamState } from "../../perform/state.ts";
import { summaryViewOf } from "../../tasks/state/plan-summary.ts";
import { summaryLine } from "../../tasks/state/summary-text.ts";
import { placeOf } from "../state/phase-state.ts";
import { companyOf } from "./phase-setting.ts";

/** A line of a file in the folder of a phase. */
export interface PhaseRow {
  /** `01-auth/critique.jsonl`. */
  readonly file: string;
  readonly line: string;
}

type Entries = AsyncIterable<Result<Entry, Problem>>;

/** The folders of phases that are named anywhere: by rows that were imported, or by messages as places of artifacts. */
export type PhaseFolders = ReadonlyMap<string, string>;

/** The folder of each phase, by the phase's number: the first that is named. */
export async function phaseFolders(entries: Entries): Promise<Result<PhaseFolders, Problem>> {
  const folders = new Map<string, string>();
  for await (const entry of entries) {
    if (!entry.ok) return entry;
    const { imported, message, effect } = contentOf(entry.value);
    const file = imported?.file ?? (effect === false ? null : artifactFile(message?.fact ?? null));
    const [folder = ""] = file?.split("/") ?? [];
    const phase = numberOf(folder);
    if (phase !== null && !folders.has(phase)) folders.set(phase, folder);
  }
  return ok(folders);
}

/** The rows of a team's entries; a problem ends them. `folders`: from `phaseFolders`. */
export async function* phaseRows(
  entries: Entries,
  folders: PhaseFolders,
): AsyncGenerator<Result<PhaseRow, Problem>, void> {
  let state = initialState();
  const recordedAt = new Map<number, string>();
  const fresh = newRowFilter();
  for await (const entry of entries) {
    if (!entry.ok) {
      yield entry;
      return;
    }
    state = evolve(state, entry.value);
    const { imported, message, effect, events = [] } = contentOf(entry.value);
    if (events.some(({ event }) => event === "plan-summarised"))
      recordedAt.set(entry.value.seq, entry.value.recordedAt);
    if (message === undefined) continue;
    if (imported !== undefined) {
      const { file } = imported;
      if (file !== undefined && isPhaseFile(file)) yield* fresh("imported", { file, line: message.text });
    } else if (effect !== false && entry.value.kind === "message" && message.fact !== null) {
      for (const row of rowsOf(state, entry.value, message.fact, folders)) yield* fresh("said", row);
    }
  }
  for (const { key } of state.coordination.work.plans.values()) {
    const view = summaryViewOf(state.coordination, key);
    const date = view === null || view.seq === null ? undefined : recordedAt.get(view.seq);
    if (view === null || date === undefined) continue;
    const folder = folderOf(/^(\d{1,9})-/.exec(key)?.[1] ?? null, folders);
    yield* fresh("said", { file: `${folder}/summary.jsonl`, line: summaryLine(view, date) });
  }
}

/** The rows of what was said: in the file that the message names, else in the usual one of its phase's folder. */
export function rowsOf(state: TeamState, entry: Entry, fact: Fact, folders: PhaseFolders): readonly PhaseRow[] {
  const company = companyOf(state, entry.principal, entry.receivers);
  const [part, ...others] = placeOf(state.coordination.phases, fact, company);
  const department = others.length === 0 ? (part?.department ?? null) : null;
  const found = phaseLines(fact, { date: entry.recordedAt, department });
  if (found === null) return [];
  const file = artifactFile(fact) ?? `${folderOf(part?.phase ?? null, folders)}/${found.file}`;
  return found.lines.map((line) => ({ file, line }));
}

/** The artifact that a message names, where it is a file of a phase's folder; else null. Its path is only a name here. */
function artifactFile(fact: Fact | null): string | null {
  const { artifact }: { readonly [field: string]: unknown } = fact?.body ?? {};
  if (typeof artifact !== "string" || !artifact.endsWith(".jsonl")) return null;
  const file = artifact.split("/").slice(-2).join("/");
  return isPhaseFile(file) && numberOf(file) !== null ? file : null;
}

/** The number that a folder's name begins with, as phases are compared by it. */
function numberOf(folder: string): string | null {
  const digits = /^\d{1,9}/.exec(folder)?.[0];
  return digits === undefined ? null : phaseKey(digits);
}

/** The folder of a phase: the one that is known, else its number in two digits; `other` where no phase is known. */
function folderOf(phase: string | null, folders: PhaseFolders): string {
  const key = phaseKey(phase);
  if (key === null) return "other";
  return folders.get(key) ?? (/^\d+$/.test(key) ? key.padStart(2, "0") : isPhaseName(key) ? key : "other");
}

/** Lets through of each row as many as were said, or as many as were imported, whichever are more. */
function newRowFilter() {
  const counts = new Map<string, { said: number; imported: number }>();
  return function* fresh(how: "said" | "imported", row: PhaseRow): Generator<Result<PhaseRow, Problem>, void> {
    const key = `${row.file}\n${row.line}`;
    const count = counts.get(key) ?? { said: 0, imported: 0 };
    counts.set(key, count);
    const before = Math.max(count.said, count.imported);
    count[how] += 1;
    if (count[how] > before) yield ok(row);
  };
}

/*
 * What a message says as rows of a file in its phase's folder, with the short keys that yolo's tools write there. Where
 * a message only counts (a critique, a test plan, an audit), its row is the one that sums such a file up; findings,
 * changes and failures that it spells out are separate rows behind it. Pure: the caller decides where the rows go.
 *
 *   r result   f ln file and line   sev severity   cat category   sug suggestion   q query   conf confidence   dt date
 *   c check    ev evidence          ps fl tt passed, failed, total            dept department
 *
 * Source: tests/requirements/yolo-1.tsv, the artifacts of its messages.
 */

/** A file in a phase's folder, and lines without line breaks. */
interface PhaseLines {
  readonly file: string;
  readonly lines: readonly string[];
}

/**
 * The rows of a message; null: messages of its kind have none. `date`: when it was said, RFC 3339. `department`: whose
 * part of the phase it is about; null where there is only one.
 */
function phaseLines(
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
    rows: ({ decisions, risks }) => [...objectsIn(decisions), ...objectsIn(risks)],
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
      objectsIn(changes).map(({ fix, ...row }) => ({ plan: planId, cycle, ...row, sug: fix })),
  },
  verdict: {
    file: "verification.jsonl",
    rows: ({ tier, result, checks, failures }) => {
      const { passed: ps, failed: fl, total: tt } = objectIn(checks);
      return [
        { tier, r: result, ps, fl, tt },
        ...objectsIn(failures).map(({ check, evidence, ...row }) => ({ c: check, r: "FAIL", ev: evidence, ...row })),
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
      objectsIn(findings).map(({ query, confidence, ...row }) => ({ q: query, ...row, conf: confidence, domain })),
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
function objectsIn(value: Json | undefined): readonly JsonObject[] {
  if (isJsonList(value ?? null)) return (value as readonly Json[]).filter(isJsonObject); // a list
  return isJsonObject(value ?? null) ? [value as JsonObject] : []; // an object
}

function objectIn(value: Json | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}

function said(row: Row): JsonObject {
  return Object.fromEntries(Object.entries(row).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}
