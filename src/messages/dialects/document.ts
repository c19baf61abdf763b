/**
 * Reading and writing a handoff document: sections under the one key `handoff`. Its metadata carries id and time; the
 * sections go through a neutral fact as they are written.
 * Source: tests/requirements/bmad-1.tsv.
 */
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { Fact, Json } from "../facts.ts";
import { type Answer, documentKey, type GivenHead } from "./dialect.ts";
import { addKept, anywhereFree, extraOf, type Fields, readBody, withExtra, written } from "./neutral-body.ts";
import { invalid, isFit, judge, type Readable } from "./readable.ts";

type Table = ReadonlyMap<string, Readable>;

/**
 * Reads `value` as the one document of `table`. `not-mine`: an object without the key, and everything else. A `type`
 * next to the key is a further field; whether another dialect knows that type is decided by callers that ask several.
 */
export function readDocument(table: Table, value: Json, strict: boolean): Answer {
  const entry = entryFor(table, value);
  if (entry === null) return { answer: "not-mine" };
  const document = value as JsonObject; // Only objects have an entry.
  const { type, kind } = entry.definition;
  const judged = judge(entry, document, strict);
  if (!judged.isFit) return invalid(type, judged);
  // The validator has checked that the sections are objects, and these of their entries to be strings.
  const sections = document[documentKey] as JsonObject;
  const metadata = sections.metadata as JsonObject;
  const { id, task_id: task, timestamp } = metadata as { readonly [name: string]: string };
  const head = { phase: null, task: task ?? null, authorRole: null, timestamp: timestamp ?? null, confidence: null };
  const extra = extraOf(entry, document, sections, judged.strangers);
  const fact = { kind, head, body: readBody(entry, sections, extra, null) };
  return { answer: "accepted", type, wireId: id ?? null, fact: withExtra(fact, extra), notes: judged.notes };
}

/** Whether `readDocument` without `strict` would accept the value. */
export function acceptsDocument(table: Table, value: Json): boolean {
  const entry = entryFor(table, value);
  return entry !== null && isFit(entry, value as JsonObject); // Only objects have an entry.
}

/** The document that says `fact`, or null where it cannot. Its id is the one its metadata has. */
export function writeDocument(entry: Readable, fact: Fact, given: GivenHead): Json | null {
  const { fields, kept } = written(entry, fact, given, anywhereFree);
  const wire: Fields = { [documentKey]: fields, ...fact.extra?.envelope };
  addKept(wire, {}, kept);
  return isFit(entry, wire) ? wire : null;
}

function entryFor(table: Table, value: Json): Readable | null {
  if (!isJsonObject(value) || !Object.hasOwn(value, documentKey)) return null;
  // Next to a type, only an object is a document: any message may have a further field of that name.
  if (Object.hasOwn(value, "type") && !isJsonObject(value[documentKey])) return null;
  return table.get(documentKey) ?? null;
}
