import assert from "node:assert/strict";
import { test } from "node:test";
import { type PlanSummaryView, withoutEvidence } from "./plan-summary.ts";
import { compareSummaryLine, summaryLine, summaryLineKeys } from "./summary-text.ts";

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
  assert.deepEqual(Object.keys(read), [...summaryLineKeys]);
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

test("an agent's own line is compared with what was computed", () => {
  const own = (changes: { readonly [key: string]: unknown }) =>
    JSON.stringify({ ...(JSON.parse(summaryLine(summary, date)) as object), ...changes });
  const differing = (line: string) => {
    const compared = compareSummaryLine(summary, line);
    assert.ok(compared.ok);
    return compared.value.map(({ path }) => path);
  };
  assert.deepEqual(differing(own({})), []);
  // Title, date and words are the writer's own; order and length of hashes do not matter.
  const same = own({ t: "x", dt: "2020-01-01", built: [], tst: "", ch: ["90bd3e7aa", "4F2A9C1"], p: 3, n: "3-1" });
  assert.deepEqual(differing(same), []);
  assert.deepEqual(differing(own({ tc: 1, s: "partial" })), ["$.s", "$.tc"]);
  assert.deepEqual(differing(own({ ch: ["4f2a9c1"], fm: ["src/a.ts", "src/b.ts", "c"] })), ["$.ch", "$.fm"]);
  assert.deepEqual(differing(own({ dv: "none", n: "02" })), ["$.n", "$.dv"]);
  assert.deepEqual(differing("{}"), ["$.n", "$.s", "$.tc", "$.tt", "$.ch", "$.fm", "$.dv"]);
  for (const [line, code] of [
    ["[]", "not-an-object"],
    ["{", "not-json"],
  ] as const) {
    const refused = compareSummaryLine(summary, line);
    assert.equal(!refused.ok && refused.error.code, code);
  }
});

test("any evidence covers the must-haves, unless it names some of them", () => {
  const mustHaves = ["It greets", "It is fast"];
  assert.deepEqual(withoutEvidence(mustHaves, []), mustHaves);
  assert.deepEqual(withoutEvidence(mustHaves, ["  "]), mustHaves);
  assert.deepEqual(withoutEvidence(mustHaves, ["14 tests pass"]), []);
  assert.deepEqual(withoutEvidence(mustHaves, ["Seen that it greets"]), ["It is fast"]);
});
