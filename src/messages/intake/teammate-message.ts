/**
 * Forms in which an agent program keeps messages: the element `teammate-message` of a transcript, which in a message is a
 * quotation and stays prose, and the entries of an inbox. Rule: docs/protocol/messages.md, section 16.
 */
import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";

/** How a transcript begins what a teammate said. */
export const transcriptMark = "<teammate-message";

/*
 * Mailbox entries of Claude Code: `{from, text, timestamp, …}`, one object a message, the message itself being text.
 * Older entries lack `msgV`, `msg_id` and `type`. Any process of the user can write any `from`: it proves nothing.
 */

/** What an entry says of its text. */
export interface MailboxHead {
  /** The agent that the entry names; not proven. */
  readonly from: string;
}

export interface MailboxEntry extends MailboxHead {
  readonly text: string;
}

/** Fields of an entry next to `from` and `text`; one of them makes an object with those two an entry. */
const furtherFields = ["timestamp", "read", "msgV", "msg_id", "summary", "color"];
/** Fields that no entry has: with them the object is a separate message. */
const foreignFields = ["payload", "author_role", "schema_version"];

/** The entry that a JSON value is, or null. */
export function mailboxEntry(value: Json): MailboxEntry | null {
  if (!isJsonObject(value)) return null;
  // Nearly everything ends here, so the rest is not looked at before.
  const { from } = value;
  if (typeof from !== "string") return null;
  const { text, type } = value;
  if (typeof text !== "string") return null;
  return type === undefined || type === "message" ? entryOf(value, from, text) : null;
}

function entryOf(value: JsonObject, from: string, text: string): MailboxEntry | null {
  if (foreignFields.some((field) => Object.hasOwn(value, field))) return null;
  return furtherFields.some((field) => Object.hasOwn(value, field)) ? { from, text } : null;
}
