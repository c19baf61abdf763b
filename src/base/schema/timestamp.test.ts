import assert from "node:assert/strict";
import { test } from "node:test";
import { isTimestamp } from "./timestamp.ts";

const accepted = [
  "2026-02-12T10:00:00Z",
  "2026-02-12t10:00:00z",
  "2026-02-12T10:00:00.123456+05:30",
  "2026-02-12",
  "2024-02-29",
  "2000-02-29T23:59:59-23:59",
  "1990-12-31T23:59:60Z",
  "1990-12-31T15:59:60-08:00",
];
const refused = [
  "",
  "now",
  "2026",
  "2026-02",
  "2026-13-01",
  "2026-00-10",
  "2026-02-30",
  "2025-02-29",
  "1900-02-29",
  "2026-02-12T10:00Z",
  "2026-02-12T10:00:00",
  "2026-02-12 10:00:00Z",
  "2026-02-12T24:00:00Z",
  "2026-02-12T10:60:00Z",
  "2026-02-12T10:00:60Z",
  "1990-12-31T23:59:60-08:00",
  "2026-02-12T10:00:00+24:00",
  "2026-02-12T10:00:00.Z",
  "2026-2-12",
  "2026-02-12\n",
  "٢٠٢٦-02-12",
];

for (const text of accepted) test(`accepts ${text}`, () => assert.ok(isTimestamp(text)));
for (const text of refused) test(`refuses ${JSON.stringify(text)}`, () => assert.ok(!isTimestamp(text)));
