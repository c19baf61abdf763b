/** What a terminal shows of a plan's summary. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { paintFor } from "../../doors/cli/terminal/output.ts";
import type { PlanReport } from "../../tasks/operations/task-shapes.ts";
import { summaryText } from "./summary.ts";

const hostile = "\u001b[31m\u202e\nnew line";
const report: PlanReport = {
  plan: "phase-01-plan-02",
  status: "partial",
  tasksCompleted: 1,
  tasksTotal: 2,
  commitHashes: ["abc1234", "def5678"],
  filesModified: ["src/a.ts"],
  deviations: [hostile],
  objective: "Sessions have names",
  built: ["Names"],
  evidence: [],
  unproven: ["A migration"],
  unverified: [],
  noted: ["1-2-T1: the same content was on another branch\n"],
  disputed: [],
  gone: [],
  disputedArtifacts: [],
  seq: null,
  date: "2026-02-12T10:00:00.000Z",
};

test("a summary says how far the plan is, leaves out empty parts, and no agent's words act on the terminal", () => {
  assert.equal(
    summaryText(report, paintFor(false)),
    `plan phase-01-plan-02  partial, 1 of 2 tasks, not recorded yet
  objective   Sessions have names
  built       Names
  commits     abc1234, def5678
  files       src/a.ts
  deviations  \u241b[31m<U+202E>\u240anew line
  unproven    A migration
  note        1-2-T1: the same content was on another branch\u240a`,
  );
  assert.match(summaryText({ ...report, seq: 17 }, paintFor(true)), /\u001b\[33mpartial.*recorded as entry 17/);
});
