import assert from "node:assert/strict";
import { test } from "node:test";
import { changedWords, wordDiff } from "./agent-text.ts";

const marked = (parts: readonly { text: string; changed: boolean }[] = []) =>
  parts.map(({ text, changed }) => (changed ? `[${text}]` : text)).join("");

test("the words that changed are marked on either side, and nothing is lost", () => {
  for (const [old, now, oldMarked, nowMarked] of [
    ["const a = total(1);", "const a = sum(1, 2);", "const a = [total](1);", "const a = [sum](1[, 2]);"],
    ["return x;", "return x;", "return x;", "return x;"],
    ["let ä = 1", "let ö = 1", "let [ä] = 1", "let [ö] = 1"],
    ["a b c", "a c", "a [b ]c", "a c"],
  ] as const) {
    const parts = wordDiff(old, now);
    assert.equal(marked(parts?.[0]), oldMarked);
    assert.equal(marked(parts?.[1]), nowMarked);
  }
});

test("lines that have little in common, or are long, are not compared", () => {
  assert.equal(wordDiff("one two three four", "five six seven four"), null);
  assert.equal(wordDiff("a ".repeat(300), "a ".repeat(300)), null);
});

test("removed lines are compared with as many that follow them, and with no others", () => {
  const lines = (...all: readonly string[]) => all.map((each) => ({ op: each[0] ?? " ", text: each.slice(1) }));
  const parts = changedWords(lines(" x", "-a = 1", "-b = 1", "+a = 2", "+b = 3", " y", "-c = 1", "+c = 2", "+d = 1"));
  assert.deepEqual(
    [...parts].map(([at, each]) => [at, marked(each)]),
    [
      [1, "a = [1]"],
      [3, "a = [2]"],
      [2, "b = [1]"],
      [4, "b = [3]"],
    ],
  );
});
