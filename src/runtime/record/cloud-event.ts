/**
 * An entry as a CloudEvent 1.0 in structured JSON: the entry whole is its data, so that nothing is lost and a journal can be
 * had back from its events, alone or in a batch. Source: the CloudEvents specification 1.0, JSON format and JSON batch
 * format.
 */
import type { Entry } from "../../journal/entry.ts";
import { logLine } from "./log.ts";

/** The attributes; those beyond the specification's are extensions, in its alphabet. */
export interface CloudEvent {
  readonly specversion: "1.0";
  /** The entry's hash: no other event of any journal has it. */
  readonly id: string;
  readonly source: string;
  /** `baton.KIND`, and the message's type where it has one. */
  readonly type: string;
  readonly time: string;
  /** The task that it is about. */
  readonly subject?: string;
  readonly datacontenttype: "application/json";
  /** The entry's number, in digits that sort as text. */
  readonly sequence: string;
  readonly batonsender: string;
  readonly batondialect?: string;
  readonly data: Entry;
}

/** The event that says what `entry` records. */
export function cloudEvent(entry: Entry): CloudEvent {
  const { kind, sender, task, dialect, type } = logLine(entry);
  return {
    specversion: "1.0",
    id: entry.hash,
    source: `urn:baton:team:${entry.team}`,
    type: isPlain(type) ? `baton.${kind}.${type}` : `baton.${kind}`,
    time: entry.recordedAt,
    ...(isPlain(task) ? { subject: task } : {}),
    datacontenttype: "application/json",
    sequence: String(entry.seq).padStart(16, "0"),
    batonsender: sender,
    ...(isPlain(dialect) ? { batondialect: dialect } : {}),
    data: entry,
  };
}

/** Attributes hold no controls; agents' words that are no plain ones are in the data only. */
function isPlain(word: string | null): word is string {
  return word !== null && /^[\x21-\x7e]{1,128}$/.test(word);
}
