/**
 * The id by which a message names itself, wherever its form keeps it. Whoever sends it by another way must know it
 * before, so that sending it again is the same act.
 * Source: semantics.md section 1.5.
 */
import { isJsonObject, type Json } from "../base/json.ts";
import type { Decoded } from "./decode.ts";

/** The id that the message itself carries: of an envelope, or of a handoff document. Null: it has none. */
export function wireIdOf(decoded: Decoded): string | null {
  if (decoded.as !== "json" && decoded.as !== "quoted") return null;
  const { value } = decoded;
  if (!isJsonObject(value)) return null;
  if (typeof value.id === "string") return value.id;
  return documentId(value.handoff);
}

function documentId(handoff: Json | undefined): string | null {
  const metadata = isJsonObject(handoff) ? handoff.metadata : undefined;
  return isJsonObject(metadata) && typeof metadata.id === "string" ? metadata.id : null;
}
