/** Reading standard input at once, without the event loop: the hook's process does nothing else. */
import { readSync } from "node:fs";

/** More than any script was ever asked to judge; beyond it nothing is read. */
const inputBytesMax = 16 * 1024 * 1024;

/** Standard input to its end, or null when it is longer than 16 MiB. */
export function readStandardInput(): string | null {
  const parts: Uint8Array[] = [];
  const buffer = Buffer.alloc(64 * 1024);
  let length = 0;
  for (;;) {
    const count = readSome(buffer);
    if (count === 0) return Buffer.concat(parts).toString("utf8");
    length += count;
    if (length > inputBytesMax) return null;
    parts.push(Uint8Array.from(buffer.subarray(0, count)));
  }
}

/** At least a byte, or 0 at the end. A pipe in non-blocking mode that has nothing yet is asked again. */
function readSome(buffer: Uint8Array): number {
  for (;;) {
    try {
      return readSync(0, buffer);
    } catch (cause) {
      const code = cause instanceof Error && "code" in cause ? cause.code : null;
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw cause;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
