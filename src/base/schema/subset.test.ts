import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../json.ts";
import { ownSchemaAlternativesMax, ownSchemaPartsMax, ownSchemaWordsMax } from "../limits.ts";
import { insteadOf, subsetKeywords } from "./subset-constraints.ts";
import { readSubset } from "./subset-read.ts";
import { exampleOf, validatorOf, valueFormOf, wordsOfForm } from "./subset-value.ts";
import { problemsOf } from "./validator-problems.ts";

function textsOf(schema: Json): readonly string[] {
  return readSubset(schema).problems.map(({ steps, message }) => `${steps.join("/")}: ${message}`);
}

const outside: readonly (readonly [schema: Json, place: string])[] = [
  [true, ""],
  [[], ""],
  [{ type: "text" }, "type"],
  [{ type: [] }, "type"],
  [{ type: ["string", "string"] }, "type"],
  [{ enum: [] }, "enum"],
  [{ enum: ["a", "a"] }, "enum"],
  [{ enum: [{}] }, "enum"],
  [{ enum: Array.from({ length: ownSchemaWordsMax + 1 }, (_, index) => index) }, "enum"],
  [{ const: [] }, "const"],
  [{ const: 1, enum: [1] }, ""],
  [{ format: "email" }, "format"],
  [{ minLength: -1 }, "minLength"],
  [{ maxItems: 1.5 }, "maxItems"],
  [{ minimum: "0" }, "minimum"],
  [{ items: false }, "items"],
  [{ items: [] }, "items"],
  [{ properties: [] }, "properties"],
  [{ properties: { a: 1 } }, "properties/a"],
  [{ required: ["a", "a"] }, "required"],
  [{ required: "a" }, "required"],
  [{ additionalProperties: 1 }, "additionalProperties"],
  [{ anyOf: [] }, "anyOf"],
  [{ oneOf: Array.from({ length: ownSchemaAlternativesMax + 1 }, () => ({})) }, "oneOf"],
  [{ $ref: "https://example.org/other" }, "$ref"],
  [{ $ref: "#/$defs/missing" }, "$ref"],
  [{ $defs: { a: { $ref: "#/$defs/a" } } }, "$ref"],
  [{ $defs: { a: { items: { $ref: "#/$defs/b" } }, b: { anyOf: [{ $ref: "#/$defs/a" }] } } }, "$ref"],
  [{ items: { $defs: {} } }, "items/$defs"],
  [{ $defs: { unused: { pattern: "^a" } } }, "$defs/unused/pattern"],
  [{ $schema: "http://json-schema.org/draft-07/schema#" }, "$schema"],
  [{ title: 1 }, "title"],
  [{ examples: "one" }, "examples"],
  [{ pattern: "(a+)+$" }, "pattern"],
  [{ minLenght: 1 }, "minLenght"],
];

test("a keyword outside the subset is reported at its place", () => {
  for (const [schema, place] of outside) {
    const problems = textsOf(schema);
    assert.ok(
      problems.some((problem) => problem.split(": ")[0]?.endsWith(place)),
      `${JSON.stringify(schema).slice(0, 80)}: ${problems.join("; ")}`,
    );
  }
});

test("every keyword that is left out says what to write instead, and none that is known is left out", () => {
  for (const [keyword, instead] of insteadOf) {
    assert.ok(!subsetKeywords.some((known) => known === keyword), keyword);
    assert.equal(readSubset({ [keyword]: 1 }).problems[0]?.hint, instead, keyword);
  }
});

test("a schema that grows by naming itself twice over is refused, whatever its text is long", () => {
  const defs: { [name: string]: Json } = { d0: { type: "string" } };
  for (let level = 1; level <= 30; level++) {
    const twice = { $ref: `#/$defs/d${level - 1}` };
    defs[`d${level}`] = { anyOf: [twice, { items: twice }] };
  }
  const [problem] = readSubset({ $ref: "#/$defs/d30", $defs: defs }).problems;
  assert.match(problem?.message ?? "", /too large/);
  assert.equal(problem?.expected, `at most ${ownSchemaPartsMax} parts`);
});

