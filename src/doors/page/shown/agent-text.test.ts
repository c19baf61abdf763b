/** What may be drawn as it is, and what is named. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { segmentsOf } from "./agent-text.ts";

test("harmless text is one segment, whatever its script", () => {
  for (const text of ["", "plain", "<script>alert(1)</script>", "שלום", "日本語 🎉"]) {
    assert.deepEqual(segmentsOf(text), [{ text, named: false }]);
  }
});

test("unseen characters are named apart from the same name spelled out", () => {
  assert.deepEqual(segmentsOf("a\u202eb<U+202E>"), [
    { text: "a", named: false },
    { text: "<U+202E>", named: true },
    { text: "b<U+202E>", named: false },
  ]);
});

test("line feeds and tabs stay in a block and are named on a line", () => {
  assert.deepEqual(segmentsOf("a\r\n\tb\u0000", { lines: true }), [
    { text: "a\n\tb", named: false },
    { text: "␀", named: true },
  ]);
  assert.deepEqual(
    segmentsOf("a\nb").map(({ text }) => text),
    ["a", "␊", "b"],
  );
});
