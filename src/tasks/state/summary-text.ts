/**
 * A plan's summary as a line of `summary.jsonl`, and a line of that file compared with what was computed. Pure: the
 * caller decides where it goes.
 *
 *   p n t s dt      phase, plan, title, status, date
 *   tc tt ch fm dv  tasks complete and total, commit hashes, files modified, deviations
 *   built tst       what was built, and what shows that it works
 */
import { isJsonObject, type Json, type JsonObject, jsonLine, parseBounded } from "../../base/json.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { planKey } from "../../messages/task-ids.ts";
import type { PlanSummaryView } from "./plan-summary.ts";

/** Every key of a line, in its order. */
export const summaryLineKeys = ["p", "n", "t", "s", "dt", "tc", "tt", "ch", "fm", "dv", "built", "tst"] as const;

/** A line of `summary.jsonl`, without the line break. `date`: the day it is of, RFC 3339. */
export function summaryLine(summary: PlanSummaryView, date: string): string {
  return jsonLine(lineOf(summary, date));
}

/**
 * How a line that an agent wrote differs from what was computed: a `cross-field` for each key that says something else,
 * and for each that is missing. Commits are compared by their beginnings; title, date and words are the writer's own.
 * Refuses text that is no JSON object as `parseBounded` does, or with `not-an-object`.
 */
export function compareSummaryLine(summary: PlanSummaryView, line: string): Result<readonly Problem[], Problem> {
  const parsed = parseBounded(line);
  if (!parsed.ok) return parsed;
  const own: Json = parsed.value;
  if (!isJsonObject(own)) return err(makeProblem("not-an-object", "$", "A line of a summary is one JSON object."));
  const computed = lineOf(summary, "");
  return ok([
    ...(isSamePlan(own, summary) ? [] : [differs("n", computed.n ?? null, own.n)]),
    ...(["s", "tc", "tt"] as const).flatMap((key) =>
      own[key] === computed[key] ? [] : [differs(key, computed[key] ?? null, own[key])],
    ),
    ...(isSameList(own.ch, summary.commitHashes, isSameCommit) ? [] : [differs("ch", computed.ch ?? null, own.ch)]),
    ...(["fm", "dv"] as const).flatMap((key) =>
      isSameList(own[key], listsOf(summary)[key], (a, b) => a === b)
        ? []
        : [differs(key, computed[key] ?? null, own[key])],
    ),
  ]);
}

function lineOf(summary: PlanSummaryView, date: string): JsonObject {
  const numbers = /^(\d+)-(\d+)$/.exec(planKey(summary.plan));
  return {
    p: numbers === null ? "" : twoDigits(numbers[1]),
    n: numbers === null ? summary.plan : twoDigits(numbers[2]),
    t: summary.objective ?? summary.plan,
    s: summary.status,
    dt: date.slice(0, 10),
    tc: summary.tasksCompleted,
    tt: summary.tasksTotal,
    ch: [...summary.commitHashes],
    fm: [...summary.filesModified],
    dv: [...summary.deviations],
    built: [...summary.built],
    tst: summary.evidence.join("; "),
  };
}

function twoDigits(number: string | undefined): string {
  return (number ?? "").padStart(2, "0");
}

function listsOf({ filesModified, deviations }: PlanSummaryView) {
  return { fm: filesModified, dv: deviations } as const;
}

function isSamePlan(own: JsonObject, { plan }: PlanSummaryView): boolean {
  const { p, n } = own;
  const word = (value: Json | undefined) =>
    typeof value === "string" || typeof value === "number" ? String(value) : "";
  return [word(n), `${word(p)}-${word(n)}`, word(p)].some((id) => id !== "" && planKey(id) === planKey(plan));
}

/** Whether a list says the same in any order; one that is missing says that there is nothing. */
function isSameList(
  own: Json | undefined,
  computed: readonly string[],
  isSame: (a: string, b: string) => boolean,
): boolean {
  const values = own === undefined ? [] : own;
  if (!Array.isArray(values) || !values.every((each) => typeof each === "string")) return false;
  const has = (list: readonly string[], value: string) => list.some((each) => isSame(each, value));
  return computed.every((value) => has(values, value)) && values.every((value) => has(computed, value));
}

/** Commits are named by their first digits, seven or more. */
function isSameCommit(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length >= 7 && long.toLowerCase().startsWith(short.toLowerCase());
}

function differs(key: string, computed: Json, own: Json | undefined): Problem {
  return makeProblem("cross-field", `$.${key}`, `The summary's "${key}" is not what the reports add up to.`, {
    expected: JSON.stringify(computed).slice(0, 500),
    received: own === undefined ? "nothing" : JSON.stringify(own).slice(0, 500),
    hint: "`baton summary` prints the line as it is computed.",
  });
}
