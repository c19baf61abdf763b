/** A field's form in the few words that reference pages and tool descriptions show. */
import type { JsonSchema } from "./emitter.ts";

/** `text`, `list of text`, `high | medium | low`, `object (passed, failed, total)`, `whole number, at least 0`. */
export function formOf(schema: JsonSchema): string {
  if (schema.enum !== undefined) return schema.enum.join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf?.some((one) => one.format === "date-time")) return "timestamp (RFC 3339 date-time or full date)";
  switch (schema.type) {
    case "array":
      return schema.items === undefined ? "list" : `list of ${formOf(schema.items)}`;
    case "object":
      return `object (${Object.entries(schema.properties ?? {})
        .map(([key, inner]) => (inner.enum === undefined ? key : `${key}: ${inner.enum.join(" | ")}`))
        .join(", ")})`;
    case "integer":
      return schema.minimum === undefined ? "whole number" : `whole number, at least ${schema.minimum}`;
    case "boolean":
      return "true or false";
    case "string":
      return textForm(schema);
    default:
      return schema.type ?? "any value";
  }
}

function textForm(schema: JsonSchema): string {
  if (schema.pattern?.includes("0-9a-fA-F") === true) return "commit (7 to 64 hex digits)";
  if (schema.pattern !== undefined) return "id (1 to 128 of A-Z a-z 0-9 . _ : / @ -)";
  return (schema.minLength ?? 0) > 0 ? "text, not empty" : "text";
}
