/**
 * The rows of a JSONL artifact. A row may sum up those of its plan, or all; every other row is an entry: a finding, a
 * check. No document says what a row is, so nothing of an entry is read but the plan that it names.
 */
import { isJsonObject, type JsonObject, parseBounded } from "../../base/json.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";

/** Most rows of an artifact. */
const rowsMax = 100_000;

/** What a row of an artifact's own sum is known by, and what an entry is. */
const sumKeys = [
  "r",
  "result",
  "tier",
  "findings",
  "findings_count",
  "tt",
  "total",
  "ps",
  "cycle",
  "plan",
  "plan_id",
  "lint",
];
const entryKeys =
  "id sev severity f file issue finding q query c check name title desc description tf test_file task task_id".split(
    " ",
  );

/** The rows of a JSONL document, or `artifact-unreadable` with the line in error. */
export function readRows(text: string, path: string): Result<readonly JsonObject[], Problem> {
  const rows: JsonObject[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const row = parseBounded(line);
    if (!row.ok || !isJsonObject(row.value)) return err(badRow(path, index + 1, row.ok ? null : row.error));
    if (rows.length >= rowsMax) return err(tooManyRows(path));
    rows.push(row.value);
  }
  return ok(rows);
}

/** Whether a row sums others up. */
export function isSum(row: JsonObject): boolean {
  return sumKeys.some((key) => Object.hasOwn(row, key)) && !entryKeys.some((key) => Object.hasOwn(row, key));
}

/** The plan that an entry names; null: it names none. */
export function planIn(row: JsonObject): string | null {
  const value = row.plan ?? row.plan_id ?? row.planId;
  return typeof value === "string" && value !== "" ? value : null;
}

function badRow(path: string, line: number, cause: Problem | null): Problem {
  const reason = cause === null ? "it is no JSON object" : cause.message;
  return makeProblem("artifact-unreadable", path, `Line ${line} of the artifact cannot be read: ${reason}`, {
    expected: "one JSON object a line",
    hint: "Write the artifact again, one object a line, and commit it.",
  });
}

function tooManyRows(path: string): Problem {
  return makeProblem("artifact-unreadable", path, `The artifact has more than ${rowsMax} rows.`);
}
