/** SHA-256, as lower case hex of 64 characters. */
import { hash } from "node:crypto";

/** The SHA-256 of `data` (a string counts as its UTF-8 bytes), 64 lower case hex digits. */
export function sha256(data: string | Uint8Array): string {
  return hash("sha256", data, "hex");
}
