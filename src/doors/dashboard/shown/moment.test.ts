/** Ages and what is left of a time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ageOf, timeLeft } from "./moment.ts";

const now = 1_770_000_000_000;
const cases: readonly (readonly [seconds: number, age: string])[] = [
  [-30, "now"],
  [0, "now"],
  [4, "now"],
  [5, "5 s"],
  [59, "59 s"],
  [60, "1 min"],
  [3599, "59 min"],
  [3600, "1 h"],
  [86_399, "23 h"],
  [86_400, "1 d"],
];

for (const [seconds, age] of cases) {
  test(`${seconds} seconds ago is "${age}"`, () => assert.equal(ageOf(now - seconds * 1000, now), age));
}

test("what is left is told until it is over", () => {
  assert.equal(timeLeft(now + 150_000, now), "2 min");
  assert.equal(timeLeft(now + 1000, now), "5 s");
  assert.equal(timeLeft(now, now), null);
});
