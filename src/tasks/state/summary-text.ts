/**
 * A plan's summary as text: a line of `summary.jsonl`, and Markdown for people. Pure: the caller decides where it goes.
 *
 *   p n t s dt      phase, plan, title, status, date
 *   tc tt ch fm dv  tasks complete and total, commit hashes, files modified, deviations
 *   built tst       what was built, and what shows that it works
 */
import { type JsonObject, jsonLine } from "../../base/json.ts";
import { markdownText } from "../../base/text.ts";
import { planKey } from "../../messages/task-ids.ts";
import type { PlanSummaryView } from "./plan-summary.ts";

/** Every key of a line, in its order. */
export const summaryLineKeys = ["p", "n", "t", "s", "dt", "tc", "tt", "ch", "fm", "dv", "built", "tst"] as const;

/** A line of `summary.jsonl`, without the line break. `date`: the day it is of, RFC 3339. */
export function summaryLine(summary: PlanSummaryView, date: string): string {
  return jsonLine(lineOf(summary, date));
}

/** The summary for people. Agents' words are fenced off from the page's own by escaping. */
export function summaryMarkdown(summary: PlanSummaryView, date: string): string {
  const { plan, objective, status, tasksCompleted, tasksTotal } = summary;
  const title = objective === null ? "" : `: ${markdownText(objective)}`;
  return [
    `# Plan ${markdownText(plan)}${title}`,
    "",
    `${status}, ${tasksCompleted} of ${tasksTotal} tasks done, ${date.slice(0, 10)}`,
    ...section("Built", summary.built),
    ...section("Commits", summary.commitHashes),
    ...section("Files", summary.filesModified),
    ...section("Deviations", summary.deviations),
    ...section("Evidence", summary.evidence),
    ...section("Must-haves without evidence", summary.unproven),
    ...section("Not verified", summary.unverified),
    ...section("Notes on verified work", summary.noted),
    ...section("Disputed", [...summary.disputed, ...summary.disputedArtifacts]),
    ...section("Gone", summary.gone),
    "",
  ].join("\n");
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

function section(title: string, entries: readonly string[]): readonly string[] {
  return entries.length === 0 ? [] : ["", `## ${title}`, "", ...entries.map((entry) => `- ${markdownText(entry)}`)];
}
