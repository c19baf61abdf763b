/**
 * What a published schema says of a field, in the words of the requirements, and values that are not of its form. Written
 * without the definitions' own words for forms, so that the two check each other.
 */
import type { Json } from "../../src/base/json.ts";

export interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly anyOf?: readonly FieldSchema[];
  readonly items?: FieldSchema;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
}

/** A field of a schema by its path, with whether it is required; null: there is none. `[]` is each entry of a list. */
export function fieldAt(
  schema: FieldSchema,
  path: string,
): { readonly schema: FieldSchema; readonly required: boolean } | null {
  let found = { schema, required: true };
  for (const part of path.split(".")) {
    const name = part.replaceAll("[]", "");
    let inner = found.schema.properties?.[name];
    if (inner === undefined) return null;
    const required = found.schema.required?.includes(name) ?? false;
    for (let lists = part.split("[]").length - 1; lists > 0; lists--) {
      inner = inner.items;
      if (inner === undefined) return null;
    }
    found = { schema: inner, required };
  }
  return found;
}

/** The paths of all fields of a schema. */
export function pathsOf({ properties = {} }: FieldSchema): readonly string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const isList = field.items !== undefined;
    const inner = pathsOf(field.items ?? field).map((path) => `${name}${isList ? "[]" : ""}.${path}`);
    return [name, ...inner];
  });
}

const plain: Readonly<Record<string, string>> = {
  string: "text",
  integer: "whole number",
  number: "number",
  boolean: "true or false",
  object: "object",
  null: "null",
};

/** The form in words. */
export function formOf(schema: FieldSchema): string {
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.enum !== undefined) return schema.enum.map((word) => `\`${word}\``).join(" or ");
  if (schema.format === "date-time") return "date and time";
  if (schema.anyOf !== undefined) {
    const isDate = schema.anyOf.some(({ format }) => format !== undefined);
    if (isDate)
      return schema.anyOf.some(({ type }) => type === "null") ? "date and time or null" : "date and time or date";
    return [...new Set(schema.anyOf.map(formOf))].join(" or ");
  }
  if (schema.type === "array") {
    const entry = formOf(schema.items ?? {});
    return `list of ${entry === "text" ? "texts" : entry === "object" ? "objects" : entry}`;
  }
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return types.map((type) => plain[type] ?? String(type)).join(" or ");
}

/** A value that is not of the form. */
export function wrongFor(form: string): Json {
  if (form === "whole number" || form === "number") return "many";
  if (form === "true or false") return "maybe";
  return form.startsWith("list of") || form === "object" ? 7 : { not: "this" };
}

/** A copy of a message in which the field at `path` is `value`, or missing; null: the message has no such field. */
export function withField(message: Json, path: string, value: Json | undefined): Json | null {
  const copy = structuredClone(message);
  const parts = path.split(".");
  let holders: Json[] = [copy];
  for (const [index, part] of parts.entries()) {
    const name = part.replaceAll("[]", "");
    const isLast = index === parts.length - 1;
    const next: Json[] = [];
    for (const holder of holders) {
      if (typeof holder !== "object" || holder === null || Array.isArray(holder) || !Object.hasOwn(holder, name))
        continue;
      const fields = holder as { [name: string]: Json };
      if (!isLast) {
        const inner = fields[name];
        next.push(...(part.endsWith("[]") && Array.isArray(inner) ? inner : inner === undefined ? [] : [inner]));
      } else {
        if (value === undefined) delete fields[name];
        else fields[name] = value;
        next.push(holder);
      }
    }
    holders = next;
  }
  return holders.length === 0 ? null : copy;
}
