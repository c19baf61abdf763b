/** The packed files of this folder: a line of JSON with each file's name and size, and behind it their bytes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";

/** The unpacked bytes of a packed file of this folder. */
export function unpacked(name: string): Buffer {
  return brotliDecompressSync(readFileSync(join(import.meta.dirname, name)));
}

/** The journals by their names, each a database of SQLite in one piece. */
export function packedJournals(): ReadonlyMap<string, Buffer> {
  const bytes = unpacked("journals.br");
  let at = bytes.indexOf("\n") + 1;
  const sizes = JSON.parse(bytes.subarray(0, at).toString()) as readonly (readonly [string, number])[]; // our own
  return new Map(
    sizes.map(([name, size]) => {
      at += size;
      return [name, bytes.subarray(at - size, at)];
    }),
  );
}
