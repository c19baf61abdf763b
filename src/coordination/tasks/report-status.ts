/**
 * The state of a report among what was said of its task and found in the repository. Pure, and fit for a browser.
 * Source: docs/protocol/reading-the-record.md, section 6.
 */
import type { Report, Verdict, Work } from "./task-state.ts";

/**
 * What it says, or what became of it. `superseded`: it is no longer the last word on its task. The worst comes first: an
 * entry that reports several tasks is shown as its worst.
 */
export const reportStatuses = ["disputed", "stale", "failed", "partial", "superseded", "complete", "verified"] as const;

export type ReportStatus = (typeof reportStatuses)[number];

/** A report of an entry: key of its task, and what it says. */
export interface Reported {
  readonly key: string;
  readonly status: Report["status"];
}

/** The state of the reports that the entry `seq` made. Null: it made none. */
export function reportStatusOf(work: Work, seq: number, reports: readonly Reported[]): ReportStatus | null {
  return worstOf(
    reports.map(({ key, status }) => {
      const task = work.tasks.get(key);
      if (task?.report?.seq !== seq) return "superseded";
      // A report that leaves an earlier completion refuted is not itself refuted.
      return status === "complete" ? (task.verdict?.state ?? status) : status;
    }),
  );
}

/** The worst of them; null: there is none. */
export function worstOf(standings: readonly (ReportStatus | Verdict["state"])[]): ReportStatus | null {
  return reportStatuses.find((each) => standings.includes(each)) ?? null;
}

/** The word for a report that is not valid, or no longer; null: none is shown. */
export function invalidStateOf(report: ReportStatus | null): "disputed" | "stale" | "failed" | "superseded" | null {
  return report === "disputed" || report === "stale" || report === "failed" || report === "superseded" ? report : null;
}
