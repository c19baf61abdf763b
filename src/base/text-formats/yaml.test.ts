import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { stringify } from "yaml";
import type { Json } from "../json.ts";
import type { ProblemCode } from "../problem.ts";
import { loadYaml, parseYaml, parseYamlWith } from "./yaml.ts";

const seed = 1_2;

const good: readonly (readonly [text: string, value: Json])[] = [
  ["", null],
  ["# only a comment\n", null],
  ["---\na: 1\n...\n", { a: 1 }],
  ["a: [1, {b: 'q'}]\nc: \"[&x\"\nd: a [ & b\n", { a: [1, { b: "q" }], c: "[&x", d: "a [ & b" }],
  ["t: |\n  [ { &x *y !z\n  --- no\n", { t: "[ { &x *y !z\n--- no\n" }],
  ["yes: no\n1: ~\ntrue: 0x10\n", { yes: "no", "1": null, true: 16 }],
  ["d: 2026-02-12\n<<: x\n", { d: "2026-02-12", "<<": "x" }],
  [`${"[".repeat(32)}${"]".repeat(32)}`, nested(32)],
  [Array.from({ length: 32 }, (_, index) => `${"  ".repeat(index)}a:`).join("\n"), deep(32)],
  [`${"- ".repeat(32)}x`, list(32)],
];
for (const [text, value] of good) {
  test(`reads ${JSON.stringify(text.slice(0, 60))}`, async () => {
    const result = await parseYaml(text, "x.yaml");
    assert.deepEqual(result.ok ? result.value.value : result.error, value);
  });
}

const bad: readonly (readonly [text: string, code: ProblemCode, place: string])[] = [
  ["a: &x 1\n", "not-yaml", "1:4"],
  ["a: 1\nb: *x\n", "not-yaml", "2:4"],
  ["a: !!binary x\n", "not-yaml", "1:4"],
  ["%YAML 1.1\n---\na: 1\n", "not-yaml", "1:1"],
  ["a: 1\n---\nb: 2\n", "not-yaml", "2:1"],
  ["---\n---\n", "not-yaml", "2:1"],
  ["a: [1\nb: 2\n", "not-yaml", ""],
  ["a: 'x\n", "not-yaml", ""],
  ["a:\n\t- 1\n", "not-yaml", ""],
  ["? [a]\n: b\n", "not-yaml", "1:3"],
  ["a: 1\nb:\n  c: 1\n  c: 2\n", "duplicate-key", "4:3"],
  ["1: a\n'1': b\n", "duplicate-key", "2:1"],
  ["a:\n  __proto__: 1\n", "forbidden-key", "2:3"],
  ["a: 9007199254740993\n", "number-range", "1:4"],
  ["a: .inf\n", "number-range", "1:4"],
  ["a: 1e999\n", "number-range", "1:4"],
  ['a: "\\0"\n', "nul-character", "1:4"],
  ['a: "\\uD800"\n', "lone-surrogate", "1:4"],
  ["a: \0\n", "nul-character", "1:4"],
  ["a: \ud800\n", "lone-surrogate", "1:4"],
  ["\ufeffa: 1\n", "byte-order-mark", "1:1"],
  [`# ${"x".repeat(256 * 1024)}`, "too-large", ""],
  [`${"[".repeat(33)}${"]".repeat(33)}`, "too-deep", "1:33"],
  ["[".repeat(200_000), "too-deep", "1:33"],
  ["{a: ".repeat(50_000), "too-deep", ""],
  ["- ".repeat(100_000), "too-deep", ""],
  ["? ".repeat(100_000), "too-deep", ""],
  [`${"- ".repeat(33)}x`, "too-deep", ""],
  [Array.from({ length: 700 }, (_, index) => `${" ".repeat(index)}a:`).join("\n"), "too-deep", ""],
  [
    Array.from({ length: 33 }, (_, index) => `${"  ".repeat(index)}a:`)
      .concat(`${"  ".repeat(33)}b: 1`)
      .join("\n"),
    "too-deep",
    "",
  ],
  [Array.from({ length: 30_000 }, (_, index) => `k${index}:`).join("\n"), "too-many-nodes", ""],
  [`[${"1,".repeat(10_000)}]`, "too-many-nodes", ""],
  ["a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\n", "not-yaml", "1:4"],
];
for (const [text, code, place] of bad) {
  test(`refuses ${JSON.stringify(text.slice(0, 50))} as ${code}`, async () => {
    const result = await parseYaml(text, "x.yaml");
    assert.ok(!result.ok);
    assert.equal(result.error.code, code, result.error.message);
    if (place !== "") assert.equal(result.error.path, `x.yaml:${place}`);
  });
}

