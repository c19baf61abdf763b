/**
 * A message's fields as rows for people, under the names that its dialect gives them: first what it says (the
 * payload), then the envelope around it.
 */
import { isJsonList, isJsonObject, type Json, type JsonObject, parseBounded } from "../../../base/json.ts";
import type { Message } from "../../../messages/message.ts";
import type { Shown } from "../../../record/operations/entries.ts";

export interface FieldRow {
  readonly name: string;
  readonly value: FieldValue;
}

export type FieldValue =
  | { readonly form: "text"; readonly text: string }
  | { readonly form: "list"; readonly items: readonly FieldValue[] }
  | { readonly form: "fields"; readonly rows: readonly FieldRow[] }
  | { readonly form: "json"; readonly text: string };

export interface Fields {
  readonly payload: readonly FieldRow[];
  readonly envelope: readonly FieldRow[];
}

/** The rows of a message; none for prose, which is only text. */
export function fieldsOf(message: Message): Fields {
  if (message.fact === null) return { payload: [], envelope: [] };
  const read = parseBounded(message.text);
  const written = read.ok && isJsonObject(read.value) ? read.value : null;
  // Text that is not JSON itself, as JSON in a fence is not: then what was understood of it.
  if (written === null) return { payload: rowsOf(message.fact.body), envelope: rowsOf({ ...message.fact.head }) };
  const { payload, ...envelope } = written;
  // A flat message, and one under another key, has its content next to its envelope.
  return { payload: rowsOf(isJsonObject(payload) ? payload : message.fact.body), envelope: rowsOf(envelope) };
}

/** The whole words of an entry that speaks in prose, an agent's or Baton's own; null: it says fields, or nothing. */
export function wordsOf(shown: Shown): string | null {
  if (shown.message !== null) return shown.message.fact === null ? shown.message.text : null;
  const { content } = shown.entry;
  const own = isJsonObject(content) ? content.message : undefined;
  return isJsonObject(own) && typeof own.text === "string" && own.text !== "" ? own.text : null;
}

/** Deeper values are shown as JSON: a page of nested rows says less than the text does. */
const depthMax = 3;

/** The rows of an object as they are shown; none of what is no object. */
export function rowsOf(fields: unknown, depth = 0): readonly FieldRow[] {
  if (typeof fields !== "object" || fields === null) return [];
  // Facts are plain JSON by their types.
  return Object.entries(fields as JsonObject)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => ({ name, value: fieldValue(value, depth) }));
}

function fieldValue(value: Json, depth: number): FieldValue {
  if (typeof value === "string") return { form: "text", text: value };
  if (typeof value !== "object" || value === null) return { form: "text", text: String(value) };
  if (Object.keys(value).length === 0) return { form: "text", text: "none" };
  if (depth >= depthMax) return { form: "json", text: indented(value) };
  if (isJsonList(value)) return { form: "list", items: value.map((item) => fieldValue(item, depth + 1)) };
  return { form: "fields", rows: rowsOf(value, depth + 1) };
}

/** JSON as people read it. */
function indented(value: Json): string {
  return JSON.stringify(value, null, 2);
}

/* An entry's own words, whichever kind it is of. */
export interface Record {
  readonly title: string;
  /** What a reader must know about the text; null: it is whole. */
  readonly remark: string | null;
  readonly text: string;
}

/** A message word for word, the kept beginning of a refused text, or the entry's content. */
export function recordOf(shown: Shown): Record {
  if (shown.message !== null) return { title: "Word for word", remark: null, text: shown.message.text };
  const { content } = shown.entry;
  const refused = isJsonObject(content) ? content.refused : undefined;
  if (isJsonObject(refused) && typeof refused.excerpt === "string") {
    const bytes = Number(refused.bytes);
    const kept = new TextEncoder().encode(refused.excerpt).length;
    const remark = kept < bytes ? `The first ${kept} of ${bytes} bytes; of a refused text no more is kept.` : null;
    return { title: "What was refused", remark, text: refused.excerpt };
  }
  return { title: "What was recorded", remark: null, text: indented(content) };
}
