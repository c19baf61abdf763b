/** What tells one handoff document from another, whatever its spacing, its comments and its order. */
import { canonical } from "../base/canonical.ts";
import { sha256 } from "../base/digest.ts";
import type { Fact } from "./facts.ts";

/** SHA-256 over the canonical JSON of everything that the document says, 64 hex digits. */
export function handoffDigest({ body, extra }: Fact): string {
  return sha256(canonical({ body, extra: extra ?? null }));
}
