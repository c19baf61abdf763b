/** `baton summary`: what became of a plan. */
import { jsonLine } from "../../base/json.ts";
import { visible, visibleLines } from "../../base/text.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { choiceIfGiven } from "../../doors/cli/kernel/time-argument.ts";
import { listed, withTeam } from "../../doors/cli/place/session.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { type Paint, toned } from "../../doors/cli/terminal/output.ts";
import type { PlanReport } from "../../tasks/operations/task-shapes.ts";
import { summaryLine, summaryMarkdown } from "../../tasks/state/summary-text.ts";

const formats = ["line", "markdown", "json"] as const;

export const command: Command = {
  description:
    "Sums a plan up: commits, files and deviations of its tasks, each once, and which must-haves nobody gave evidence for. Once\n" +
    "all tasks are done it is recorded; before that it says how far the plan is.",
  positionals: [{ name: "PLAN", argument: "plan", required: true, summary: "the plan's id, however it is spelled" }],
  options: [
    {
      name: "format",
      kind: "text",
      value: "FORMAT",
      choices: formats,
      summary: "line for summary.jsonl, markdown for a page, json for everything; default words for people",
    },
  ],
  examples: [
    { line: "baton summary 1-1", meaning: "how plan 1-1 ended, or how far it is" },
    { line: "baton summary 1-1 --format line >> summary.jsonl", meaning: "as other tools keep it" },
  ],
  next: "baton task list --plan PLAN shows the tasks one by one.",
  run: (call) =>
    withTeam(call, async (team) => {
      const found = await team.summary({ plan: call.given.word("PLAN") ?? "" });
      if (!found.ok) return call.output.fail(found.error);
      return show(call, found.value);
    }),
};

/** A line is JSON by nature, so it is the same with --json; of everything else --json is the value whole. */
function show({ given, output }: Call, report: PlanReport): ExitCode {
  const format = choiceIfGiven(given.text("format"), formats);
  if (format === "line") output.raw(summaryLine(report, report.date));
  else if (format === "json") output.raw(jsonLine(report));
  else if (format === "markdown" && !output.json)
    output.raw(visibleLines(summaryMarkdown(report, report.date)).trimEnd());
  else output.result(report, () => summaryText(report, output.paint.stdout));
  return exitCodes.done;
}

/* A plan's summary for a terminal. Its other forms are `tasks/state/summary-text.ts`. */

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
