/** A stream of bytes, taken by lines and by counts as its protocol says. */
import type { Readable } from "node:stream";

export interface ByteStream {
  /** The bytes up to the next line feed, without it; null: the stream ended, or the line is too long. */
  line(bytesMax: number): Promise<Buffer | null>;
  /** Exactly `count` bytes; null: the stream ended before. */
  take(count: number): Promise<Buffer | null>;
}

const lineFeed = 0x0a;

/** Takes over the stream; nobody else may read it. */
export function bytesOf(stream: Readable): ByteStream {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let held: Buffer[] = [];
  let count = 0;
  const more = async (): Promise<boolean> => {
    try {
      const next = await chunks.next();
      if (next.done === true) return false;
      held.push(next.value);
      count += next.value.length;
      return true;
    } catch {
      // A pipe that broke off is one that ended; the process behind it says why.
      return false;
    }
  };
  const cut = (bytes: number): Buffer => {
    const whole = held.length === 1 && held[0] !== undefined ? held[0] : Buffer.concat(held);
    held = bytes === whole.length ? [] : [whole.subarray(bytes)];
    count -= bytes;
    return whole.subarray(0, bytes);
  };
  return {
    line: async (bytesMax) => {
      for (;;) {
        const whole = held.length === 1 && held[0] !== undefined ? held[0] : Buffer.concat(held);
        held = [whole];
        const end = whole.indexOf(lineFeed);
        if (end >= 0) return cut(end + 1).subarray(0, end);
        if (whole.length > bytesMax || !(await more())) return null;
      }
    },
    take: async (wanted) => {
      while (count < wanted) if (!(await more())) return null;
      return cut(wanted);
    },
  };
}
