/**
 * The whole shape of a message as it is on the wire: the typed envelope around the payload, the fields next to `type`,
 * or the document's one key. For the generator and tests. Source: docs/protocol/messages.md, sections 2 and 3.
 */
import { emitSchema, type JsonSchema } from "../schema/emitter.ts";
import {
  count,
  exactly,
  type Field,
  messageIdShape,
  name,
  objectOf,
  oneOf,
  required,
  text,
  timestamp,
} from "../schema/shapes.ts";
import type { DialectEntry, MessageEntry } from "./define.ts";
import { documentKey, schemaVersion } from "./definition.ts";

type Fields = { readonly [name: string]: Field };

/** The time of every example. */
const exampleTimestamp = "2026-03-04T10:00:00Z";

/** The typed envelope's fields of one message, payload included. */
export function envelopeOf(dialect: DialectEntry, entry: MessageEntry): Fields {
  return {
    id: required(messageIdShape(), "The message's own id, unique for its sender."),
    type: required(exactly(entry.type), "The message's type."),
    phase: required(count(), "The phase the message belongs to."),
    task: entry.taskMayBeEmpty
      ? required(text(), "The task the message belongs to; may be empty.")
      : required(name(), "The task the message belongs to."),
    author_role: required(oneOf(dialect.authorRoles), "The sender's role, as the sender says."),
    timestamp: required(timestamp(), "The sender's time; kept, never used for order."),
    schema_version: required(exactly(schemaVersion), "The revision of the protocol."),
    confidence: required(oneOf(["high", "medium", "low"]), "How sure the sender is of what it says."),
    payload: required(objectOf(entry.payload), "What is said."),
  };
}

/** Every field of one message as it is on the wire. */
export function wireFieldsOf(dialect: DialectEntry, entry: MessageEntry): Fields {
  if (dialect.form === "typed") return envelopeOf(dialect, entry);
  if (dialect.form === "document") return { [documentKey]: required(objectOf(entry.payload), "What is handed over.") };
  return { type: required(exactly(entry.type), "The message's type."), ...entry.payload };
}

/** The example of one message, whole. */
export function exampleOf(dialect: DialectEntry, entry: MessageEntry): { readonly [name: string]: unknown } {
  const { id = entry.type, task = "", authorRole = entry.senders[0] ?? "lead", payload } = entry.example;
  if (dialect.form === "document") return { [documentKey]: payload };
  if (dialect.form === "structured") return { type: entry.type, ...payload };
  return {
    id,
    type: entry.type,
    phase: 2,
    task,
    author_role: authorRole,
    timestamp: exampleTimestamp,
    schema_version: schemaVersion,
    confidence: "high",
    payload,
  };
}

/** The JSON Schema of one message as published: titled, described, with its example. */
export function schemaOf(dialect: DialectEntry, entry: MessageEntry): JsonSchema {
  const { $schema: _, ...emitted } = emitSchema(objectOf(wireFieldsOf(dialect, entry)));
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `urn:baton:${dialect.id}:${entry.type}`,
    title: `${entry.type} (${dialect.id})`,
    description: entry.summary,
    ...emitted,
    examples: [exampleOf(dialect, entry)],
  };
}
