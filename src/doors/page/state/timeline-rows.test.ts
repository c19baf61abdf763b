import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogLine } from "../../../record/operations/entries.ts";
import { noEntries } from "./timeline-entries.ts";
import { grownBy, rowOf, rowsOf, settled } from "./timeline-rows.ts";

const line = (seq: number, given: Partial<LogLine> = {}): LogLine => ({
  seq,
  epoch: 1,
  kind: "message",
  id: null,
  dialect: null,
  type: null,
  sender: "dev-1",
  receivers: ["lead-1"],
  recordedAt: "2026-02-12T10:00:00Z",
  task: null,
  fact: null,
  report: null,
  outcome: null,
  thread: null,
  supersededBy: null,
  problem: null,
  summary: "Hello",
  ...given,
});
const refusal = (seq: number, message: string) =>
  line(seq, { kind: "refusal", outcome: "refused", problem: { code: "claim-overlap", message } });
const shape = (lines: readonly LogLine[], opened: readonly number[] = [], apart = false) =>
  rowsOf(lines, new Set(opened), { apart }).map((row) => [row.line.seq, row.count, row.oldest.seq]);

test("neighbours that repeat each other are one row, messages of agents never are", () => {
  const lines = [
    line(9),
    line(8),
    refusal(7, "dev-2 holds a.ts"),
    refusal(6, "dev-2 holds a.ts"),
    refusal(5, "dev-2 holds b.ts"),
    line(4, { kind: "timer", summary: "ESC-1-T4 passed lead after 300 s" }),
    line(3, { kind: "timer", summary: "ESC-1-T3 passed lead after 300 s" }),
    line(2, { kind: "timer", summary: "ESC-1-T3 passed architect after 300 s" }),
  ];
  assert.deepEqual(shape(lines), [
    [9, 1, 9],
    [8, 1, 8],
    [7, 2, 6],
    [5, 1, 5],
    [4, 2, 3],
    [2, 1, 2],
  ]);
  assert.deepEqual(
    shape(lines, [], true).map(([seq]) => seq),
    lines.map(({ seq }) => seq),
  );
  assert.deepEqual(
    shape(lines, [7]).map(([seq]) => seq),
    [9, 8, 7, 6, 5, 4, 2],
  );
});

test("every entry is found in the row that stands for it, and no other", () => {
  const lines = [9, 7, 6, 5, 4, 2].map((seq) => (seq === 9 || seq === 2 ? line(seq) : refusal(seq, "same")));
  const closed = rowsOf(lines, new Set());
  assert.deepEqual(
    [9, 8, 7, 6, 5, 4, 3, 2, 1].map((seq) => rowOf(closed, seq)),
    [0, -1, 1, 1, 1, 1, -1, 2, -1],
  );
  const opened = rowsOf(lines, new Set([5]));
  assert.deepEqual(
    [9, 7, 6, 5, 4, 2].map((seq) => rowOf(opened, seq)),
    [0, 1, 2, 3, 4, 5],
  );
});

test("an answer says what has become of its request, and a report ends the one before with its verdict", () => {
  const request = line(2, { thread: 2, outcome: "open" });
  const report = line(3, { thread: 3, outcome: "reported", report: "complete", task: "1-T1" });
  const lines = [report, request];
  const verdict = line(4, { kind: "command", thread: 3, outcome: "disputed", task: "1-T1" });
  const denied = line(5, { thread: 2, outcome: "denied" });
  const after = settled(lines, [verdict, denied]);
  assert.deepEqual(
    after.map(({ seq, outcome }) => [seq, outcome]),
    [
      [3, "disputed"],
      [2, "denied"],
    ],
  );
  const again = line(6, { thread: 6, outcome: "reported", report: "complete", task: "1-T1" });
  assert.deepEqual(
    settled([denied, verdict, ...after], [again]).map(({ seq, outcome, supersededBy }) => [seq, outcome, supersededBy]),
    [
      [5, "denied", null],
      [4, "disputed", 6],
      [3, "disputed", 6],
      [2, "denied", null],
    ],
  );
  const confirmed = line(7, { kind: "command", thread: 6, outcome: "verified", task: "1-T1" });
  assert.deepEqual(
    settled([again, verdict, ...after], [confirmed]).map(({ seq, outcome, supersededBy }) => [
      seq,
      outcome,
      supersededBy,
    ]),
    [
      [6, "verified", null],
      [4, "repaired", 7],
      [3, "repaired", 6],
      [2, "denied", null],
    ],
  );
  assert.equal(settled(lines, [line(7)]), lines, "what says nothing of them leaves them");
});

test("a report that comes together with its verdict has it, and a later one is not repaired by an earlier verdict", () => {
  const report = line(3, { thread: 3, outcome: "reported", report: "complete", task: "1-T1" });
  const verdict = line(4, { kind: "command", thread: 3, outcome: "disputed", task: "1-T1" });
  const again = line(5, { thread: 5, outcome: "reported", report: "complete", task: "1-T1" });
  const confirmed = line(6, { kind: "command", thread: 5, outcome: "verified", task: "1-T1" });
  const worse = line(7, { thread: 7, outcome: "disputed", report: "complete", task: "1-T1" });
  const outcomes = (lines: readonly LogLine[]) => grownBy(noEntries, lines, lines).lines.map(({ outcome }) => outcome);
  assert.deepEqual(outcomes([report, verdict]), ["disputed", "disputed"]);
  assert.deepEqual(outcomes([report, verdict, again, confirmed]), ["verified", "verified", "repaired", "repaired"]);
  assert.deepEqual(outcomes([report, verdict, again, confirmed, worse])[0], "disputed");
  const { lines, looked } = grownBy({ ...noEntries, lines: [report], looked: 3 }, [verdict], []);
  assert.deepEqual([lines.map(({ outcome }) => outcome), looked], [["disputed"], 4], "what is not shown settles, too");
});
