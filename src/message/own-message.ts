/**
 * A message type of a team's own, as its team's revision records it. How it is written in a file:
 * `team/own-messages.ts`.
 */
import type { Json, JsonObject } from "../base/json.ts";
import type { Role } from "./role.ts";

export interface OwnMessage {
  readonly type: string;
  readonly summary: string;
  readonly senders: readonly Role[];
  readonly receivers: readonly Role[];
  /** The JSON Schema of its payload, in the subset that is checked (`schema/subset-read.ts`). */
  readonly schema: Json;
  /** A payload that fits. */
  readonly example: JsonObject;
}
