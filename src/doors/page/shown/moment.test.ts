/** What is left of a time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { exactTime, shortTime, timeLeft, timeOfDay, utcTime } from "./moment.ts";

test("a time is written by the clock and the day, and what is no time says so", () => {
  const ms = new Date(2026, 1, 3, 4, 5, 6).getTime();
  assert.equal(timeOfDay(ms), "04:05:06");
  assert.match(exactTime(ms), /^3 Feb 2026, 04:05:06 \(2026-.*Z\)$/);
  assert.equal(timeOfDay(Number.NaN), "Invalid Date");
  assert.equal(shortTime(9e15, now), "Invalid Date");
  for (const none of [Number.NaN, Date.parse("soon"), 9e15, Number.POSITIVE_INFINITY]) {
    assert.equal(exactTime(none), "–");
    assert.equal(utcTime(none), "");
  }
});

const now = 1_770_000_000_000;
test("the time left is shown until it is over", () => {
  assert.equal(timeLeft(now + 150_000, now), "2 min");
  assert.equal(timeLeft(now + 1000, now), "5 s");
  assert.equal(timeLeft(now, now), null);
});

test("what was a few hours ago has a time of day also after midnight, and what was longer ago has a day", () => {
  const midnight = new Date(2026, 10, 24).getTime();
  assert.equal(shortTime(midnight - 300_000, midnight + 300_000), timeOfDay(midnight - 300_000));
  assert.equal(shortTime(midnight - 300_000, midnight + 13 * 3_600_000), "23 Nov");
});