test("knows where each value and key is, and the nearest place of what is missing", async () => {
  const result = await parseYaml("a:\n  - x\n  - b c: 1\n    d: y\n", "x.yaml");
  assert.ok(result.ok);
  const { locate } = result.value;
  assert.deepEqual(locate("$.a[0]"), { line: 2, column: 5 });
  assert.deepEqual(locate('$.a[1]["b c"]'), { line: 3, column: 10 });
  assert.deepEqual(locate('$.a[1]["b c"]', "key"), { line: 3, column: 5 });
  assert.deepEqual(locate("$.a[1].d.e.f"), { line: 4, column: 8 });
  assert.deepEqual(locate("$.zzz"), { line: 1, column: 1 });
});

test(`reads back what the library writes (seed ${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async (any) => {
      const value = JSON.parse(JSON.stringify(any)) as Json;
      const result = await parseYaml(stringify(value, { aliasDuplicateObjects: false }), "x.yaml");
      if (result.ok) assert.deepEqual(result.value.value, value);
      else
        assert.ok(
          ["number-range", "forbidden-key", "nul-character", "lone-surrogate"].includes(result.error.code),
          result.error.message,
        );
    }),
    { seed, numRuns: 500 },
  );
});

test(`never throws (seed ${seed})`, async () => {
  const piece = fc.constantFrom(
    "a",
    ":",
    " ",
    "\n",
    "- ",
    "? ",
    "[",
    "]",
    "{",
    "}",
    ",",
    "'",
    '"',
    "#",
    "|",
    ">",
    "&",
    "*",
    "!",
    "%",
    "---",
    "...",
    "\t",
    "<<",
    "\\",
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join("")),
      async (text) => {
        assert.equal(typeof (await parseYaml(text, "x")).ok, "boolean");
      },
    ),
    { seed, numRuns: 5_000 },
  );
});

function nested(depth: number): Json {
  return depth === 1 ? [] : [nested(depth - 1)];
}

function deep(depth: number): Json {
  return depth === 0 ? null : { a: deep(depth - 1) };
}

function list(depth: number): Json {
  return depth === 0 ? "x" : [list(depth - 1)];
}

const kilobytes = 256_000;

/** Lines that each bring an error or a value, over and over: what the first says ends it. */
const crowds: readonly (readonly [line: string, code: string, message: RegExp])[] = [
  [" ]\n", "not-yaml", /closed that was not opened/],
  ["}\n", "not-yaml", /closed that was not opened/],
  ["  a: }\n", "not-yaml", /closed that was not opened/],
  [" - - -\n", "too-many-nodes", /10000 values/],
  [" :\n", "too-many-nodes", /10000 values/],
  ["\t a\n", "too-many-nodes", /10000 values/],
  ["  a: |9\n", "too-many-nodes", /10000 values/],
];

for (const [line, code, message] of crowds) {
  test(`${JSON.stringify(line)} over and over is refused before the library makes anything of it`, async (t) => {
    const yaml = await loadYaml();
    const composed = t.mock.method(yaml.Composer.prototype, "next");
    const read = parseYamlWith(yaml, `list:\n${line.repeat(kilobytes / line.length)}`, "x");
    assert.ok(!read.ok);
    assert.equal(read.error.code, code);
    assert.match(read.error.message, message);
    assert.equal(composed.mock.callCount(), 0);
  });
}

/** Strings with an error in every line that the lexer knows nothing of, and where the first one is. */
const faulty: readonly (readonly [name: string, text: string, place: string, message: RegExp])[] = [
  ["a list beside its key", "a: - b\n".repeat(4_900), "1:4", /on same line with key/],
  ["escapes that there are not", `- "${"\\q".repeat(kilobytes / 2)}"`, "1:4", /escape sequence/],
  ["keys of two lines", "k\n a: 1\n".repeat(4_900), "1:1", /on a single line/],
  ["a fault behind much that is sound", `${"- a\n".repeat(9_000)}- "\\q"`, "9001:4", /escape sequence/],
];
for (const [name, text, place, message] of faulty) {
  test(`${name}: the first error ends the library's work, and the input is cut up once`, async (t) => {
    const yaml = await loadYaml();
    const cut = t.mock.method(yaml.Lexer.prototype, "lex");
    // What a document's errors and comments are put into it by, when all of it was composed.
    const { prototype } = yaml.Composer as unknown as { prototype: { decorate(): void } };
    const finished = t.mock.method(prototype, "decorate");
    const read = parseYamlWith(yaml, text, "x");
    assert.ok(!read.ok);
    assert.deepEqual([read.error.code, read.error.path], ["not-yaml", `x:${place}`]);
    assert.match(read.error.message, message);
    assert.deepEqual([cut.mock.callCount(), finished.mock.callCount()], [1, 0]);
  });
}

test("an input of blank lines and comments alone costs little, and is refused as too much", async () => {
  for (const piece of ["  #\n", "  \n", "\n", "# a\n"]) {
    const text = `a:\n${piece.repeat(Math.floor(250_000 / piece.length))}`;
    const read = await parseYaml(text, "x");
    assert.equal(read.ok ? "" : read.error.code, "too-many-nodes", JSON.stringify(piece));
  }
});
