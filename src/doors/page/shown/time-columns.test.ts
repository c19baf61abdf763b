import assert from "node:assert/strict";
import { test } from "node:test";
import { columnsOf, countedPauses } from "./time-columns.ts";

const minute = 60_000;
/** Parts of a minute, of which those in the list have something. */
const parts = (count: number, busy: (at: number) => boolean) => ({
  starts: Array.from({ length: count }, (_, at) => at * minute),
  counts: Array.from({ length: count }, (_, at) => Number(busy(at))),
});

test("a long pause has no columns, and the column behind it says how long it was", () => {
  const { starts, counts } = parts(320, (at) => at < 10 || at >= 310);
  const pauses = countedPauses(starts, counts);
  assert.deepEqual(pauses, [{ from: 10 * minute, to: 310 * minute }]);
  const columns = columnsOf(starts, pauses, 60);
  assert.equal(columns.length, 20);
  assert.deepEqual(columns[9], { from: 9, to: 10, pause: null });
  assert.deepEqual(columns[10], { from: 310, to: 311, pause: pauses[0] });
});

test("too many columns are joined, and none reaches over a pause", () => {
  const { starts, counts } = parts(490, (at) => at < 45 || at >= 445);
  const columns = columnsOf(starts, countedPauses(starts, counts), 20);
  assert.deepEqual(
    columns.map(({ from, to }) => to - from),
    [...Array.from({ length: 9 }, () => 5), ...Array.from({ length: 9 }, () => 5)],
  );
  assert.equal(columns[9]?.from, 445);
});

test("a steady record has a column for every part, as has one in which nothing happened", () => {
  const steady = parts(30, (at) => at % 3 > 0);
  assert.deepEqual(countedPauses(steady.starts, steady.counts), []);
  assert.equal(columnsOf(steady.starts, [], 60).length, 30);
  const empty = parts(3, () => false);
  assert.deepEqual(countedPauses(empty.starts, empty.counts), []);
  assert.deepEqual(columnsOf([], [], 60), []);
});

test("the more is counted in a part, the less a pause next to it is how the team works", () => {
  const { starts } = parts(302, () => false);
  const counts = (each: number) => starts.map((_, at) => (at === 0 || at === 301 ? each : 0));
  assert.equal(countedPauses(starts, counts(1)).length, 0, "one entry before and one behind it");
  assert.equal(countedPauses(starts, counts(9)).length, 1);
});
