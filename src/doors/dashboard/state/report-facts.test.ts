/** A timeline shows of each report what became of it since the line was read. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { reportFacts, reportNow } from "./report-facts.ts";

const facts = reportFacts([
  { report: null, verdict: null },
  { report: 3, verdict: "disputed" },
  { report: 5, verdict: null },
  { report: 7, verdict: "verified" },
  { report: 7, verdict: "stale" },
  { report: 9, verdict: "awaited" },
]);
const cases = [
  ["no report", { seq: 2, report: null }, null],
  ["a later one is the last word", { seq: 2, report: "complete" }, "superseded"],
  ["a verdict came", { seq: 3, report: "complete" }, "disputed"],
  ["the last word, not judged", { seq: 5, report: "failed" }, "failed"],
  ["of several tasks the worst", { seq: 7, report: "complete" }, "stale"],
  ["waits for its verdict", { seq: 9, report: "complete" }, "complete"],
  ["it leaves an earlier one refuted", { seq: 3, report: "partial" }, "partial"],
  ["the answer does not know it yet", { seq: 12, report: "complete" }, "complete"],
] as const;

for (const [name, line, standing] of cases)
  test(`the current state of a report: ${name}`, () => assert.equal(reportNow(line, facts), standing));

test("where no task was reported, a line says what it said when it was read", () =>
  assert.equal(reportNow({ seq: 1, report: "failed" }, reportFacts([])), "failed"));
