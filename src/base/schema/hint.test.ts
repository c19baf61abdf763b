import assert from "node:assert/strict";
import { test } from "node:test";
import { nearest } from "./hint.ts";

const status = ["complete", "partial", "failed"];
const cases: readonly (readonly [string, readonly string[], string | null])[] = [
  ["done", status, "complete"],
  ["Complete", status, "complete"],
  ["compelte", status, "complete"],
  ["partal", status, "partial"],
  ["error", status, "failed"],
  ["in_progress", status, "partial"],
  ["in_progress", ["complete", "idle", "in_progress"], "in_progress"],
  ["passed", ["PASS", "FAIL", "PARTIAL"], "PASS"],
  ["banana", status, null],
  ["", status, null],
  ["c".repeat(100_000), status, null],
  ["file_modified", ["files_modified", "concerns"], "files_modified"],
];

for (const [written, allowed, meant] of cases) {
  test(`guesses ${meant} for ${JSON.stringify(written.slice(0, 20))} among ${allowed.join(", ")}`, () => {
    assert.equal(nearest(written, allowed), meant);
  });
}
