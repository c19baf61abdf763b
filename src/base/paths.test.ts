import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonicalPath, foldFully, foldSimply } from "./paths.ts";

const seed = 1_024;

/** Wraps a hostile part in each place it may stand. */
const anywhere = (part: string) => [part, `${part}/x`, `src/${part}`, `src/${part}/x`, `./${part}`];
const gitSpellings = [
  ".git",
  ".GIT",
  ".Git",
  ".giT",
  ".git.",
  ".git..",
  ".git ",
  ".git . ",
  "git~1",
  "GIT~1",
  "git~2",
  "git~10",
  "Git~1.",
  ".git:x",
  ".git::$INDEX_ALLOCATION",
  ".g\u200cit",
  ".git\u200d",
  "\u200e.git",
  ".gi\ufefft",
  "\u202e.git",
  ".git\u206f",
  ".g\u00adit",
  "．git",
  ".ｇｉｔ",
  ".G\u0131T",
  ".g\u0130t".replace("\u0130", "\u0131"),
  ".git\u034f",
  "․git",
];
const dotSpellings = ["..", ".. ", "...", "....", ". .", " ", "  ", ".\u200c.", "..\u200b", "‥", "…", ". "];
const escapes = [
  ...gitSpellings.flatMap(anywhere),
  ...dotSpellings.flatMap(anywhere),
  "/",
  "/etc/passwd",
  "//host/share",
  "/src",
  "C:",
  "C:/x",
  "c:x",
  "./c:x",
  "Z:\\x",
  "\\\\host\\share",
  "..\\x",
  "src\\..\\x",
  "a\\b",
  "",
  ".",
  "./",
  "./.",
  ".//.",
  "../x",
  "src/../../x",
  "src/../x",
  "a/..",
  "a/../",
  "./../x",
  "a\0b",
  "a\nb",
  "a\tb",
  "a\x1bb",
  "a\x7fb",
  "a\u0085b",
  "\0",
  "\ud800",
  "a/\udc00",
  "x".repeat(1025),
  "é".repeat(513),
  `${"a/".repeat(512)}b`,
];

test(`refuses ${escapes.length} ways out of the repository`, () => {
  assert.ok(escapes.length >= 100);
  for (const text of escapes) {
    const result = canonicalPath(text);
    assert.equal(result.ok ? `accepted ${JSON.stringify(text)}` : result.error.code, "invalid-path");
  }
});

const legal: readonly (readonly [text: string, canonical?: string])[] = [
  ["src"],
  ["src/app.ts"],
  ["./src/app.ts", "src/app.ts"],
  ["src//app.ts", "src/app.ts"],
  ["src/./app.ts", "src/app.ts"],
  ["src/", "src"],
  ["src/.", "src"],
  ["././a", "a"],
  [".github/workflows/ci.yml"],
  [".gitignore"],
  [".gitattributes"],
  [".gitmodules"],
  [".gitkeep"],
  ["src/.gitkeep"],
  ["git"],
  ["git/x"],
  ["x.git"],
  ["x.git/config"],
  [".git2"],
  [".gitx/y"],
  ["git~"],
  ["git~x"],
  ["a~1"],
  ["..a"],
  ["a.."],
  ["a..b"],
  [".a"],
  ["...a"],
  ["a."],
  ["a "],
  [" a"],
  ["a b/c d"],
  ["Makefile"],
  ["a-b_c+d@e,f=g"],
  ["[id]/page.tsx"],
  ["(group)/{x}.ts"],
  ["!important"],
  ["#x"],
  ["$x"],
  ["%2e%2e/x"],
  ["~/x"],
  ["~"],
  ["日本/語.md"],
  ["é.md"],
  ["e\u0301.md"],
  ["😀.md"],
  ["src/a:b"],
  ["ab:c"],
  ["-rf"],
  ["'quoted'"],
  ['"double"'],
  ["a*b"],
  ["a?b"],
  ["x".repeat(1024)],
  ["constructor"],
  ["__proto__"],
];

test(`accepts ${legal.length} legal paths in canonical form`, () => {
  assert.ok(legal.length >= 40);
  for (const [text, canonical] of legal) assert.deepEqual(canonicalPath(text), { ok: true, value: canonical ?? text });
});

test(`what is accepted is its own canonical form, relative and without steps up (seed ${seed})`, () => {
  const piece = fc.constantFrom("a", "b.ts", "..", ".", "/", "//", ".git", "\\", " ", "\0", "é", "C:", "~1", "git");
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join("")),
        fc.string({ unit: "binary" }),
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
