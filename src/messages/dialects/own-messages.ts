/**
 * Custom message types inside the dialects: the same envelope, reading, writing and translation as any other type has;
 * only the validator is not generated but interprets the recorded schema (`base/schema/subset-value.ts`).
 */
import { messageId } from "../../base/ids.ts";
import { invariant } from "../../base/invariant.ts";
import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import type { SubsetForm } from "../../base/schema/subset-constraints.ts";
import { readSubset } from "../../base/schema/subset-read.ts";
import { validatorOf, valueFormOf, wordsOfForm } from "../../base/schema/subset-value.ts";
import type { ValueForm } from "../../base/schema/value-form.ts";
import type { DialectId, OwnMessage } from "../message.ts";
import {
  type Dialect,
  envelopeFor,
  extensionFields,
  type FieldFacts,
  type OwnDefinition,
  schemaVersion,
  type TableDefinition,
} from "./dialect.ts";

/** `dialect` with the team's own types, or as it is where it has no envelope or the team has none. */
export function withOwnMessages(dialect: Dialect, messages: readonly OwnMessage[]): Dialect {
  if (dialect.form !== "typed" || messages.length === 0) return dialect;
  return dialect.extendedBy(messages.map((message) => ownDefinition(message, dialect)));
}

/** What reading a team's own types must know of `dialects`. */
export function factsForOwnMessages(dialects: readonly Dialect[]) {
  return {
    authorRoles: (id: DialectId): readonly string[] | null => {
      const dialect = dialects.find((one) => one.id === id);
      return dialect === undefined || dialect.form !== "typed" ? null : authorRolesOf(dialect);
    },
    isTaken: (type: string): boolean => dialects.some(({ definitions }) => definitions.has(type)),
    reservedFields: extensionFields,
  };
}

function ownDefinition(message: OwnMessage, dialect: Dialect): OwnDefinition {
  const { form: payload, problems } = readSubset(message.schema);
  invariant(problems.length === 0, "a recorded message type was read before it was recorded");
  const definition = definitionOf(message, payload, dialect);
  const around = envelopeFor(definition, dialect.envelope);
  const fields = new Map(around.map(({ name, value }) => [name, formOf(value)] as const)).set("payload", payload);
  const whole: SubsetForm = { types: ["object"], fields, required: [...fields.keys()], examples: [] };
  return { definition, validate: validatorOf(whole) };
}

function definitionOf(message: OwnMessage, payload: SubsetForm, dialect: Dialect): TableDefinition {
  const { type, summary, senders, receivers, example } = message;
  const signing = authorRolesOf(dialect);
  const able = senders.filter((role) => signing.includes(role));
  return {
    dialect: dialect.id,
    type,
    summary,
    kind: `own:${type}`,
    senders: able,
    receivers,
    wire: "sent",
    routing: {},
    fields: [...(payload.fields ?? [])].map(([name, form]) => fieldOf(name, form, payload.required ?? [])),
    aliases: { names: {}, words: {} },
    rules: [],
    shape: `own:${dialect.id}:${type}`,
    example: {
      id: `${type}-1`,
      type,
      phase: 1,
      task: "1-1-T1",
      author_role: able[0] ?? signing[0] ?? "lead",
      timestamp: "2026-03-04T10:00:00Z",
      schema_version: schemaVersion,
      confidence: "high",
      payload: example,
    },
  };
}

/** A field keeps its name in a fact: nobody else has a neutral word for it. */
function fieldOf(name: string, form: SubsetForm, required: readonly string[]): FieldFacts {
  return {
    name,
    neutral: name,
    required: required.includes(name),
    summary: form.summary ?? "",
    form: wordsOfForm(form),
    value: valueFormOf(form),
  };
}

function authorRolesOf({ envelope }: Dialect): readonly string[] {
  return envelope.find(({ name }) => name === "author_role")?.value.words ?? [];
}

/** What an envelope's field must be. Its moments are checked with those of every other message. */
function formOf({ is, words, pattern, lengthMin, lengthMax, max }: ValueForm): SubsetForm {
  const types = { text: "string", whole: "integer" } as const;
  invariant(is === "text" || is === "whole", "an envelope holds strings and whole numbers");
  return {
    types: [types[is]],
    ...(words === undefined ? {} : { words: new Set(words) }),
    ...(lengthMin === undefined ? {} : { lengthMin }),
    ...(lengthMax === undefined ? {} : { lengthMax }),
    // The id is the only field of an envelope that has a form.
    ...(pattern === undefined ? {} : { pattern: { source: pattern, matches: (text) => messageId(text) !== null } }),
    ...(is === "whole" ? { minimum: 0 } : {}),
    ...(max === undefined ? {} : { maximum: max }),
    examples: [],
  };
}

/** The JSON Schema (2020-12) of an own type whole: the envelope of `dialect` around the payload's schema. */
export function ownSchema(message: OwnMessage, dialect: Dialect): JsonObject {
  const definition = dialect.definitions.get(message.type);
  invariant(definition !== undefined, "the dialect has the team's own types");
  const around = envelopeFor(message, dialect.envelope);
  const id = `urn:baton:${dialect.id}:${message.type}`;
  // With its own id, its references still mean its own definitions.
  const payload = { ...(isJsonObject(message.schema) ? message.schema : {}), $id: `${id}:payload` };
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: id,
    title: `${message.type} (${dialect.id})`,
    description: message.summary,
    type: "object",
    properties: { ...Object.fromEntries(around.map((field) => [field.name, fieldSchema(field)])), payload },
    required: [...around.map(({ name }) => name), "payload"],
    examples: [definition.example],
  };
}

function fieldSchema({ summary, value }: FieldFacts): JsonObject {
  const { is, words, pattern, lengthMin, lengthMax, max, time } = value;
  const [only] = words ?? [];
  const asked: { [keyword: string]: Json } = { type: is === "whole" ? "integer" : "string", description: summary };
  if (words?.length === 1 && only !== undefined) asked.const = only;
  else if (words !== undefined) asked.enum = words;
  if (pattern !== undefined) asked.pattern = pattern;
  if (lengthMin !== undefined) asked.minLength = lengthMin;
  if (lengthMax !== undefined) asked.maxLength = lengthMax;
  if (is === "whole") asked.minimum = 0;
  if (max !== undefined) asked.maximum = max;
  if (time !== undefined) asked.anyOf = [{ format: "date-time" }, { format: "date" }];
  return asked;
}
