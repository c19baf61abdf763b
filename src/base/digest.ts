/**
 * SHA-256, as lower case hex of 64 characters. `node:crypto` is loaded with the first digest: that takes a millisecond, and
 * many commands make none.
 */
type Hash = (algorithm: string, data: string | Uint8Array, encoding: "hex") => string;

let hash: Hash | null = null;

/** The SHA-256 of `data` (a string counts as its UTF-8 bytes), 64 lower case hex digits. */
export function sha256(data: string | Uint8Array): string {
  hash ??= process.getBuiltinModule("node:crypto").hash as Hash;
  return hash("sha256", data, "hex");
}
