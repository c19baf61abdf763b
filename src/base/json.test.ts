import assert from "node:assert/strict";
import { test } from "node:test";
import {
  decodeUtf8,
  isJsonList,
  isJsonObject,
  type Json,
  messageJsonLimits,
  parseAnyCharacters,
  parseBounded,
  plainCopy,
} from "./json.ts";
import type { ProblemCode } from "./problem.ts";

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const wide = (nodes: number) => `[${Array.from({ length: nodes - 1 }, () => "0").join(",")}]`;
const big = (bytes: number) => `"${"x".repeat(bytes - 2)}"`;
const same = (text: string) => JSON.parse(text) as Json;

/** Text, and the code and path of its first error; blank code: accepted and equal to what JSON.parse gives. */
const table: readonly (readonly [text: string, code?: ProblemCode, path?: string])[] = [
  ["", "empty-message", "$"],
  [" \n\t ", "empty-message", "$"],
  [big(messageJsonLimits.bytesMax - 1)],
  [big(messageJsonLimits.bytesMax)],
  [big(messageJsonLimits.bytesMax + 1), "too-large", "$"],
  [`"${"é".repeat(131_071)}"`],
  [`"${"é".repeat(131_071)}x"`, "too-large", "$"],
  [`"${"€".repeat(87_380)}xx"`],
  [`"${"€".repeat(87_380)}xxx"`, "too-large", "$"],
  [`"${"😀".repeat(65_535)}xx"`],
  [`"${"😀".repeat(65_535)}xxx"`, "too-large", "$"],
  ["\ufeff{}", "byte-order-mark", "$"],
  ["7"],
  [nested(31)],
  [nested(32)],
  [nested(33), "too-deep", `$${"[0]".repeat(32)}`],
  [`${'{"a":'.repeat(32)}1${"}".repeat(32)}`],
  [`${'{"a":'.repeat(33)}1${"}".repeat(33)}`, "too-deep", `$${".a".repeat(32)}`],
  ["[".repeat(100_000), "too-deep"],
  ['{"a":['.repeat(1000), "too-deep"],
  [wide(9_999)],
  [wide(10_000)],
  [wide(10_001), "too-many-nodes", "$[9999]"],
  [`[${"[],".repeat(9_998)}[]]`],
  [`[${"[],".repeat(9_999)}[]]`, "too-many-nodes", "$[9999]"],
  ['{"a":1,"a":2}', "duplicate-key", "$.a"],
  ['{"a" :1,"a"\n:2}', "duplicate-key", "$.a"],
  ['{"a":1,"\\u0061":2}', "duplicate-key", "$.a"],
  ['{"x y":{"b":[0,{"c":1,"d":2,"c":3}]}}', "duplicate-key", '$["x y"].b[1].c'],
  ['{"a":1,"b":{"a":2},"c":["a:","\\":",":"]}'],
  ['{"__proto__":1}', "forbidden-key", "$.__proto__"],
  ['{"a":[{"__proto__":{}}]}', "forbidden-key", "$.a[0].__proto__"],
  ['{"\\u005f_proto__":1}', "forbidden-key", "$.__proto__"],
  ['{"__pr\\u006Fto__":1}', "forbidden-key", "$.__proto__"],
  ['{"a":"__proto__","constructor":1,"toString":2}'],
  ["9007199254740991"],
  ["-9007199254740991"],
  ["9007199254740992", "number-range", "$"],
  ["[0,-9007199254740992]", "number-range", "$[1]"],
  ["9007199254740993.0", "number-range", "$"],
  ["1e17", "number-range", "$"],
  ["1e21"],
  ["123e45"],
  ["1.7976931348623157e308"],
  ["1.79769313486231570001e308", "number-range"],
  ["1e400", "number-range", "$"],
  ['{"n":-1E400}', "number-range", "$.n"],
  ["5e-324"],
  ["1e-400", "number-range", "$"],
  [`0.${"0".repeat(400)}1`, "number-range", "$"],
  ["0e-400"],
  [`0.${"0".repeat(400)}`],
  ["0.1234567890123456"],
  ["[-0,0.0,1E2,1e-2,1e+2]"],
  ['"\ud800"', "lone-surrogate", "$"],
  ['"\\ud800"', "lone-surrogate", "$"],
  ['["\\uDC00"]', "lone-surrogate", "$[0]"],
  ['"\\ud83dx\\ude00"', "lone-surrogate", "$"],
  ['"\\ud83d\\ud83d\\ude00"', "lone-surrogate", "$"],
  ['{"\\ud800":1}', "lone-surrogate"],
  ['"\\ud83d\\ude00 \\u00e9 \\u2014 \\\\ud800 \\ud7ff \\ue000"'],
  ['"\0"', "nul-character", "$"],
  ['{"a":"\\u0000"}', "nul-character", "$.a"],
  ['"\\\\u0000"'],
  ['{"a":1,"a":"\\u0000"}', "duplicate-key", "$.a"],
];

test("a number of very many zeros is judged in linear time", () => {
  const started = process.cpuUsage();
  const read = parseBounded(`{"a":1.${"0".repeat(200_000)}1e30}`);
  assert.ok(!read.ok && read.error.code === "number-range");
  // Processor time, independent of other programs: squared time would take half a minute, linear some milliseconds.
  assert.ok(process.cpuUsage(started).user < 2_000_000);
});

