/**
 * Arguments of a tool, read so that a fault is an answer: the schema is published as zod says it, but what does not fit
 * it reaches the tool as coded problems instead of a protocol error, so that the agent learns what to repair.
 */
import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Problem } from "../../base/problem.ts";
import type { Result } from "../../base/result.ts";
import { readShape } from "../../schema/shape-faults.ts";

/** What a tool gets: its arguments, or everything that is wrong with them. */
export type Given<Input> = Result<Input, readonly Problem[]>;

/** `shape` as the SDK wants an input schema. Reading never fails: faults travel in the value. */
export function argumentsOf<Input>(shape: z.ZodType<Input>): StandardSchemaWithJSON<unknown, Given<Input>> {
  const published = publish(shape, "input");
  return {
    "~standard": {
      version: 1,
      vendor: "baton",
      validate: (value) => ({ value: readShape(shape, value, "arguments") }),
      jsonSchema: { input: published, output: published },
    },
  };
}

/** `shape` as an output schema. What a tool answers is ours, so it is published and not checked again at every call. */
export function answerOf(shape: z.ZodType): StandardSchemaWithJSON {
  const published = publish(shape, "output");
  return {
    "~standard": {
      version: 1,
      vendor: "baton",
      validate: (value) => ({ value }),
      jsonSchema: { input: published, output: published },
    },
  };
}

/** The JSON Schema of `shape`, worked out when it is first asked for; without what every schema repeats. */
function publish(shape: z.ZodType, io: "input" | "output"): () => Record<string, unknown> {
  let made: Record<string, unknown> | null = null;
  return () => {
    made ??= lean(
      z.toJSONSchema(shape, { target: "draft-2020-12", io, override: ({ jsonSchema }) => trim(jsonSchema) }),
    );
    return made;
  };
}

function lean({ $schema: _dialect, "~standard": _meta, ...schema }: Record<string, unknown>): Record<string, unknown> {
  return schema;
}

/** Bounds that every whole number has say nothing to an agent and cost it tokens. */
function trim(schema: {
  maximum?: unknown;
  minimum?: unknown;
  additionalProperties?: unknown;
  propertyNames?: unknown;
}): void {
  // Names of members are text in any case.
  delete schema.propertyNames;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  const rest = schema.additionalProperties;
  if (typeof rest === "object" && rest !== null && Object.keys(rest).length === 0) delete schema.additionalProperties;
}
