import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { messageBytesMax } from "../../base/limits.ts";
import { findCandidate, objectsIn, opensLikeObject } from "./decode.ts";
import { stretchesOf } from "./markdown.ts";

const seed = 41;

/** text, what each place covers */
const places: readonly (readonly [text: string, found: readonly string[]])[] = [
  ['say {"a":1} now', ['{"a":1}']],
  ['{"a":{"b":"}"}} and {"c":[1,{}]}', ['{"a":{"b":"}"}}', '{"c":[1,{}]}']],
  ['{"a":"\\"}"} x', ['{"a":"\\"}"}']],
  ["{note} {{name}} {% if %}", []],
  ["{type: 'x'} {'a': 1}", ["{type: 'x'}", "{'a': 1}"]],
  ['left open {"a": [1, 2', ['{"a": [1, 2']],
  ['a string ends with its line: {"a\n} and so on', ['{"a\n}']],
];

for (const [text, found] of places) {
  test(`finds ${JSON.stringify(found)} in ${JSON.stringify(text)}`, () => {
    const covered = [...objectsIn(text, 0, text.length)].map(({ start, end }) => text.slice(start, end));
    assert.deepEqual(covered, found);
  });
}

test("a fence's inside begins with its own line and ends before the closing marks", () => {
  const text = 'Look:\n```json\n{"a":1}\n```\nand\n~~~~\n```\n~~~~\nend';
  const stretches = stretchesOf(text).map(({ start, end, info }) => [info, text.slice(start, end)]);
  assert.deepEqual(stretches, [
    [null, "Look:\n"],
    ["json", '{"a":1}\n'],
    [null, "and\n"],
    ["", "```\n"],
    [null, "end"],
  ]);
});

test("a fence that is never closed runs to the end", () => {
  const text = "```yaml\nhandoff:\n  metadata:";
  assert.deepEqual(stretchesOf(text), [{ start: 8, end: text.length, info: "yaml" }]);
});

test("code in backticks within a sentence opens no fence", () => {
  assert.deepEqual(
    stretchesOf("```a``` is code\nmore").map(({ info }) => info),
    [null],
  );
});

const brackets = fc.string({
  unit: fc.constantFrom("{", "}", "[", "]", '"', ":", ",", "\\", "`", "~", "\n", " ", "a"),
});

test(`places and stretches never overlap, so no character is searched twice (seed ${seed})`, () => {
  const property = fc.property(brackets, (text) => {
    for (const found of [[...objectsIn(text, 0, text.length)], stretchesOf(text)]) {
      let behind = 0;
      for (const { start, end } of found) {
        assert.ok(start >= behind && end >= start && end <= text.length);
        behind = end;
      }
    }
  });
  fc.assert(property, { seed, numRuns: 3_000 });
});

/** Inputs that make a searcher which begins again at every bracket take quadratic time. */
const hostile: readonly (readonly [name: string, piece: string])[] = [
  ["open braces", "{"],
  ["open braces with a quote", '{"'],
  ["open braces with a key", '{"a":'],
  ["bare keys", "{a:"],
  ["open brackets", "["],
  ["brackets and braces", "[{"],
  ["backslashes in strings", '{"\\'],
  ["blanks after braces", "{          "],
  ["fences", "```\n"],
  ["fences with a key", '```json\n{"type":\n'],
  ["fences of growing marks", "````` `\n~~~\n"],
  ["document keys", "handoff:\n"],
  ["fenced document keys", "```yaml\nhandoff:\n"],
  ["headings", "# a\n"],
  ["marks without an end", '{"type": "schema_version" '],
];

for (const [name, piece] of hostile) {
  test(`the work on ${name} is bounded by the size of the text`, () => {
    const text = `x${piece.repeat(Math.floor((messageBytesMax - 1) / piece.length))}`;
    let covered = 0;
    for (const { start, end } of stretchesOf(text)) {
      for (const place of objectsIn(text, start, end)) covered += place.end - place.start;
    }
    assert.ok(covered <= text.length);
    assert.ok(["prose", "fault", "quoted", "document"].includes(findCandidate(text).as));
    assert.ok(["json", "fault", "prose", "document"].includes(findCandidate(text.slice(1)).as));
  });
}

test("the beginning of an object is distinguished from words in braces", () => {
  for (const text of ['{"', "{ 'a'", "{}", "{ \n}", "{a:", "{ a-b : 1", "{// x", "{,", "{\u201ca\u201d", "{"]) {
    assert.ok(opensLikeObject(text, 0), text);
  }
  for (const text of ["{note}", "{{a}}", "{1}", "{a b: c}", "{ä:", "{-", "{#if}"]) {
    assert.ok(!opensLikeObject(text, 0), text);
  }
});
