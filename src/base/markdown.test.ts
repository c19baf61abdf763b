import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { markdownText } from "./text.ts";

const seed = 4_711;

/** What was written, what a page holds. */
const shown: readonly (readonly [string, string])[] = [
  ["plain words, and more.", "plain words, and more."],
  ["<script>alert(1)</script>", String.raw`\<script\>alert(1)\</script\>`],
  ["[a](javascript:x)", String.raw`\[a\](javascript:x)`],
  ["![a](b)", String.raw`\!\[a\](b)`],
  ["https://evil.example/x", String.raw`https\://evil.example/x`],
  ["see www.evil.example", String.raw`see www\.evil.example`],
  ["WWW.evil.example", String.raw`WWW\.evil.example`],
  ["a@evil.example, mailto:a", String.raw`a\@evil.example, mailto\:a`],
  ["# title\n## other", String.raw`\# title \#\# other`],
  ["- item", String.raw`\- item`],
  ["12. item", String.raw`12\. item`],
  ["&lt;b&gt;", String.raw`\&lt;b\&gt;`],
  ["| a | b |", String.raw`\| a \| b \|`],
  ["\u001b[31m\u202e", String.raw`␛\[31m\<U+202E\>`],
];
for (const [text, page] of shown) {
  test(`${JSON.stringify(text)} means itself`, () => assert.equal(markdownText(text), page));
}

test(`nothing that Markdown obeys is left bare (seed ${seed})`, () => {
  const parts = fc.constantFrom(
    "<",
    ">",
    "[",
    "]",
    "(",
    ")",
    "`",
    "*",
    "_",
    "\\",
    "http://",
    "www.",
    "@",
    "&",
    "#",
    "\n",
    "a",
    "1.",
    "- ",
    "|",
    "~~",
  );
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 12 }), (words) => {
      const page = markdownText(words.join(""));
      assert.ok(!page.includes("\n"));
      // Every escape taken out with what it escapes, nothing that acts is left.
      const bare = page.replaceAll(/\\[!-/:-@[-`{-~]/g, "");
      assert.doesNotMatch(bare, /[\\`*_[\]<>#|~&@]|:\/\/|www\./);
      assert.doesNotMatch(page, /^(?:[-+=#>]|\d+[.)])/);
    }),
    { seed, numRuns: 500 },
  );
});
