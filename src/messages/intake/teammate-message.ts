/**
 * The form in which an agent program's transcript holds what a teammate said: words or a control frame inside one element
 * `teammate-message`. Importers read it; in a message that is sent it is a quotation and stays prose.
 * Rule: docs/protocol/messages.md, section 16.
 */
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { messageTool } from "../program-hooks.ts";

/** What a teammate said, by a transcript. Nothing of it is proven. */
export interface TeammateMessage {
  /** The teammate's id as the transcript has it. */
  readonly from: string;
  readonly text: string;
}

/** How a transcript begins what a teammate said. */
export const transcriptMark = "<teammate-message";
const closing = "</teammate-message>";
/** More characters of the opening tag are none of a transcript's. */
const tagCharactersMax = 1_024;

/** The message that `text` is in the form of a transcript; null: it is something else, or several. */
export function teammateMessage(text: string): TeammateMessage | null {
  const whole = text.trim();
  if (!whole.startsWith(transcriptMark) || !whole.endsWith(closing)) return null;
  const tagEnd = whole.slice(0, tagCharactersMax).indexOf(">");
  if (tagEnd < 0) return null;
  const from = /\steammate_id="([^"<>]+)"/.exec(whole.slice(0, tagEnd))?.[1];
  const inner = whole.slice(tagEnd + 1, whole.length - closing.length);
  if (from === undefined || inner.includes(transcriptMark) || inner.includes(closing)) return null;
  return { from, text: inner.trim() };
}

/** The words of a transcript's row, `{"type":"user","message":{"content":…}}`; null: it is no such row, or has parts. */
export function transcriptText({ message }: JsonObject): string | null {
  if (!isJsonObject(message ?? null)) return null;
  const { content } = message as JsonObject; // just asked
  if (typeof content === "string") return content;
  const [part, ...others]: readonly Json[] = content !== undefined && isJsonList(content) ? content : [];
  if (part === undefined || others.length > 0 || !isJsonObject(part)) return null;
  return typeof part.text === "string" ? part.text : null;
}

/** What an agent sent by the program's own tool, by a row of its transcript. Nothing of it is proven. */
export interface SentMessage {
  /** Null: the row does not name its agent. */
  readonly from: string | null;
  readonly to: Json;
  readonly text: string;
}

/** The messages that a row of a transcript shows an agent sending, `{"type":"assistant",…}`; none where it sends nothing. */
export function sentMessages({ type, message, agentName }: JsonObject): readonly SentMessage[] {
  if (type !== "assistant" || !isJsonObject(message ?? null)) return [];
  const { content } = message as JsonObject; // just asked
  const parts = content !== undefined && isJsonList(content) ? content.filter(isJsonObject) : [];
  const from = typeof agentName === "string" ? agentName : null;
  return parts.flatMap((part) => {
    const isSending = part.type === "tool_use" && part.name === messageTool;
    return isSending && isJsonObject(part.input ?? null) ? sentBy(from, part.input as JsonObject) : []; // just asked
  });
}

function sentBy(from: string | null, input: JsonObject): readonly SentMessage[] {
  const { message: said, content: words, to, recipient } = input;
  const text = said ?? words;
  if (typeof text !== "string" && !isJsonObject(text ?? null)) return [];
  const receiver = [to, recipient].find((each) => typeof each === "string") ?? null;
  return [{ from, to: receiver, text: typeof text === "string" ? text : JSON.stringify(text) }];
}

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
