/**
 * Cutting a stream of bytes that is one JSON array into its elements, with a bound on each. Works on files of any size,
 * because no more is held than a chunk and the element that it does not end. Nothing is judged here: what is broken comes
 * out as an element that no JSON reader takes.
 */

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openers: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const closers: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/**
 * The texts between the brackets and commas of the outermost array, in order; a longer one is cut to `bytesMax + 1` bytes.
 * An array that is not closed, or has more behind it, ends with an element that says so by being no JSON.
 */
export async function* elementsOf(
  chunks: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<Uint8Array, void> {
  const cut = newCutter(bytesMax);
  for await (const chunk of chunks) yield* cut.take(chunk);
  yield* cut.end();
}

function newCutter(bytesMax: number) {
  let depth = 0;
  let inText = false;
  let isEscaped = false;
  let isClosed = false;
  let count = 0;
  let held: Uint8Array[] = [];
  let length = 0;
  const hold = (part: Uint8Array): void => {
    const kept = part.subarray(0, Math.max(0, bytesMax + 1 - length));
    if (kept.length > 0) held.push(kept.slice());
    length += kept.length;
  };
  const taken = (): Uint8Array => {
    const element = Buffer.concat(held);
    held = [];
    length = 0;
    count += 1;
    return element;
  };
  /** Whether the byte ends an element: a comma between two, or the array's own bracket. */
  const ends = (byte: number): boolean => {
    if (inText) {
      inText = isEscaped || byte !== quote;
      isEscaped = !isEscaped && byte === backslash;
      return false;
    }
    if (byte === quote) inText = true;
    else if (openers.has(byte)) depth += 1;
    else if (closers.has(byte)) depth -= 1;
    else return byte === comma && depth === 1;
    isClosed = depth === 0;
    return isClosed;
  };
  return {
    *take(chunk: Uint8Array): Generator<Uint8Array, void> {
      let from = 0;
      for (let at = 0; at < chunk.length && !isClosed; at++) {
        const wasOutside = depth === 0;
        const isEnd = ends(chunk[at] ?? 0);
        if (wasOutside && depth === 1) from = at + 1;
        if (!isEnd) continue;
        hold(chunk.subarray(from, at));
        from = at + 1;
        const element = taken();
        // An empty array has no element, and one blank place in it is none.
        if (!isClosed || count > 1 || !isBlank(element)) yield element;
      }
      hold(chunk.subarray(from));
    },
    *end(): Generator<Uint8Array, void> {
      const rest = taken();
      if (!isBlank(rest)) yield rest;
      if (!isClosed) yield new Uint8Array();
    },
  };
}

function isBlank(text: Uint8Array): boolean {
  return text.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d);
}
