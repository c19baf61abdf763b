/**
 * How a dialect is authored: a list of messages, each one entry with all its facts; and the whole shape that an entry
 * has on the wire. Only `messages.ts` files, the generator and tests import this; run time reads the tables that the
 * generator wrote from it.
 * Source: docs/protocol/messages.md, sections 2 and 3.
 */

import { emitSchema, type JsonSchema } from "../../base/schema/emitter.ts";
import {
  count,
  exactly,
  type Field,
  messageIdShape,
  objectOf,
  oneOf,
  required,
  text,
  timestamp,
} from "../../base/schema/shapes.ts";
import type { FactKind, Json } from "../facts.ts";
import type { DialectId } from "../message.ts";
import type { Role } from "../role.ts";
import { type Aliases, documentKey, type Routing, schemaVersion, type WireForm } from "./dialect.ts";
import type { RuleName } from "./rules/rules.ts";

/** One message: everything the generator derives types, checkers, schemas, matrix and pages from. */
export interface MessageEntry {
  readonly type: string;
  /** One sentence: what the message says and when it is sent. */
  readonly summary: string;
  readonly kind: FactKind;
  /** Roles that may send it, in its document's order. */
  readonly senders: readonly Role[];
  /** Typical receivers, in its document's order. */
  readonly receivers: readonly Role[];
  /** Whether agents send it; an internal type is written by Baton only. */
  readonly wire: "sent" | "internal";
  readonly routing: Routing;
  /** The message's own fields by wire name, in its document's order: those of the payload, or those next to `type`. */
  readonly payload: { readonly [name: string]: Field };
  /** Spellings that agents are known to use instead (`dialect.ts` says how they are written down). */
  readonly aliases: Partial<Aliases>;
  /** Cross-field rules that JSON Schema cannot say. */
  readonly rules: readonly RuleName[];
  /** A valid message of the type: envelope fields that differ from the usual where there is one, and the fields. */
  readonly example: {
    readonly id?: string;
    readonly task?: string;
    readonly authorRole?: Role;
    readonly payload: { readonly [name: string]: Json };
  };
}

/** A dialect as authored. */
export interface DialectEntry {
  readonly id: DialectId;
  readonly family: string;
  readonly form: WireForm;
  /** What it is, for the reference pages. */
  readonly title: string;
  /** Values of `author_role`, in its document's order; none where there is no envelope. */
  readonly authorRoles: readonly Role[];
  /** Whether agents of several active departments are kept apart. */
  readonly isolatesDepartments?: true;
  readonly messages: readonly MessageEntry[];
}

type Defaults = "wire" | "routing" | "aliases" | "rules";

type Fields = { readonly [name: string]: Field };

/** A message entry; agents send it and no rule binds its fields, unless said otherwise. */
export function message(parts: Omit<MessageEntry, Defaults> & Partial<Pick<MessageEntry, Defaults>>): MessageEntry {
  return { wire: "sent", routing: {}, aliases: {}, rules: [], ...parts };
}

/** The camel case of a wire name: `files_modified` becomes `filesModified`. */
export function neutralName(wireName: string): string {
  return wireName.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** The time of every example. */
const exampleTimestamp = "2026-03-04T10:00:00Z";

/** The typed envelope's fields of one message, payload included. */
export function envelopeOf(dialect: DialectEntry, entry: MessageEntry): Fields {
  return {
    id: required(messageIdShape(), "The message's own id, unique for its sender."),
    type: required(exactly(entry.type), "The message's type."),
    phase: required(count(), "The phase the message belongs to."),
    task: required(text(), "The task the message belongs to; empty where there is none."),
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
