/**
 * Cutting a stream of bytes into lines, with a bound on each. Bytes stay bytes: whether they are UTF-8 is the
 * message reader's question. Works on files of any size, because only one line is held.
 */

/** The lines of `chunks` without their line ends; a longer line is cut to `bytesMax + 1` bytes, its rest is dropped. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<Uint8Array, void> {
  let held: Uint8Array[] = [];
  let length = 0;
  const hold = (part: Uint8Array) => {
    const room = bytesMax + 1 - length;
    if (room <= 0 || part.length === 0) return;
    const kept = part.subarray(0, room);
    held.push(kept);
    length += kept.length;
  };
  const take = (): Uint8Array => {
    const line = Buffer.concat(held);
    held = [];
    length = 0;
    return line.at(-1) === 0x0d ? line.subarray(0, -1) : line;
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
      hold(chunk.subarray(from, end));
      yield take();
      from = end + 1;
    }
    hold(chunk.subarray(from));
  }
  if (length > 0) yield take();
}
