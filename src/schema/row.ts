/** A field's form in the few words that reference pages and tool descriptions show. */
import type { JsonSchema } from "./emitter.ts";

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
  return (schema.minLength ?? 0) > 0 ? "text, not empty" : "text";
}
