/**
 * The id by which a message names itself, wherever its form keeps it. A sender over another door must know it before,
 * so that a retry is the same operation. Source: docs/protocol/messages.md, section 3.
 */
import { sha256 } from "../base/canonical.ts";
import { messageId } from "../base/ids.ts";
import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import type { Decoded } from "./decode.ts";
import { type RequestId, requestIdOf } from "./native.ts";

/** An id and the JSON path where the message has it. */
export interface WireId {
  readonly id: string;
  readonly path: string;
}

/**
 * The id that the message itself carries: of an envelope, of a handoff document, or of a request as agent programs write
 * it. Null: it has none.
 */
export function wireIdIn(decoded: Decoded): WireId | null {
  if (decoded.as !== "json" && decoded.as !== "quoted") return null;
  const { value } = decoded;
  if (!isJsonObject(value)) return null;
  if (typeof value.id === "string") return { id: value.id, path: "$.id" };
  return documentId(value.handoff) ?? (decoded.as === "json" ? requestId(value) : null);
}

/** As `wireIdIn`, the id alone. */
export function wireIdOf(decoded: Decoded): string | null {
  return wireIdIn(decoded)?.id ?? null;
}

function documentId(handoff: Json | undefined): WireId | null {
  const metadata = isJsonObject(handoff) ? handoff.metadata : undefined;
  const id = isJsonObject(metadata) ? metadata.id : undefined;
  if (typeof id !== "string" || id === "") return null;
  return { id: messageId(id) ?? idFor(id), path: "$.handoff.metadata.id" };
}

/** The operation id for sending a document whose own id cannot be an operation's id: always the same one. */
function idFor(documentId: string): string {
  return `handoff/${sha256(documentId)}`;
}

/** One that can be no id names nothing: the reading tells so, where the request is one. */
function requestId(value: JsonObject): RequestId | null {
  const found = requestIdOf(value);
  return found === null || messageId(found.id) === null ? null : found;
}
