import assert from "node:assert/strict";
import { test } from "node:test";
import { type PlanSummaryView, withoutEvidence } from "./plan-summary.ts";
import { summaryLine } from "./summary-text.ts";

const summary: PlanSummaryView = {
  plan: "phase-3-plan-1",
  status: "complete",
  tasksCompleted: 2,
  tasksTotal: 2,
  commitHashes: ["4f2a9c1", "90bd3e7"],
  filesModified: ["src/a.ts", "src/b.ts"],
  deviations: ["Later than planned"],
  objective: "Greet\npeople by <b>name</b>",
  built: ["Greeting", "T2"],
  evidence: ["14 tests pass", "Seen by hand"],
  unproven: [],
  unverified: [],
  noted: [],
  disputed: [],
  gone: [],
  disputedArtifacts: [],
  seq: 17,
};
const date = "2026-02-12T10:00:00.000Z";

test("a summary is one line with the keys that today's files have", () => {
  const line = summaryLine(summary, date);
  assert.ok(!line.includes("\n"));
  const read = JSON.parse(line) as { readonly [key: string]: unknown };
  assert.deepEqual(read, {
    p: "03",
    n: "01",
    t: "Greet\npeople by <b>name</b>",
    s: "complete",
    dt: "2026-02-12",
    tc: 2,
    tt: 2,
    ch: ["4f2a9c1", "90bd3e7"],
    fm: ["src/a.ts", "src/b.ts"],
    dv: ["Later than planned"],
    built: ["Greeting", "T2"],
    tst: "14 tests pass; Seen by hand",
  });
});

test("any evidence covers the must-haves, unless it names some of them", () => {
  const mustHaves = ["It greets", "It is fast"];
  assert.deepEqual(withoutEvidence(mustHaves, []), mustHaves);
  assert.deepEqual(withoutEvidence(mustHaves, ["  "]), mustHaves);
  assert.deepEqual(withoutEvidence(mustHaves, ["14 tests pass"]), []);
  assert.deepEqual(withoutEvidence(mustHaves, ["Seen that it greets"]), ["It is fast"]);
});
