/** What is left of a time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { timeLeft } from "./moment.ts";

const now = 1_770_000_000_000;
test("the time left is shown until it is over", () => {
  assert.equal(timeLeft(now + 150_000, now), "2 min");
  assert.equal(timeLeft(now + 1000, now), "5 s");
  assert.equal(timeLeft(now, now), null);
});
