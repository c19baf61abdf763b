import assert from "node:assert/strict";
import { test } from "node:test";
import { axisOf, longPauses } from "./time-axis.ts";

const [minute, hour] = [60_000, 3_600_000];
const work = (from: number, count = 11) => Array.from({ length: count }, (_, at) => from + at * minute);

test("a pause that outweighs the rest is left out, also next to others as long, and short ones stay", () => {
  const night = Float64Array.from([...work(0), ...work(10 * hour), ...work(20 * hour)]);
  assert.deepEqual(longPauses(night), [
    { from: 10 * minute, to: 10 * hour },
    { from: 10 * hour + 10 * minute, to: 20 * hour },
  ]);
  assert.deepEqual(longPauses(Float64Array.from(work(0))), [], "a steady record has none");
  assert.deepEqual(longPauses(Float64Array.from([...work(0), 12 * minute])), [], "and a short one is drawn as it is");
  assert.deepEqual(longPauses(Float64Array.from([0, 1_000, 59_000])), [], "nor is what is over in a minute");
  assert.deepEqual(longPauses(new Float64Array()), []);
});

test("drawn time leads back to the record's, before, within and after a pause", () => {
  const times = Float64Array.from([...work(0), ...work(10 * hour)]);
  const axis = axisOf(longPauses(times), { from: times[0] ?? 0, to: times.at(-1) ?? 0 });
  const [pause] = axis.pauses;
  assert.ok(pause !== undefined);
  for (const time of [-hour, 0, 10 * minute, 3 * hour, 10 * hour, 10 * hour + 5 * minute, 30 * hour])
    assert.ok(Math.abs(axis.timeOf(axis.drawnOf(time)) - time) < 1, String(time));
  assert.equal(axis.drawnOf(5 * minute), 5 * minute);
  assert.ok(pause.drawn.to - pause.drawn.from < minute, "it is narrow");
  assert.equal(axis.drawnOf(10 * hour + minute) - axis.drawnOf(10 * hour), minute, "and work is as wide as it was");
});

test("where every entry comes long after the one before, none of that is a pause", () => {
  assert.deepEqual(longPauses(Float64Array.from([0, hour])), []);
  assert.deepEqual(longPauses(Float64Array.from([0, ...work(hour, 40), 41 * minute + hour, 41 * minute + hour + 1])), [
    { from: 0, to: hour },
  ]);
});

test("times at one moment on both sides of a pause are still drawn apart", () => {
  const times = Float64Array.from([0, 0, 0, hour, hour, hour]);
  const axis = axisOf(longPauses(times), { from: times[0] ?? 0, to: times.at(-1) ?? 0 });
  assert.equal(axis.pauses.length, 1);
  assert.ok(axis.drawnOf(hour) > axis.drawnOf(0));
});
