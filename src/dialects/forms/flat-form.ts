/**
 * The form of a message of a first revision: how it is told from a typed one, where its fields stand, and by which
 * names it may say what a typed one's envelope says.
 */
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { Problem } from "../../base/problem.ts";
import type { FactHead, Json } from "../../message/facts.ts";
import type { Note } from "../../message/message.ts";
import type { Readable } from "../readable.ts";

/**
 * The mark of a typed envelope: `schema_version`, or `author_role` together with a payload; also where the whole of it was
 * put into the payload. A value that has it is typed or invalid, and never read as something lower.
 */
export function carriesEnvelopeMark(value: JsonObject): boolean {
  // No value of JSON is undefined, and reading a field costs less than asking for it.
  if (value.schema_version !== undefined) return true;
  const { payload } = value;
  if (payload === undefined) return false;
  return value.author_role !== undefined || (isJsonObject(payload) && payload.schema_version !== undefined);
}

/** A message whose fields stood in `payload`, as a flat one. */
export interface Flattened {
  readonly message: JsonObject;
  /** What is told of the flat message, with the path of the field as it was sent. */
  placed<Told extends Problem | Note>(told: Told): Told;
}

/** A message whose fields stand in `payload` as a flat one; null: it is flat as it stands. */
export function flattened(entry: Readable, message: JsonObject): Flattened | null {
  const { payload } = message;
  return isJsonObject(payload) && !entry.names.has("payload") ? unfolded(message, payload) : null;
}

/** `message` with the fields of its `payload` beside the others. */
function unfolded(message: JsonObject, payload: JsonObject): Flattened | null {
  const { payload: _, ...around } = message;
  // A name that stands in both places is ambiguous: the one outside stays a stranger called `payload`.
  if (Object.keys(payload).some((key) => Object.hasOwn(around, key))) return null;
  const placed = <Told extends Problem | Note>(told: Told): Told => {
    const [, field = ""] = /^\$\.([A-Za-z0-9_]+)/.exec(told.path) ?? [];
    if (told.path === "$" || Object.hasOwn(around, field)) return told;
    const path = `$.payload${told.path.slice(1)}`;
    const { hint } = told as Partial<Problem>; // Notes have none.
    const words = { path, message: told.message.replaceAll(told.path, path) };
    return { ...told, ...words, ...(hint === undefined ? {} : { hint: hint.replaceAll(told.path, path) }) };
  };
  return { message: { ...around, ...payload }, placed };
}

/** Fields of the head by their wire names. */
export const headFields = {
  phase: "phase",
  task: "task",
  author_role: "authorRole",
  timestamp: "timestamp",
  confidence: "confidence",
} as const satisfies { readonly [name: string]: keyof FactHead };

export type HeadName = keyof typeof headFields;

/** The names of the head's fields on the wire of a first revision. */
export const headNames = Object.keys(headFields) as readonly HeadName[];

/** The head's value under a wire name. */
export function headValue(head: FactHead, name: HeadName): string | number | null {
  return head[headFields[name]];
}

/** The head of a message that says nothing of it. */
export const noHead: FactHead = { phase: null, task: null, authorRole: null, timestamp: null, confidence: null };

/** What a flat message says of its head; a value of another type is none of the head's. */
export function headOf(value: JsonObject): FactHead {
  const { phase, task, author_role: authorRole, timestamp, confidence } = value;
  return {
    phase: typeof phase === "number" ? phase : textOf(phase),
    task: textOf(task),
    authorRole: textOf(authorRole),
    timestamp: textOf(timestamp),
    confidence: textOf(confidence),
  };
}

function textOf(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

/** Whether a value under the head's name is taken as the head's. */
export function isHeadValue(name: HeadName, value: Json | undefined): value is string | number {
  return typeof value === "string" || (name === "phase" && typeof value === "number");
}
