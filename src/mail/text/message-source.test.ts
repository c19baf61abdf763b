import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { lineGroups, linesOf } from "./message-source.ts";

async function* given(chunks: readonly Uint8Array[]) {
  yield* chunks;
}

async function lines(chunks: readonly Uint8Array[], bytesMax: number): Promise<readonly string[]> {
  return (await Array.fromAsync(linesOf(given(chunks), bytesMax))).map((line) => Buffer.from(line).toString("latin1"));
}

/** The bytes of every line, whether it came as text or as bytes. */
async function grouped(chunks: readonly Uint8Array[], bytesMax: number): Promise<readonly string[]> {
  const groups = await Array.fromAsync(lineGroups(given(chunks), bytesMax));
  return groups.flat().map((line) => (typeof line === "string" ? Buffer.from(line) : line).toString("latin1"));
}

/** The bytes in pieces of these sizes, by turns. */
function cut(bytes: Uint8Array, sizes: readonly number[]): readonly Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let from = 0, turn = 0; from < bytes.length; turn++) {
    const size = (sizes[turn % sizes.length] ?? 0) + 1;
    chunks.push(bytes.subarray(from, from + size));
    from += size;
  }
  return chunks;
}

const seed = 20_260_212;
const cuts = fc.array(fc.nat(12), { minLength: 1 });

test("lines are the same however the bytes are cut into chunks", async () => {
  console.log(`seed ${seed}`);
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\n", "\r", "é"), maxLength: 60 });
  const property = fc.asyncProperty(text, cuts, async (whole, sizes) => {
    const chunks = cut(Buffer.from(whole, "latin1"), sizes);
    const expected = whole.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
    if (whole.endsWith("\n") || whole === "") expected.pop();
    assert.deepEqual(await lines(chunks, 1_000), expected);
  });
  await fc.assert(property, { seed, numRuns: 300 });
});

test("groups hold the same lines, whatever the bytes are and however long a line may be", async () => {
  console.log(`seed ${seed}`);
  // Pieces of UTF-8, whole and broken, a byte order mark, and line ends.
  const pieces = ["a", "\n", "\r\n", "\r", "é", "€", "😀", "\ufeff"].map((text) => Buffer.from(text));
  const broken = [Buffer.of(0xff), Buffer.of(0xe2, 0x82)];
  const bytes = fc.array(fc.oneof({ weight: 20, arbitrary: fc.constantFrom(...pieces) }, fc.constantFrom(...broken)), {
    maxLength: 60,
  });
  const property = fc.asyncProperty(bytes, cuts, fc.integer({ min: 1, max: 80 }), async (parts, sizes, bytesMax) => {
    const chunks = cut(Buffer.concat(parts), sizes);
    assert.deepEqual(await grouped(chunks, bytesMax), await lines(chunks, bytesMax));
  });
  await fc.assert(property, { seed, numRuns: 1_000 });
});

test("lines that a chunk ends come together, as strings; bytes that are no UTF-8 come unchanged", async () => {
  const chunks = [Buffer.from("one\ntwo\nthree\nfo"), Buffer.from("ur\nfive\n")];
  const groups = await Array.fromAsync(lineGroups(given(chunks), 1_000));
  assert.deepEqual(groups, [
    [Buffer.from("one"), "two", "three"],
    [Buffer.from("four"), "five"],
  ]);
  const broken = Buffer.concat([Buffer.from("one\n"), Buffer.of(0xff), Buffer.from("\nthree\n")]);
  assert.deepEqual(await Array.fromAsync(lineGroups(given([broken]), 1_000)), [
    [Buffer.from("one"), Buffer.of(0xff), Buffer.from("three")],
  ]);
});

test("a line over the limit is cut one byte behind it, and the next line is whole", async () => {
  const chunks = ["aaaa", "aaaa", "aa\nb", "b\ncccccc"].map((part) => Buffer.from(part));
  assert.deepEqual(await lines(chunks, 5), ["aaaaaa", "bb", "cccccc"]);
  assert.deepEqual(await grouped(chunks, 5), ["aaaaaa", "bb", "cccccc"]);
});
