import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { linesOf } from "./json-lines.ts";

async function lines(chunks: readonly Uint8Array[], bytesMax: number): Promise<readonly string[]> {
  async function* given() {
    yield* chunks;
  }
  return (await Array.fromAsync(linesOf(given(), bytesMax))).map((line) => Buffer.from(line).toString("latin1"));
}

test("lines are the same however the bytes are cut into chunks", async () => {
  const seed = 20_260_212;
  console.log(`seed ${seed}`);
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\n", "\r", "é"), maxLength: 60 });
  const property = fc.asyncProperty(text, fc.array(fc.nat(12), { minLength: 1 }), async (whole, sizes) => {
    const bytes = Buffer.from(whole, "latin1");
    const chunks: Uint8Array[] = [];
    for (let from = 0, turn = 0; from < bytes.length; turn++) {
      const size = (sizes[turn % sizes.length] ?? 0) + 1;
      chunks.push(bytes.subarray(from, from + size));
      from += size;
    }
    const expected = whole.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
    if (whole.endsWith("\n") || whole === "") expected.pop();
    assert.deepEqual(await lines(chunks, 1_000), expected);
  });
  await fc.assert(property, { seed, numRuns: 300 });
});

test("a line over the limit is cut one byte behind it, and the next line is whole", async () => {
  const chunks = ["aaaa", "aaaa", "aa\nb", "b\ncccccc"].map((part) => Buffer.from(part));
  assert.deepEqual(await lines(chunks, 5), ["aaaaaa", "bb", "cccccc"]);
});
