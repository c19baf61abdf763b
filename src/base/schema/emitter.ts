/**
 * From a shape to JSON Schema 2020-12. The emitter adds nothing of its to what zod says but takes out what only makes
 * the document longer. Used by the generator and by tests, never at run time.
 */
import { z } from "zod";
import type { Shape } from "./shapes.ts";

type JsonType = "string" | "integer" | "number" | "boolean" | "array" | "object" | "null";

/** A JSON Schema as plain data. Only the keywords that our shapes lead to. */
export interface JsonSchema {
  readonly $schema?: string;
  readonly $id?: string;
  readonly $ref?: string | undefined;
  readonly title?: string;
  readonly description?: string;
  readonly type?: JsonType | readonly JsonType[];
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: JsonSchema;
  readonly properties?: { readonly [name: string]: JsonSchema };
  readonly required?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly propertyNames?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly examples?: readonly unknown[];
}

/** The schema of `shape`. Unknown fields stay allowed, which is JSON Schema's default and therefore not said. */
export function emitSchema(shape: Shape): JsonSchema {
  const emitted = z.toJSONSchema(shape, { target: "draft-2020-12", unrepresentable: "throw" });
  return tidied(emitted as JsonSchema);
}

/** The schema without the timestamp formats, which run time checks itself: what the validators are compiled from. */
export function withoutFormats(schema: JsonSchema): JsonSchema {
  const { anyOf, format: _, ...rest } = schema;
  const isTimes = anyOf?.every((one) => one.format !== undefined) !== false;
  return mapped(isTimes ? rest : { ...rest, anyOf: anyOf ?? [] }, withoutFormats);
}

function tidied(schema: JsonSchema): JsonSchema {
  const { $schema: _, propertyNames: _names, additionalProperties, maximum, ...rest } = nullable(schema);
  // `{}` allows everything; the maximum of a safe integer is held for every number by the reader's limits.
  const openly = typeof additionalProperties === "object" && Object.keys(additionalProperties).length === 0;
  return mapped(
    {
      ...rest,
      ...(additionalProperties === undefined || openly ? {} : { additionalProperties }),
      ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
    },
    tidied,
  );
}

/** A list or nothing, as one schema of two types: an error there is then one problem, not one for each branch. */
function nullable(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  const [first, second] = anyOf ?? [];
  if (anyOf?.length !== 2 || first?.type !== "array" || second?.type !== "null") return schema;
  return { ...first, ...rest, type: ["array", "null"] };
}

function mapped(schema: JsonSchema, change: (inner: JsonSchema) => JsonSchema): JsonSchema {
  return {
    ...schema,
    ...(schema.items === undefined ? {} : { items: change(schema.items) }),
    ...(typeof schema.additionalProperties === "object"
      ? { additionalProperties: change(schema.additionalProperties) }
      : {}),
    ...(schema.properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(Object.entries(schema.properties).map(([key, inner]) => [key, change(inner)])),
        }),
  };
}

/* A field's form in the few words that reference pages and tool descriptions show. */

/** `text`, `list of text`, `high | medium | low`, `object (passed, failed, total)`, `whole number, at least 0`. */
export function formOf(schema: JsonSchema): string {
  if (schema.enum !== undefined) return schema.enum.join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.type)) return `${formOf({ ...schema, type: schema.type[0] })} or null`;
  if (schema.anyOf?.some((one) => one.format === "date-time")) return "timestamp (RFC 3339 date-time or full date)";
  if (schema.format === "date-time") return "moment (RFC 3339 date-time)";
  if (schema.type === "string") return textForm(schema);
  if (schema.type === "boolean") return "true or false";
  if (schema.type === "integer") {
    if (schema.maximum !== undefined) return `whole number, ${schema.minimum ?? 0} to ${schema.maximum}`;
    return schema.minimum === undefined ? "whole number" : `whole number, at least ${schema.minimum}`;
  }
  if (schema.type === "array") return schema.items === undefined ? "list" : `list of ${formOf(schema.items)}`;
  return schema.type === "object" ? objectForm(schema) : "any value";
}

function objectForm({ properties = {}, additionalProperties }: JsonSchema): string {
  const keys = Object.entries(properties);
  if (keys.length > 0) return `object (${keys.map(keyForm).join(", ")})`;
  return typeof additionalProperties === "object" ? `object of ${formOf(additionalProperties)}` : "object";
}

function keyForm([key, inner]: readonly [string, JsonSchema]): string {
  return inner.enum === undefined ? key : `${key}: ${inner.enum.join(" | ")}`;
}

function textForm(schema: JsonSchema): string {
  if (schema.pattern?.includes("0-9a-fA-F") === true) return "commit (7 to 64 hex digits)";
  if (schema.pattern !== undefined) return "id (1 to 128 of A-Z a-z 0-9 . _ : / @ -)";
  if (schema.maxLength !== undefined) return `text, at most ${schema.maxLength} characters`;
  return (schema.minLength ?? 0) > 0 ? "text, not empty" : "text";
}
