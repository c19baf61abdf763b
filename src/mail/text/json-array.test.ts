import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { elementsOf } from "./message-source.ts";

async function* cutAt(text: string, places: readonly number[]): AsyncGenerator<Uint8Array, void> {
  const bytes = Buffer.from(text);
  let from = 0;
  for (const place of places.map((each) => each % (bytes.length + 1)).toSorted((a, b) => a - b)) {
    yield bytes.subarray(from, place);
    from = place;
  }
  yield bytes.subarray(from);
}

async function elements(text: string, places: readonly number[] = [], bytesMax = 1_000): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const element of elementsOf(cutAt(text, places), bytesMax)) found.push(Buffer.from(element).toString());
  return found;
}

test("an array comes out element by element, wherever its bytes are cut", async () => {
  const values = fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      values,
      fc.array(fc.nat(2_000), { maxLength: 8 }),
      fc.constantFrom(0, 1, 2),
      async (list, cuts, indent) => {
        const found = await elements(JSON.stringify(list, null, indent), cuts, 100_000);
        assert.deepEqual(
          found.map((text) => JSON.parse(text) as unknown),
          JSON.parse(JSON.stringify(list)),
        );
      },
    ),
    { numRuns: 300 },
  );
});

test("what is broken comes out as an element that is no JSON", async () => {
  const cases: readonly (readonly [text: string, elements: readonly string[]])[] = [
    ["[]", []],
    [" [ ]\n", []],
    ["[{}", ["{}", ""]],
    ["[{},", ["{}", ""]],
    ["[{},]", ["{}", ""]],
    ['[{"a":"', ['{"a":"', ""]],
    ["[{}] {}", ["{}", " {}"]],
    ["[{} {}]", ["{} {}"]],
    ["", [""]],
    ['["\\\\","]"]', ['"\\\\"', '"]"']],
  ];
  for (const [text, expected] of cases) assert.deepEqual(await elements(text), expected, text);
});

test("an element that is too long is cut, and what follows is not lost", async () => {
  assert.deepEqual(await elements(`["${"x".repeat(50)}",1]`, [10, 20, 30], 8), [`"${"x".repeat(8)}`, "1"]);
});
