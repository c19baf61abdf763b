import assert from "node:assert/strict";
import { test } from "node:test";
import canonicalize from "canonicalize";
import fc from "fast-check";
import { anyCharacter } from "../../tests/corpus/any-character.ts";
import { canonical } from "./canonical.ts";
import { type Json, parseBounded } from "./json.ts";

const seed = 8_785;

test("writes the example of RFC 8785, section 3.2.2", () => {
  const text = String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],
    "string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`;
  assert.equal(
    canonical(JSON.parse(text)),
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  );
});

test("sorts keys by UTF-16 units, however many there are", () => {
  const keys = ["€", "\r", "דּ", "1", "😀", "\u0080", "ö", "10", "9"];
  const few = Object.fromEntries(keys.map((key) => [key, 1]));
  const many = Object.fromEntries(
    [...keys, ...Array.from({ length: 40 }, (_, index) => `k${index}`)].map((key) => [key, 1]),
  );
  for (const value of [few, many]) assert.equal(canonical(value), canonicalize(value));
});

test("writes negative zero as 0 and leaves undefined members out", () => {
  assert.equal(canonical([-0, 0]), "[0,0]");
  assert.equal(canonical({ b: 1, a: undefined } as unknown as Json), '{"b":1}');
});

test(`equals the library on any JSON, and what it writes is read back as the same value (seed ${seed})`, () => {
  const text = fc
    .oneof(fc.string({ unit: anyCharacter }), fc.string({ unit: "grapheme" }))
    .map((value) => value.toWellFormed());
  const { value } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.constant(null),
      fc.boolean(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.maxSafeInteger(),
      text,
      fc.array(tie("value")),
      fc.dictionary(text, tie("value"), { noNullPrototype: true }),
    ),
  }));
  fc.assert(
    fc.property(value, (any) => {
      const written = canonical(any);
      assert.equal(written, canonicalize(any));
      const read = parseBounded(written);
      if (read.ok) assert.equal(canonical(read.value), written);
      else assert.ok(["nul-character", "forbidden-key", "number-range"].includes(read.error.code), read.error.code);
    }),
    { seed, numRuns: 3_000 },
  );
});
