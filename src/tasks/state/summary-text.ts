/**
 * A plan's summary as a line of `summary.jsonl`. Pure: the caller decides where it goes.
 *
 *   p n t s dt      phase, plan, title, status, date
 *   tc tt ch fm dv  tasks complete and total, commit hashes, files modified, deviations
 *   built tst       what was built, and what shows that it works
 */
import { jsonLine } from "../../base/json.ts";
import { planKey } from "../../messages/task-ids.ts";
import type { PlanSummaryView } from "./plan-summary.ts";

/** A line of `summary.jsonl`, without the line break. `date`: the day it is of, RFC 3339. */
export function summaryLine(summary: PlanSummaryView, date: string): string {
  const numbers = /^(\d+)-(\d+)$/.exec(planKey(summary.plan));
  return jsonLine({
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
  });
}

function twoDigits(number: string | undefined): string {
  return (number ?? "").padStart(2, "0");
}
