import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalFile, fileLine } from "./paths.ts";

const places: readonly (readonly [text: string, file: string, line: number | null])[] = [
  ["src/a.ts:42", "src/a.ts", 42],
  ["./src//a.ts:42", "src/a.ts", 42],
  ["src/a.ts", "src/a.ts", null],
  ["src/a.ts:", "src/a.ts:", null],
  ["src/a:b.ts", "src/a:b.ts", null],
  ["src/a:7:42", "src/a:7", 42],
  ["../a.ts:3", "../a.ts", 3],
  [":3", "", 3],
  ["src/a.ts:9999999999999999", "src/a.ts:9999999999999999", null],
  ["", "", null],
];

for (const [text, file, line] of places) {
  test(`${JSON.stringify(text)} names ${JSON.stringify(file)}, line ${line}`, () => {
    assert.deepEqual(fileLine(text), { file, line });
  });
}

test("a path that has no canonical form stays as it is written", () => {
  assert.equal(canonicalFile("/etc/passwd"), "/etc/passwd");
  assert.equal(canonicalFile("./a"), "a");
});
