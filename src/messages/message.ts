/**
 * What was said: a message as every floor above sees it, whichever dialect it came in.
 * A message is kept twice: verbatim (`text`) and as a neutral fact that any dialect can write again. Last, the notes that
 * its receiver reads. Source: docs/protocol/messages.md, section 18.
 */

import type { JsonObject } from "../base/json.ts";
import { visible } from "../base/text.ts";
import type { Fact, Json } from "./facts.ts";
import type { Role } from "./role.ts";

/** A dialect's id: family and document revision, e.g. `vbw/2`. The registry lists those that exist. */
export type DialectId = `${string}/${string}`;

/** How an input was read: a full envelope, flat fields next to `type`, a handoff document, or prose. */
export type Rung = "typed" | "structured" | "document" | "markdown";

/**
 * A noteworthy thing that is not an error: a kept extra field, an ambiguity, a drifted spelling (`from` as it was
 * written, `to` as it was read, both shortened JSON), an error recorded under `observe`.
 */
export interface Note {
  readonly code: string;
  readonly path: string;
  readonly message: string;
  readonly from?: string;
  readonly to?: string;
}

/** One message as read. `type` is null for prose, `fact` too: prose has no effect. */
export interface Message {
  readonly dialect: DialectId | null;
  readonly type: string | null;
  readonly rung: Rung;
  /** The id written in the message, when it has one. */
  readonly wireId: string | null;
  /** The text exactly as it came. */
  readonly text: string;
  readonly fact: Fact | null;
  /** The message's wire object, where the text is not that and nothing else. */
  readonly wire?: { readonly [key: string]: Json };
}

/*
 * A message type of a team's own, as its team's revision records it. How it is written in a file:
 * `team/state/own-messages.ts`.
 */
export interface OwnMessage {
  readonly type: string;
  readonly summary: string;
  readonly senders: readonly Role[];
  readonly receivers: readonly Role[];
  /** The JSON Schema of its payload, in the subset that is checked (`base/schema/subset-read.ts`). */
  readonly schema: Json;
  /** A payload that fits. */
  readonly example: JsonObject;
}

/** What a delivery says of a message next to its content. */
interface Noted {
  readonly effect: boolean;
  readonly notes: readonly Note[];
}

/** About how the sender wrote it, or what it only asked to know: the sender's own, and in the answer that it got. */
const codesOfSender: ReadonlySet<Note["code"]> = new Set([
  "alias",
  "already-so",
  "ambiguous-dialect",
  "contract-unchanged",
  "left-open",
  "lifted",
  "mailbox-entry",
  "no-deadline",
  "not-typed",
  "quoted-message",
  "read-as-prose",
  "unknown-field",
]);

/** The notes that the receiver reads; of a message without effect all, because they say why it has none. */
export function receiverNotes({ effect, notes }: Noted): readonly Note[] {
  return effect ? notes.filter(({ code }) => !codesOfSender.has(code)) : notes;
}

/** What a program that reads an inbox gets besides the message: that it has no effect, and its notes. */
export function deliveryRemarks(delivery: Noted): { readonly effect?: false; readonly notes?: readonly Note[] } {
  const notes = receiverNotes(delivery);
  if (!delivery.effect) return { effect: false, notes };
  return notes.length === 0 ? {} : { notes };
}

/** `must-fix-open at $.result: The approval …`, safe to show. */
export function receiverNoteLine({ code, path, message }: Note): string {
  return visible(`${code} at ${path}: ${message}`);
}
