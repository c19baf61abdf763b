/** The page and the hub agree on what a filter accepts, as far as a line alone says it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogLine } from "../../../operations/entries.ts";
import { everything, type Filter, isNarrowed, passes, queryOf } from "./timeline-entries.ts";

const line: LogLine = {
  seq: 7,
  epoch: 1,
  kind: "message",
  id: "a-1",
  dialect: "vbw/2",
  type: "qa_verdict",
  sender: "qa-1",
  receivers: ["lead-1"],
  recordedAt: "2026-02-12T10:00:00.000Z",
  task: "1-1-T1",
  fact: "verdict",
  report: null,
  outcome: null,
  thread: null,
  supersededBy: null,
  problem: null,
  summary: "pass",
};

const cases: readonly (readonly [Partial<Filter>, Partial<LogLine>, boolean | null])[] = [
  [{}, {}, true],
  [{}, { kind: "refusal" }, true],
  [{}, { kind: "ack" }, false],
  [{ view: "all" }, { kind: "ack" }, true],
  [{}, { kind: "refusal", sender: "owner" }, false],
  [{}, { kind: "command", fact: null, receivers: [] }, false],
  [{}, { kind: "command", fact: null }, true],
  [{}, { kind: "command", fact: "approval-response", sender: "owner" }, true],
  [{}, { kind: "team", fact: null }, false],
  [{}, { kind: "timer", fact: null, receivers: [] }, false],
  [{}, { kind: "timer", fact: "approval-response", sender: "baton" }, true],
  [{}, { kind: "epoch", fact: null }, true],
  [{ view: "all" }, { kind: "refusal", sender: "owner" }, true],
  [{ view: "refusals" }, { kind: "refusal", sender: "owner" }, false],
  [{ view: "refusals" }, {}, false],
  [{ view: "refusals" }, { kind: "refusal" }, true],
  [{ agent: "qa-1" }, {}, true],
  [{ agent: "lead-1" }, {}, true],
  [{ agent: "dev-1" }, {}, false],
  [{ type: "qa_verdict" }, {}, true],
  [{ type: "prose" }, {}, false],
  [{ task: "1-1" }, {}, false],
  [{ task: "1-1-T1" }, {}, true],
  [{ text: "pass" }, {}, null],
  [{ text: "pass", agent: "dev-1" }, {}, false],
];

for (const [filter, more, expected] of cases) {
  test(`${JSON.stringify(filter)} and ${JSON.stringify(more)}: ${expected ?? "the hub says"}`, () => {
    assert.equal(passes({ ...line, ...more }, { ...everything, ...filter }), expected);
  });
}

test("a query names only what is narrowed", () => {
  assert.deepEqual(queryOf({ ...everything, view: "refusals", text: "a&b" }), {
    view: "refusals",
    agent: undefined,
    type: undefined,
    task: undefined,
    text: "a&b",
  });
  assert.equal(isNarrowed({ ...everything, view: "refusals" }), false);
  assert.equal(isNarrowed({ ...everything, task: "1" }), true);
});
