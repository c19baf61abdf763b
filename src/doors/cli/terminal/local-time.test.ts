import assert from "node:assert/strict";
import { test } from "node:test";
import { localTime } from "./local-time.ts";

test("a time of today is the clock's, one of another day has its date, and what is no time is shown as it is", () => {
  const noon = new Date(2026, 1, 12, 12, 0, 0);
  assert.equal(localTime(new Date(2026, 1, 12, 9, 3, 5, 123).toISOString(), noon.getTime()), "09:03:05");
  assert.equal(localTime(new Date(2026, 1, 11, 23, 59, 59).toISOString(), noon.getTime()), "2026-02-11 23:59:59");
  assert.equal(localTime("soon\u001b[2J", noon.getTime()).includes("\u001b"), false);
});
