/** `baton summary`: what became of a plan. */
import { visible } from "../../base/text.ts";
import type { Command } from "../../doors/cli/kernel/command.ts";
import { listed, withTeam } from "../../doors/cli/place/session.ts";
import { exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { type Paint, toned } from "../../doors/cli/terminal/output.ts";
import type { PlanReport } from "../../tasks/operations/task-shapes.ts";
import { summaryLine } from "../../tasks/state/summary-text.ts";

export const command: Command = {
  description:
    "Sums a plan up: commits, files and deviations of its tasks, each once, and which must-haves nobody gave evidence for. Once\n" +
    "all tasks are done it is recorded; before that it says how far the plan is.",
  positionals: [{ name: "PLAN", argument: "plan", required: true, summary: "the plan's id, however it is spelled" }],
  options: [{ name: "line", kind: "flag", summary: "the line of summary.jsonl, as other tools keep it" }],
  examples: [
    { line: "baton summary 1-1", meaning: "how plan 1-1 ended, or how far it is" },
    { line: "baton summary 1-1 --line >> summary.jsonl", meaning: "as other tools keep it" },
  ],
  next: "baton task list --plan PLAN shows the tasks one by one.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { given, output } = call;
      const found = await team.summary({ plan: given.word("PLAN") ?? "" });
      if (!found.ok) return output.fail(found.error);
      // A line is JSON by nature, so it is the same with --json.
      if (given.flag("line")) output.raw(summaryLine(found.value, found.value.date));
      else output.result(found.value, () => summaryText(found.value, output.paint.stdout));
      return exitCodes.done;
    }),
};

/** The plan with its state, and a line for each list that is not empty. */
export function summaryText(report: PlanReport, paint: Paint): string {
  const status = toned(paint, { complete: "good", partial: "warn", failed: "bad" }, report.status);
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["built", report.built],
    ["commits", report.commitHashes],
    ["files", report.filesModified],
    ["deviations", report.deviations],
    ["evidence", report.evidence],
    ["unproven", report.unproven],
    ["unverified", report.unverified],
    ["disputed", [...report.disputed, ...report.disputedArtifacts]],
    ["gone", report.gone],
  ];
  // A note is a sentence, so each has its own line.
  const notes = report.noted.map((each) => `  ${"note".padEnd(10)}  ${visible(each)}`);
  const place = report.seq === null ? "not recorded yet" : `recorded as entry ${report.seq}`;
  return [
    `${paint.strong(`plan ${visible(report.plan)}`)}  ${status}, ${report.tasksCompleted} of ${report.tasksTotal} tasks, ${place}`,
    ...(report.objective === null ? [] : [`  objective   ${visible(report.objective)}`]),
    ...rows
      .filter(([, entries]) => entries.length > 0)
      .map(([name, entries]) => `  ${name.padEnd(10)}  ${listed(entries)}`),
    ...notes,
  ].join("\n");
}
