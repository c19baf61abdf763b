/** What a cell may hold, and what a spreadsheet must not compute. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { csvOf } from "./csv.ts";

test("cells are quoted where they must be, and agent text is no formula", () => {
  assert.equal(csvOf([]), "");
  assert.equal(csvOf([["a", 1, undefined, -2]]), "a,1,,-2\r\n");
  assert.equal(csvOf([['say "x", y', "two\nlines"]]), '"say ""x"", y","two\nlines"\r\n');
  for (const text of ["=1+1", "+1", "-1", "@x", "\tx", "\rx"]) {
    const [first] = csvOf([[text]]).replace(/^"/, "");
    assert.equal(first, "'", JSON.stringify(text));
  }
});