for (const [text, code, path] of table) {
  const name = text.length > 60 ? `${text.slice(0, 57)}... (${text.length})` : text;
  test(`${code ?? "accepts"}: ${JSON.stringify(name)}`, () => {
    const result = parseBounded(text);
    if (code === undefined) assert.deepEqual(result, { ok: true, value: same(text) });
    else {
      assert.ok(!result.ok);
      assert.equal(result.error.code, code);
      if (path !== undefined) assert.equal(result.error.path, path);
    }
    // Bytes and text are read alike, where bytes can say the text at all.
    if (text.isWellFormed()) assert.deepEqual(parseBounded(new TextEncoder().encode(text)).ok, result.ok);
  });
}

/** Broken text, where it breaks, and a word of the hint. */
const broken: readonly (readonly [text: string, place: string, hint: string])[] = [
  ['{"a":1,}', "line 1, column 8", "Remove the comma"],
  ["[1,\n 2,\n]", "line 3, column 1", "Remove the comma"],
  ["{'a':1}", "line 1, column 2", "single quotes"],
  ["{“a”:1}", "line 1, column 2", "typographic"],
  ["{＂a＂:1}", "line 1, column 2", "typographic"],
  ['{\\"a\\":1}', "line 1, column 2", "turned into a string"],
  ['{\\n  "a":1}', "line 1, column 2", "turned into a string"],
  ["\u00a0{}", "line 1, column 1", "U+00A0"],
  ['{\n\u200b"a":1}', "line 2, column 1", "U+200B"],
  ["{}\u2028", "line 1, column 3", "U+2028"],
  ["{a:1}", "line 1, column 2", "key into double quotes"],
  ['{"a" 1}', "line 1, column 6", '":"'],
  ['{"a":1 "b":2}', "line 1, column 8", "comma may be missing"],
  ['{"a":"x', "line 1, column 8", "not closed"],
  ['{"a":"x\ny"}', "line 1, column 8", "\\n"],
  ['{"a":"\\x"}', "line 1, column 7", "backslash"],
  ['{"a":1', "line 1, column 7", "cut off"],
  ["{} {}", "line 1, column 4", "follows"],
  ["[01]", "line 1, column 3", "leading zeros"],
  ["[.5]", "line 1, column 2", "digits on both sides"],
  ["[+5]", "line 1, column 2", "plus sign"],
  ["[NaN]", "line 1, column 2", "NaN"],
  ["[True]", "line 1, column 2", "lower case"],
  ["// x\n{}", "line 1, column 1", "comment"],
  ["```json\n{}\n```", "line 1, column 1", "fence"],
  ["[1,,2]", "line 1, column 4", "extra comma"],
  ["hello", "line 1, column 1", "double quotes"],
];

for (const [text, place, hint] of broken) {
  test(`says where and why ${JSON.stringify(text)} is not JSON`, () => {
    const result = parseBounded(text);
    assert.ok(!result.ok);
    assert.equal(result.error.code, "not-json");
    assert.ok(result.error.message.includes(place), result.error.message);
    assert.ok(result.error.hint?.includes(hint), result.error.hint);
  });
}

test("names the first byte that is not UTF-8", () => {
  const table: readonly (readonly [bytes: readonly number[], place: number])[] = [
    [[0xff], 0],
    [[0x22, 0xc3, 0x22], 2],
    [[0x22, 0xed, 0xa0, 0x80, 0x22], 2],
    [[0x22, 0xc0, 0xaf, 0x22], 1],
    [[0x22, 0xf0, 0x9f], 2],
  ];
  for (const [bytes, place] of table) {
    const result = parseBounded(Uint8Array.from(bytes));
    assert.ok(!result.ok);
    assert.equal(result.error.code, "not-utf8");
    assert.ok(result.error.message.includes(`byte ${place}`), result.error.message);
  }
  assert.deepEqual(decodeUtf8(new TextEncoder().encode("é")), { ok: true, value: "é" });
});

test("tells objects from lists and scalars", () => {
  assert.deepEqual(
    [{}, [], null, "", 0, undefined].map((value) => isJsonObject(value)),
    [true, false, false, false, false, false],
  );
  assert.deepEqual(
    [{}, [], null, "", 0, undefined].map((value) => isJsonList(value)),
    [false, true, false, false, false, false],
  );
});

test("of many errors the first is reported, with its place", () => {
  const text = `{${'"a": 1,\n"b": 9007199254740993,\n'.repeat(5_000)}"a": 2}`;
  const read = parseBounded(text, { bytesMax: 1_000_000, depthMax: 32, nodesMax: 20_000 });
  assert.ok(!read.ok);
  assert.equal(read.error.code, "duplicate-key");
  assert.match(read.error.message, /line 3, column 1/);
});

test("a value is given in spite of its characters, and of nothing else", () => {
  const read = (text: string) => {
    const parsed = parseAnyCharacters(text, messageJsonLimits);
    return parsed.ok ? parsed.value : parsed.error.code;
  };
  assert.deepEqual(read('{"a":"\\u0000\\ud800"}'), { a: "\0\ud800" });
  assert.equal(read('{"a":"\\u0000","a":1}'), "duplicate-key");
  assert.equal(read('["\\ud800",1e999]'), "number-range");
  assert.equal(read('"\0"'), "nul-character");
});

test("a copy is equal, shares nothing, and takes a name for nothing but a name", () => {
  const value = { plans: ["1-1", { open: null, since: undefined }], [`__proto__`]: { polluted: true }, at: 3 };
  const copy = plainCopy(value);
  assert.deepEqual(copy, value);
  assert.notEqual(copy.plans, value.plans);
  assert.notEqual(copy.plans[1], value.plans[1]);
  assert.deepEqual(Object.keys(copy), ["plans", "__proto__", "at"]);
  assert.equal(Object.getPrototypeOf(copy), Object.prototype);
});
