/** What is left of a time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { dayHead, dayStart, localInput, rangeWords, timeNamed } from "./day-words.ts";
import { exactTime, minuteTime, shortTime, timeLeft, timeOfDay, timesOfPart, utcTime } from "./moment.ts";

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

test("what was a few hours ago has a time of day also after midnight, and what was longer ago has its day too", () => {
  const midnight = new Date(2026, 10, 24).getTime();
  assert.equal(shortTime(midnight - 300_000, midnight + 300_000), timeOfDay(midnight - 300_000));
  assert.equal(shortTime(midnight - 300_000, midnight + 13 * 3_600_000), "23 Nov 23:55");
  assert.equal(minuteTime(midnight - 300_000, midnight), "23:55");
  assert.equal(minuteTime(midnight - 300_000, midnight + 13 * 3_600_000), "23 Nov 23:55");
});

test("a time is named by the clock, with a day, or as a part of one", () => {
  const noon = new Date(2026, 10, 29, 12).getTime();
  const at = (date: number, hours: number, minutes = 0, month = 10) =>
    new Date(2026, month, date, hours, minutes).getTime();
  const cases: readonly (readonly [string, readonly [number, number | null] | null])[] = [
    ["11:30", [at(29, 11, 30), null]],
    ["20:22", [at(28, 20, 22), null]],
    ["Yesterday 14:00", [at(28, 14), null]],
    ["yesterday", [at(28, 0), at(29, 0)]],
    ["yesterday 14:00-15:00", [at(28, 14), at(28, 15)]],
    ["9:00 - 10:15", [at(29, 9), at(29, 10, 15)]],
    ["3 feb 10:04", [at(3, 10, 4, 1), null]],
    ["28 Dec", [new Date(2025, 11, 28).getTime(), new Date(2025, 11, 29).getTime()]],
    ["30 feb", null],
    ["25:00", null],
    ["15:00-14:00", null],
    ["1-1-T1", null],
    ["", null],
  ];
  for (const [words, expected] of cases) {
    const found = timeNamed(words, noon);
    assert.deepEqual(found === null ? null : [found.from, found.to], expected, words);
  }
});

test("a day that is named is as long as its clock says, also where that is changed", () => {
  const before = process.env.TZ;
  process.env.TZ = "Europe/Berlin";
  try {
    const named = (words: string) => {
      const { from, to } = timeNamed(words, Date.parse("2026-10-26T12:00:00Z")) ?? { from: 0, to: 0 };
      return [from, to].map((ms) => (ms === null ? null : utcTime(ms)));
    };
    assert.deepEqual(named("25 oct"), ["2026-10-24T22:00:00.000Z", "2026-10-25T23:00:00.000Z"]);
    assert.deepEqual(named("yesterday 14:00-15:00"), ["2026-10-25T13:00:00.000Z", "2026-10-25T14:00:00.000Z"]);
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
});

test("a list says the day over its entries, and a part of the time says its days", () => {
  const noon = new Date(2026, 10, 29, 12).getTime();
  const at = (date: number, hours: number) => new Date(2026, 10, date, hours).getTime();
  assert.equal(dayHead(at(29, 1), noon), "Today, Sun 29 Nov");
  assert.equal(dayHead(at(28, 23), noon), "Yesterday, Sat 28 Nov");
  assert.equal(dayHead(at(27, 23), noon), "Fri 27 Nov");
  assert.deepEqual([dayStart(noon, 0), dayStart(noon, -1)], [at(29, 0), at(28, 0)]);
  assert.equal(timesOfPart(at(28, 14), at(28, 15)), "28 Nov 14:00:00 – 15:00:00");
  assert.equal(timesOfPart(at(28, 23), at(29, 1)), "28 Nov 23:00:00 – 29 Nov 01:00:00");
  const utc = (ms: number) => new Date(ms).toISOString();
  assert.equal(rangeWords(utc(at(27, 14)), utc(at(27, 15)), noon), "27 Nov 14:00 – 27 Nov 15:00");
  assert.equal(rangeWords(utc(at(29, 9)), "", noon), "Since 09:00");
  assert.equal(rangeWords("", utc(at(29, 9)), noon), "Until 09:00");
  assert.deepEqual([localInput(utc(at(28, 14))), localInput("soon"), localInput("")], ["2026-11-28T14:00", "", ""]);
});
