/** Ages as people read them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ageOf } from "./text.ts";

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

test("an age is shown in its largest unit, and a time in the future is now", () => {
  for (const [seconds, age] of cases) assert.equal(ageOf(now - seconds * 1000, now), age, `${seconds} s`);
});
