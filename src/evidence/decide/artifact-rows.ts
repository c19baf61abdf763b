/**
 * The rows of a JSONL artifact, and what they add up to. An artifact may open with one row that sums it up; every other
 * row is an entry: a finding, a check, a task with tests. Agents shorten the keys of rows (`sev`, `r`, `tc`), so each is
 * looked for under its usual names.
 */
import { isJsonObject, type Json, type JsonObject, parseBounded } from "../../base/json.ts";
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

/** The entries of a JSONL document, or `artifact-unreadable` with the line in error. */
export function readEntries(text: string, path: string): Result<readonly JsonObject[], Problem> {
  const rows: JsonObject[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const row = parseBounded(line);
    if (!row.ok || !isJsonObject(row.value)) return err(badRow(path, index + 1, row.ok ? null : row.error));
    if (rows.length >= rowsMax) return err(tooManyRows(path));
    rows.push(row.value);
  }
  const [first] = rows;
  return ok(first !== undefined && isSum(first) ? rows.slice(1) : rows);
}

function isSum(row: JsonObject): boolean {
  return sumKeys.some((key) => Object.hasOwn(row, key)) && !entryKeys.some((key) => Object.hasOwn(row, key));
}

/** The first of the row's fields under one of `names`. */
function fieldOf(row: JsonObject, names: readonly string[]): Json | undefined {
  const name = names.find((each) => Object.hasOwn(row, each));
  return name === undefined ? undefined : row[name];
}

/** The plan that an entry names; null: it names none. */
export function planIn(row: JsonObject): string | null {
  const value = fieldOf(row, ["plan", "plan_id", "planId"]);
  return typeof value === "string" && value !== "" ? value : null;
}

/** How grave an entry says it is, in small letters; "": it does not say. */
export function severityOf(row: JsonObject): string {
  const value = fieldOf(row, ["sev", "severity", "level", "impact", "priority"]);
  return typeof value === "string" ? value.toLowerCase() : "";
}

/** How a check ended. */
export function outcomeOf(row: JsonObject): "passed" | "failed" | "other" {
  const value = fieldOf(row, ["r", "result", "status", "st", "passed", "pass"]);
  if (value === true) return "passed";
  if (value === false) return "failed";
  const word = typeof value === "string" ? value.toLowerCase() : "";
  if (["pass", "passed", "ok", "success"].includes(word)) return "passed";
  return ["fail", "failed", "error", "failure"].includes(word) ? "failed" : "other";
}

/** How many tests an entry of a test plan counts; null: it does not say. */
export function testsOf(row: JsonObject): number | null {
  const value = fieldOf(row, ["tc", "test_count", "tests", "total_tests", "count"]);
  if (typeof value === "number") return value;
  return Array.isArray(value) ? value.length : null;
}

/** Whether an entry of a test plan says that one of its tests does not fail yet. */
export function isGreen(row: JsonObject): boolean {
  return fieldOf(row, ["red", "all_red", "is_red"]) === false;
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
