/**
 * Fields that a definition does not have, wherever they stand in a message of a second revision: found, and said as a
 * note (they are kept) or, in strict reading, as a problem. Source: semantics.md section 1.4.
 */
import { isJsonList, isJsonObject, type JsonObject } from "../base/json.ts";
import { type Problem, problem } from "../base/problem.ts";
import type { Note } from "../message/message.ts";
import { jsonPath, shortened } from "../schema/fault.ts";
import { nearest } from "../schema/hint.ts";
import { envelopeFields, extensionFields } from "./typed-definition.ts";

/** What is known in a message of one type. */
export interface KnownFields {
  readonly payloadKeys: ReadonlySet<string>;
  /** Payload fields that hold objects or lists of them, with the keys known in those. */
  readonly nested: readonly { readonly name: string; readonly keys: ReadonlySet<string> }[];
}

/** The steps to an unknown field: `["payload", "failures", "0", "line"]`. */
export type UnknownField = readonly string[];

const envelopeKeys: ReadonlySet<string> = new Set([...envelopeFields, ...extensionFields]);

/** Unknown fields of the envelope, of the payload and of the objects in it. */
export function unknownFields(known: KnownFields, value: JsonObject): readonly UnknownField[] {
  const found: UnknownField[] = [];
  addUnknown(found, value, envelopeKeys, []);
  const payload = value.payload;
  if (!isJsonObject(payload)) return found;
  addUnknown(found, payload, known.payloadKeys, ["payload"]);
  for (const { name, keys } of known.nested) {
    const held = payload[name];
    if (isJsonObject(held)) addUnknown(found, held, keys, ["payload", name]);
    if (!isJsonList(held)) continue;
    for (const [index, one] of held.entries()) {
      if (isJsonObject(one)) addUnknown(found, one, keys, ["payload", name, String(index)]);
    }
  }
  return found;
}

function addUnknown(
  found: UnknownField[],
  owner: JsonObject,
  keys: ReadonlySet<string>,
  steps: readonly string[],
): void {
  for (const key in owner) if (!keys.has(key)) found.push([...steps, key]);
}

/** The note of a field that is kept. */
export function noteOf(field: UnknownField): Note {
  const path = jsonPath(field);
  return {
    code: "unknown-field",
    path,
    message: `${path} is not part of the definition; it is kept and passed on.`,
  };
}

/** The problem of a field that is refused. */
export function problemOf(field: UnknownField, known: KnownFields): Problem {
  const path = jsonPath(field);
  const key = field.at(-1) ?? "";
  const beside = knownBeside(field, known);
  const meant = nearest(key, beside);
  return problem("unknown-field", path, `${path} is not part of the definition.`, {
    expected: beside.join(", "),
    received: shortened(key),
    hint: meant === null ? "leave it out" : `did you mean "${meant}"?`,
  });
}

function knownBeside(field: UnknownField, known: KnownFields): readonly string[] {
  if (field.length === 1) return envelopeFields;
  if (field.length === 2) return [...known.payloadKeys];
  return [...(known.nested.find(({ name }) => name === field[1])?.keys ?? [])];
}
