import assert from "node:assert/strict";
import { test } from "node:test";
import { turnsDuring } from "../../../tests/evidence/turns.ts";
import { digestOfLines } from "./line-changes.ts";

const both = [true, true] as const;
const digest = (before: string, after: string, isThere: readonly [boolean, boolean] = both) =>
  digestOfLines(Buffer.from(before, "latin1"), Buffer.from(after, "latin1"), isThere);

test("the same lines in and out are the same change, wherever they are and whatever is around them", async () => {
  const change = await digest("a\nold\nb\n", "a\nnew\nb\n");
  assert.equal(await digest("x\ny\nold\n", "x\nnew\ny\n"), change);
  assert.equal(await digest("old\n", "new\n"), change);
  assert.notEqual(await digest("a\nold\nb\n", "a\nnew\nnew\nb\n"), change);
  assert.notEqual(await digest("a\nnew\nb\n", "a\nold\nb\n"), change);
  assert.equal(await digest("a\nb\n", "b\na\n"), null, "moved lines only");
  // A line that goes on is another one, also where the sides begin alike.
  assert.equal(await digest("a\nab", "a\nabc"), await digest("ab\nz", "abc\nz"));
  assert.notEqual(await digest("a\nab", "a\nabc"), await digest("b\nb", "b\nbc"));
  // A new file has its last, empty line; the lines of a pair cannot be told as others.
  assert.notEqual(await digest("", "a\n", [false, true]), await digest("", "a", [false, true]));
  assert.notEqual(await digest("", "a\nb", [false, true]), await digest("", "a b", [false, true]));
});

test("large contents hold up nobody: other work goes on all the time", async () => {
  const lines = (mark: string) =>
    Array.from({ length: 60_000 }, (_, at) => `${mark}${(at * 7_919) % 999_983}`).join("\n");
  const turns = await turnsDuring(async () => assert.ok((await digest(lines("a"), lines("b"))) !== null));
  // Each side is counted in six pieces; 24 are sorted, and merged in five rounds.
  assert.ok(turns > 100, `other work had ${turns} turns`);
});
