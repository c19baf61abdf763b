/** What a value must be, as the data that run time keeps of a JSON Schema. */
import type { JsonSchema } from "../../src/base/schema/emitter.ts";
import type { ValueForm } from "../../src/base/schema/value-form.ts";

/** The value form of a field's schema. */
export function valueForm(schema: JsonSchema): ValueForm {
  const { properties, required = [], items, maximum, minLength, maxLength, pattern } = schema;
  const time = timeOf(schema);
  const words = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  return {
    is: kindOf(schema),
    ...(words === undefined ? {} : { words }),
    ...(pattern === undefined ? {} : { pattern }),
    ...(minLength === undefined ? {} : { lengthMin: minLength }),
    ...(maxLength === undefined ? {} : { lengthMax: maxLength }),
    ...(maximum === undefined ? {} : { max: maximum }),
    ...(time === null ? {} : { time }),
    ...(Array.isArray(schema.type) && schema.type.includes("null") ? { mayBeNull: true as const } : {}),
    ...(items === undefined ? {} : { entry: valueForm(items) }),
    ...(typeof schema.additionalProperties === "object" ? { values: valueForm(schema.additionalProperties) } : {}),
    ...(properties === undefined || Object.keys(properties).length === 0
      ? {}
      : {
          fields: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, valueForm(inner)])),
          required,
        }),
  };
}

function kindOf(schema: JsonSchema): ValueForm["is"] {
  if (schema.enum !== undefined || schema.const !== undefined) return "text";
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  if (types.includes("string")) return "text";
  if (types.includes("integer") || types.includes("number")) return "whole";
  if (types.includes("boolean")) return "flag";
  if (types.includes("array")) return "list";
  return types.includes("object") ? "object" : "any";
}

function timeOf(schema: JsonSchema): "timestamp" | "date-time" | null {
  if (schema.format === "date-time") return "date-time";
  return schema.anyOf?.some((one) => one.format === "date-time") === true ? "timestamp" : null;
}
