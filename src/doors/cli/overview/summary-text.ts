/** A plan's summary for a terminal. Its other forms are `coordination/tasks/summary-form.ts`. */
import { visible } from "../../../base/text.ts";
import type { PlanReport } from "../../../operations/task-shapes.ts";
import { listed } from "../place/session.ts";
import type { Paint } from "../terminal/paint.ts";

/** The plan with its standing, and a line for each list that is not empty. */
export function summaryText(report: PlanReport, paint: Paint): string {
  const tone = { complete: paint.good, partial: paint.warn, failed: paint.bad }[report.status];
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["built", report.built],
    ["commits", report.commitHashes],
    ["files", report.filesModified],
    ["deviations", report.deviations],
    ["evidence", report.evidence],
    ["unproven", report.unproven],
    ["unverified", report.unverified],
    ["disputed", [...report.disputed, ...report.disputedArtifacts]],
    ["stale", report.stale],
  ];
  const standing = report.seq === null ? "as it stands" : `recorded as entry ${report.seq}`;
  return [
    `${paint.strong(`plan ${visible(report.plan)}`)}  ${tone(report.status)}, ${report.tasksCompleted} of ${report.tasksTotal} tasks, ${standing}`,
    ...(report.objective === null ? [] : [`  objective   ${visible(report.objective)}`]),
    ...rows
      .filter(([, entries]) => entries.length > 0)
      .map(([name, entries]) => `  ${name.padEnd(10)}  ${listed(entries)}`),
  ].join("\n");
}
