/** A list of entries grows at both ends without gaps or doubles. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogLine } from "../../../operations/entries.ts";
import { type EntryList, listOf, placeOf, withNewer, withOlder, wordsWith } from "./timeline-entries.ts";

const line = (seq: number): LogLine => ({
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
const first = listOf({ entries: [line(9), line(8), line(6)], next: 6, head: 10 });

test("a first page says how far it looked, also past what it holds", () => {
  assert.deepEqual([seqs(first), first.older, first.looked], [[9, 8, 6], 6, 10]);
});

test("older pages go to the back, each line once", () => {
  const grown = withOlder(first, { entries: [line(6), line(5), line(2)], next: null, head: 12 });
  assert.deepEqual([seqs(grown), grown.older, grown.looked], [[9, 8, 6, 5, 2], null, 10]);
});

test("newer lines go to the front, turned round, each once", () => {
  const grown = withNewer(first, [line(9), line(11), line(12)], 13);
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
