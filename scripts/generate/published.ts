/** What is published next to the pages: the JSON Schema of a message, and all those of a dialect in one document. */

import type { JsonSchema } from "../../src/base/schema/emitter.ts";
import { type DialectEntry, type MessageEntry, schemaOf } from "../../src/messages/dialects/define.ts";
import { examplesOf } from "./examples.ts";

/** The JSON Schema (2020-12) of one message, with its examples. */
export function publishedSchema(dialect: DialectEntry, entry: MessageEntry): JsonSchema {
  return { ...schemaOf(dialect, entry), examples: examplesOf(dialect, entry) };
}

/**
 * Every message of a dialect as one JSON Schema: a value is valid if it matches one of them. Each is embedded with its
 * own `$id`, so that a reference to one works wherever the bundle is known.
 */
export function bundleOf(
  dialect: DialectEntry,
): JsonSchema & { readonly $defs: { readonly [type: string]: JsonSchema } } {
  const schemas = dialect.messages.map((entry) => [entry.type, publishedSchema(dialect, entry)] as const);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `urn:baton:${dialect.id}`,
    title: `Every message of ${dialect.id}`,
    description: `${dialect.title}, as it stands on the wire.`,
    anyOf: schemas.map(([, { $id }]) => ({ $ref: $id })),
    $defs: Object.fromEntries(schemas),
  };
}
