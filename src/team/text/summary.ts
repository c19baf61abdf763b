/** `baton summary`: what became of a plan. */
import { decodeUtf8 } from "../../base/json.ts";
import { messageBytesMax } from "../../base/limits.ts";
import { inOrder, type Problem } from "../../base/problem.ts";
import { visible } from "../../base/text.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { readWhole } from "../../doors/cli/kernel/input.ts";
import { listed, withTeam } from "../../doors/cli/place/session.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { type Paint, toned } from "../../doors/cli/terminal/output.ts";
import type { PlanReport } from "../../tasks/operations/task-shapes.ts";
import { compareSummaryLine, summaryLine } from "../../tasks/state/summary-text.ts";

export const command: Command = {
  description:
    "Sums a plan up: commits, files and deviations of its tasks, each once, and which must-haves nobody gave evidence for. Once\n" +
    "all tasks are done it is recorded; before that it says how far the plan is. With --compare it says where an\n" +
    "agent's own line says something else (exit 2).",
  positionals: [{ name: "PLAN", argument: "plan", required: true, summary: "the plan's id, however it is spelled" }],
  options: [
    { name: "line", kind: "flag", summary: "the line of summary.jsonl, as other tools keep it" },
    {
      name: "compare",
      kind: "text",
      value: "FILE",
      summary: "a line of summary.jsonl that an agent wrote; - for standard input",
    },
  ],
  examples: [
    { line: "baton summary 1-1", meaning: "how plan 1-1 ended, or how far it is" },
    { line: "baton summary 1-1 --line >> summary.jsonl", meaning: "as other tools keep it" },
    { line: "tail -n 1 summary.jsonl | baton summary 1-1 --compare -", meaning: "whether the dev's own line is right" },
  ],
  next: "baton task list --plan PLAN shows the tasks one by one.",
  run: (call) =>
    withTeam(call, async (team) => {
      const found = await team.summary({ plan: call.given.word("PLAN") ?? "" });
      if (!found.ok) return call.output.fail(found.error);
      const written = call.given.text("compare");
      return written === undefined ? show(call, found.value) : await compare(call, found.value, written);
    }),
};

/** A line is JSON by nature, so it is the same with --json; of everything else --json is the value whole. */
function show({ given, output }: Call, report: PlanReport): ExitCode {
  if (given.flag("line")) output.raw(summaryLine(report, report.date));
  else output.result(report, () => summaryText(report, output.paint.stdout));
  return exitCodes.done;
}

async function compare(call: Call, report: PlanReport, written: string): Promise<ExitCode> {
  const { output } = call;
  const bytes = await readWhole(written, messageBytesMax, call.signal);
  if (!bytes.ok) return output.fail(bytes.error);
  const line = decodeUtf8(bytes.value);
  if (!line.ok) return output.fail(line.error);
  const compared = compareSummaryLine(report, line.value);
  const problems: readonly Problem[] = compared.ok ? inOrder(compared.value) : [compared.error];
  output.result({ plan: report.plan, same: problems.length === 0, problems }, () => null);
  if (problems.length === 0) output.say("The line says what the reports add up to.");
  output.problems(problems);
  return problems.length === 0 ? exitCodes.done : exitCodes.refused;
}

/* A plan's summary for a terminal. */

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
