/**
 * The whole shape of a message of a second revision: the envelope around the payload. For the generator and tests.
 * Source: the seeds' heading "Envelope"; ids, timestamps, task and phase from semantics.md section 1.5.
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
import { schemaVersion } from "./typed-definition.ts";

/** The time of every example. */
const exampleTimestamp = "2026-03-04T10:00:00Z";

/** The envelope's fields of one message, payload included. */
export function envelopeOf(dialect: DialectEntry, entry: MessageEntry): { readonly [name: string]: Field } {
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

/** The example of one message, whole. */
export function exampleOf(entry: MessageEntry): { readonly [name: string]: unknown } {
  const { id, task, authorRole, payload } = entry.example;
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
  const { $schema: _, ...emitted } = emitSchema(objectOf(envelopeOf(dialect, entry)));
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `urn:baton:${dialect.id}:${entry.type}`,
    title: `${entry.type} (${dialect.id})`,
    description: entry.summary,
    ...emitted,
    examples: [exampleOf(entry)],
  };
}
