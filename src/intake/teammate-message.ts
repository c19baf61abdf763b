/**
 * The form in which an agent program's transcript holds what a teammate said: words or a control frame inside one element
 * `teammate-message`. Importers read it; in a message that is sent it is a quotation and stays prose.
 * Rule: docs/protocol/reading.md, section 6.
 */
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../base/json.ts";

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
