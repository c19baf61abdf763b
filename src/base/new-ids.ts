/**
 * Ids and secrets that are made here. Apart from what counts as an id, because randomness loads the whole of node:crypto
 * and a command that only reads does without it.
 */
import { randomBytes, randomUUID } from "node:crypto";
import type { MessageId } from "./ids.ts";

/** A new random id (UUID v4). */
export function newMessageId(): MessageId {
  return randomUUID() as MessageId;
}

/** A new secret of 256 random bits, as a word that a search for leaked credentials finds: `baton_` and 43 characters. */
export function newSecret(): string {
  return `baton_${randomBytes(32).toString("base64url")}`;
}
