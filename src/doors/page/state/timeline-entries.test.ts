/** The page and the hub agree on what a filter accepts, as far as a line alone says it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogLine } from "../../../record/operations/entries.ts";
import {
  type EntryList,
  everything,
  type Filter,
  isNarrowed,
  listOf,
  passes,
  placeOf,
  queryOf,
  trimmed,
  withAgain,
  withNewer,
  withOlder,
  wordsWith,
} from "./timeline-entries.ts";

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
  [{ outcome: "disputed" }, { outcome: "disputed" }, true],
  [{ outcome: "disputed" }, { outcome: "reported" }, false],
  [{ outcome: "disputed" }, {}, false],
  [{ from: "2000-01-01T00:00:00.000Z" }, {}, true],
  [{ to: "2000-01-01T00:00:00.000Z" }, {}, false],
  [{ text: "pass" }, {}, null],
  [{ text: "pass", agent: "dev-1" }, {}, false],
];

for (const [filter, more, expected] of cases) {
  test(`${JSON.stringify(filter)} and ${JSON.stringify(more)}: ${expected ?? "the hub says"}`, () => {
    assert.equal(passes({ ...line, ...more }, { ...everything, ...filter }), expected);
  });
}

test("a query names only what is narrowed", () => {
  const from = "2026-01-02T03:04:05.000Z";
  assert.deepEqual(queryOf({ ...everything, view: "refusals", text: "a&b", from }), {
    view: "refusals",
    agent: undefined,
    type: undefined,
    task: undefined,
    outcome: undefined,
    text: "a&b",
    since: from,
    until: undefined,
  });
  assert.equal(isNarrowed({ ...everything, view: "refusals" }), false);
  assert.equal(isNarrowed({ ...everything, task: "1" }), true);
});

/* A list of entries grows at both ends without gaps or doubles. */

const lineAt = (seq: number): LogLine => ({
  seq,
  epoch: 1,
  kind: "message",
  id: null,
  dialect: null,
  type: seq % 2 === 0 ? "even" : null,
  sender: "dev-1",
  receivers: [],
  recordedAt: "2026-02-12T10:00:00.000Z",
  task: null,
  fact: null,
  report: null,
  outcome: null,
  thread: null,
  supersededBy: null,
  problem: null,
  summary: "",
});
const seqs = (list: EntryList) => list.lines.map(({ seq }) => seq);
const first = listOf({ entries: [lineAt(9), lineAt(8), lineAt(6)], next: 6, head: 10 });

test("a first page says how far it looked, also past what it holds", () => {
  assert.deepEqual([seqs(first), first.older, first.looked], [[9, 8, 6], 6, 10]);
});

test("older pages go to the back, each lineAt once", () => {
  const grown = withOlder(first, { entries: [lineAt(6), lineAt(5), lineAt(2)], next: null, head: 12 });
  assert.deepEqual([seqs(grown), grown.older, grown.looked], [[9, 8, 6, 5, 2], null, 10]);
});

test("the newest part again takes the place of what it was, and what is older stays", () => {
  const list = { ...first, lines: [...first.lines, lineAt(4), lineAt(2)], older: 2 };
  const again = withAgain(list, { entries: [lineAt(12), lineAt(9), lineAt(7)], next: 6, head: 12 });
  assert.deepEqual([seqs(again), again.older, again.looked], [[12, 9, 7, 4, 2], 2, 12]);
  const whole = withAgain(list, { entries: [lineAt(12), lineAt(2)], next: null, head: 12 });
  assert.deepEqual([seqs(whole), whole.older], [[12, 2], null]);
});

test("a long list loses its oldest lines, which begin where the next page does", () => {
  assert.equal(trimmed(first, 3), first);
  const short = trimmed({ ...first, older: null }, 2);
  assert.deepEqual([seqs(short), short.older, short.looked], [[9, 8], 8, 10]);
  const again = withOlder(short, { entries: [lineAt(6)], next: null, head: 10 });
  assert.deepEqual([seqs(again), again.older], [[9, 8, 6], null]);
});

test("newer lines go to the front, turned round, each once", () => {
  const grown = withNewer(first, [lineAt(9), lineAt(11), lineAt(12)], 13);
  assert.deepEqual([seqs(grown), grown.older, grown.looked], [[12, 11, 9, 8, 6], 6, 13]);
  assert.equal(withNewer(grown, [], 5), grown, "nothing new is the same list");
});

test("a place is found by its seq, also where seqs are missing", () => {
  assert.deepEqual(
    [9, 8, 7, 6, 1, 99].map((seq) => placeOf(first.lines, seq)),
    [0, 1, -1, 2, -1, -1],
  );
  assert.equal(placeOf([], 1), -1);
});

test("words are gathered sorted and once", () => {
  const known = wordsWith(["odd"], first.lines, ({ type }) => type);
  assert.deepEqual(known, ["even", "odd"]);
  assert.equal(
    wordsWith(known, first.lines, ({ type }) => type),
    known,
  );
});