test("the largest schema on the largest value is checked at once", () => {
  let schema: Json = { type: "integer" };
  for (let level = 0; level < 7; level++) schema = { anyOf: [{ type: "boolean" }, schema, { type: "null" }] };
  const { form, problems } = readSubset({ type: "array", items: schema });
  assert.deepEqual(problems, []);
  const value = Array.from({ length: 9_999 }, () => "no");
  const started = process.cpuUsage();
  assert.equal(validatorOf(form)(value), false);
  // Processor time, independent of other programs; it takes some 50 ms.
  assert.ok(process.cpuUsage(started).user < 2_000_000);
});

test("an error is reported as those of the dialects are", () => {
  const { form } = readSubset({
    type: "object",
    additionalProperties: false,
    required: ["level", "at"],
    properties: {
      level: { enum: ["low", "high"] },
      at: { type: "string", format: "date-time" },
      name: { type: "string", minLength: 3, maxLength: 4 },
      list: { type: "array", minItems: 1, maxItems: 2 },
      share: { type: "number", maximum: 1 },
      either: { anyOf: [{ type: "integer" }, { type: "boolean" }] },
      one: { oneOf: [{ type: "integer" }, { minimum: 0 }] },
      rank: { enum: [1, 2] },
    },
  });
  const value = { level: "hihg", at: "today", name: "ab", list: [], share: 2, either: "x", one: 1, rank: 3, lvl: 1 };
  const validate = validatorOf(form);
  assert.equal(validate(value), false);
  assert.deepEqual(
    problemsOf(validate.errors ?? [], value, {}).map(({ code, path, message }) => `${code} ${path} ${message}`),
    [
      "wrong-value $.level $.level must be one of low | high.",
      "wrong-value $.share $.share must be at most 1.",
      "wrong-value $.either $.either fits none of the forms that its definition allows.",
      "wrong-value $.one $.one fits more than one of the forms that its definition allows.",
      "wrong-value $.rank $.rank must be one of 1 | 2.",
      "wrong-format $.at $.at must be an RFC 3339 date-time.",
      "wrong-format $.name $.name must have at least 3 characters.",
      "wrong-format $.list $.list must not be empty.",
      "unknown-field $.lvl $.lvl is not part of the definition, which allows no further fields.",
    ],
  );
});

test("a form is known in words, as a value form and by an example", () => {
  const known: readonly (readonly [schema: Json, words: string, is: string, example: Json])[] = [
    [{ type: "string", minLength: 1 }, "text, not empty", "text", "text"],
    [{ type: "string", maxLength: 2 }, "text, at most 2 characters", "text", "te"],
    [{ type: "string", format: "date-time" }, "moment (RFC 3339 date-time)", "text", "2026-03-04T10:00:00Z"],
    [{ enum: ["low", "high"] }, "low | high", "text", "low"],
    [{ type: "integer", minimum: 0, maximum: 5 }, "whole number, 0 to 5", "whole", 0],
    [{ type: "number" }, "number", "any", 1],
    [{ type: ["boolean", "null"] }, "true or false or null", "flag", true],
    [{ type: "array", items: { type: "string" } }, "list of text", "list", ["text"]],
    [{ type: "object", properties: { a: { type: "integer" } } }, "object (a)", "object", { a: 1 }],
    [{ $ref: "#/$defs/a", $defs: { a: { type: "boolean" } } }, "true or false", "flag", true],
    [{ anyOf: [{ type: "integer" }, { type: "string" }] }, "whole number, or text", "any", 1],
    [{ type: "string", examples: ["like this"] }, "text", "text", "like this"],
    [{ type: "integer", minimum: 2, maximum: 1 }, "whole number, 2 to 1", "whole", null],
    [{ type: "string", minLength: 1e9 }, "text, at least 1000000000 characters", "text", null],
    [{}, "any value", "any", "text"],
  ];
  for (const [schema, words, is, example] of known) {
    const { form, problems } = readSubset(schema);
    assert.deepEqual(problems, []);
    assert.equal(wordsOfForm(form), words);
    assert.equal(valueFormOf(form).is, is, words);
    assert.deepEqual(exampleOf(form), example, words);
  }
});
