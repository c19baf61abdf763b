import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { InvariantError } from "./invariant.ts";
import { decodeState, encodeState } from "./state-codec.ts";

const seed = 20_261;

test(`any nesting of JSON values and Maps comes back equal (seed ${seed})`, () => {
  const key = fc.oneof(fc.string(), fc.constantFrom("$map", "$object", "__proto__", "constructor"));
  const { state } = fc.letrec((tie) => ({
    state: fc.oneof(
      { maxDepth: 5 },
      fc.oneof(
        fc.constant(null),
        fc.boolean(),
        fc.string(),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
      ),
      fc.array(tie("state"), { maxLength: 4 }),
      fc.array(fc.tuple(key, tie("state")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
      fc.array(fc.tuple(key, tie("state")), { maxLength: 4 }).map((entries) => new Map(entries)),
    ),
  }));
  fc.assert(
    fc.property(state, (value) => {
      assert.deepStrictEqual(decodeState(encodeState(value)), value);
    }),
    { seed, numRuns: 500 },
  );
});

test("Maps keep the order in which their keys came", () => {
  const back = decodeState(
    encodeState(
      new Map([
        ["b", 1],
        ["a", 2],
      ]),
    ),
  );
  assert.ok(back instanceof Map);
  assert.deepEqual([...back.keys()], ["b", "a"]);
});

test("content that looks like the marks is carried as it is", () => {
  for (const value of [{ $map: [["a", 1]] }, { $object: [["a", 1]] }, { $map: 1 }, { $map: [], more: 1 }]) {
    assert.deepStrictEqual(decodeState(encodeState(value)), value);
  }
});

test("refuses what JSON text would change", () => {
  for (const value of [
    undefined,
    Number.NaN,
    -0,
    Number.POSITIVE_INFINITY,
    new Set(),
    { a: undefined },
    new Date(0),
    1n,
  ]) {
    assert.throws(() => encodeState(value), InvariantError);
  }
});
