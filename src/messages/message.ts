/**
 * What was said: a message as every floor above sees it, whichever dialect it came in.
 * A message is kept twice: verbatim (`text`) and as a neutral fact that any dialect can write again.
 */

import type { JsonObject } from "../base/json.ts";
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
