import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../../tests/corpus/any-character.ts";
import { canonicalPath, foldFully, foldSimply } from "./paths.ts";

const seed = 1_024;

test(`what is accepted is its own canonical form, relative and without steps up (seed ${seed})`, () => {
  const piece = fc.constantFrom("a", "b.ts", "..", ".", "/", "//", ".git", "\\", " ", "\0", "é", "C:", "~1", "git");
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join("")),
        fc.string({ unit: anyCharacter }),
      ),
      (text) => {
        const result = canonicalPath(text);
        if (!result.ok) return;
        assert.deepEqual(canonicalPath(result.value), result);
        assert.doesNotMatch(result.value, /^\/|\/\/|\/$|\\|(?:^|\/)\.{1,2}(?:\/|$)|(?:^|\/)\.git(?:\/|$)/i);
      },
    ),
    { seed, numRuns: 5_000 },
  );
});

test("folds case by letters without changing length, and by whole words", () => {
  assert.equal(foldSimply("SECRET/Ä"), "secret/ä");
  assert.equal(foldSimply("ß"), "ß");
  assert.equal(foldFully("STRASSE"), foldFully("straße"));
  assert.equal(foldFully("e\u0301"), foldFully("É"));
  assert.equal(foldFully("K"), foldFully("\u212a"));
});
