/** What a role is to the agent that plays it: how it begins, and what it does about each letter. */
import { isJsonObject, type JsonObject } from "../../src/base/json.ts";
import type { Desk } from "../desk.ts";
import type { Letter } from "../doors/agent-door.ts";

/** After a letter: go on reading, or the part is over. */
export type Then = "read-on" | "leave";

export interface Role {
  /** What it does before any letter; left out: it waits for the first. */
  begin?(): Promise<void>;
  /** Acts on one letter. It is acknowledged afterwards, so a killed agent gets it again. */
  react(letter: Letter): Promise<Then>;
}

/** A role at a desk. What it remembers is gone when its process ends; what matters stands in the journal and in git. */
export type MakeRole = (desk: Desk) => Role;

/** The payload of a letter's wire object; an empty one for prose. */
export function payloadOf(letter: Letter): JsonObject {
  return isJsonObject(letter.message) && isJsonObject(letter.message.payload) ? letter.message.payload : {};
}
