/**
 * The state of reports, from the last answer about the tasks: a loaded timeline uses it to show what happened to them
 * since. Pure.
 */
import type { TaskView } from "../../../coordination/tasks/board.ts";
import { type ReportStanding, worstOf } from "../../../coordination/tasks/report-status.ts";
import type { LogLine } from "../../../operations/entries.ts";

/** The reports that are the last word on their tasks. */
export interface ReportFacts {
  /** What was found of them, by the seq of their entry; empty: nothing yet. */
  readonly found: ReadonlyMap<number, readonly ReportStanding[]>;
  /** The newest of them. Of a later one the answer does not know yet. */
  readonly newest: number;
}

export function reportFacts(tasks: readonly Pick<TaskView, "report" | "verdict">[]): ReportFacts {
  const found = new Map<number, ReportStanding[]>();
  let newest = 0;
  for (const { report, verdict } of tasks) {
    if (report === null) continue;
    const known = found.get(report) ?? [];
    if (verdict === "verified" || verdict === "disputed" || verdict === "stale") known.push(verdict);
    found.set(report, known);
    newest = Math.max(newest, report);
  }
  return { found, newest };
}

/** The current state of a line's report; null: it makes none. */
export function reportNow({ seq, report }: Pick<LogLine, "seq" | "report">, facts: ReportFacts): ReportStanding | null {
  if (report === null) return null;
  const found = facts.found.get(seq);
  if (found === undefined) return seq < facts.newest ? "superseded" : report;
  // A verdict on a task whose last word is not that it is done is about an earlier report.
  return report === "partial" || report === "failed" ? report : (worstOf(found) ?? report);
}
