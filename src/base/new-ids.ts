/**
 * Ids and secrets that are made here. Apart from what counts as an id, because chance comes from node:crypto, which is
 * loaded with the first id: it takes a fifth of Node's own start, and many commands make none.
 */
import type { MessageId } from "./ids.ts";

function loaded() {
  return process.getBuiltinModule("node:crypto");
}

/** A new random id (UUID v4). */
export function newMessageId(): MessageId {
  return loaded().randomUUID() as MessageId;
}

/** A new secret of 256 random bits, as a word that a search for leaked credentials finds: `baton_` and 43 characters. */
export function newSecret(): string {
  return `baton_${loaded().randomBytes(32).toString("base64url")}`;
}
