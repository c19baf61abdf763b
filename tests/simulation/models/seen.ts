/** An entry as the checker looks at it: what it says, when it came, and the words of its message. */
import { isJsonObject, type Json, type JsonObject, parseBounded } from "../../../src/base/json.ts";
import type { Entry } from "../../../src/journal/entry.ts";
import { type Content, effectsOf } from "../../../src/perform/content.ts";
import type { CoordinationEvent } from "../../../src/perform/deciders.ts";

/** Tells what is wrong; the run ends with it. */
export type Wrong = (what: string) => void;

/** An entry that is in the journal. */
export interface Seen {
  readonly entry: Entry;
  readonly content: Omit<Content, "message">;
  /** The machine's own time when it came, in milliseconds since the start. */
  readonly atMs: number;
  /**
   * A field of the message, of its payload or, where it is flat, next to its type; undefined also where it is prose.
   */
  said(field: string): Json | undefined;
  /** A field of the message's envelope, or undefined. */
  head(field: string): Json | undefined;
}

/** Events of one kind. */
export type EventOf<Name extends CoordinationEvent["event"]> = Extract<CoordinationEvent, { readonly event: Name }>;

/** Reads what an entry says. */
export function see(entry: Entry, atMs: number): Seen {
  let parsed: JsonObject | null | undefined;
  const wire = () => {
    parsed ??= wireOf(entry);
    return parsed;
  };
  return {
    entry,
    content: effectsOf(entry),
    atMs,
    said(field) {
      const payload = wire()?.payload;
      return isJsonObject(payload) ? payload[field] : wire()?.[field];
    },
    head: (field) => wire()?.[field],
  };
}

function wireOf({ text }: Entry): JsonObject | null {
  if (text?.startsWith("{") !== true) return null;
  const read = parseBounded(text);
  return read.ok && isJsonObject(read.value) ? read.value : null;
}
