/**
 * Arguments of a tool, read so that a fault is an answer: the schema is published as zod says it, but what does not fit
 * it reaches the tool as coded problems instead of a protocol error, so that the agent learns what to repair.
 */
import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import * as z from "zod";
import { type Problem, problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { nearest } from "../../base/text.ts";

/** What a tool gets: its arguments, or everything that is wrong with them. */
export type Given<Input> = Result<Input, readonly Problem[]>;

/** `shape` as the SDK wants an input schema. Reading never fails: faults travel in the value. */
export function argumentsOf<Input>(shape: z.ZodType<Input>): StandardSchemaWithJSON<unknown, Given<Input>> {
  const published = publish(shape, "input");
  return {
    "~standard": {
      version: 1,
      vendor: "baton",
      validate: (value) => ({ value: readArguments(shape, value) }),
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

function readArguments<Input>(shape: z.ZodType<Input>, value: unknown): Given<Input> {
  const read = shape.safeParse(value);
  if (read.success) return ok(read.data);
  const known = shape instanceof z.ZodObject ? Object.keys(shape.shape) : [];
  return err(read.error.issues.flatMap((issue) => faultsOf(issue, value, known)));
}

function faultsOf(issue: z.core.$ZodIssue, value: unknown, known: readonly string[]): readonly Problem[] {
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownArgument(key, known));
  const path = pathOf(issue.path);
  const found = valueAt(value, issue.path);
  if (found === undefined)
    return [problem("missing-field", path, "This argument is missing.", { hint: issue.message })];
  const code = issue.code === "invalid_type" || issue.code === "invalid_union" ? "wrong-type" : "wrong-value";
  return [problem(code, path, "This argument is not of its form.", { hint: issue.message })];
}

function unknownArgument(key: string, known: readonly string[]): Problem {
  const near = nearest(key, known);
  return problem("unknown-field", "arguments", `There is no argument "${key}".`, {
    expected: known.length === 0 ? "no arguments" : known.join(" | "),
    received: key,
    hint: near === null ? "leave it out" : `did you mean "${near}"?`,
  });
}

function pathOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : `${text}.${String(key)}`),
    "arguments",
  );
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    return (at as Record<PropertyKey, unknown>)[key]; // an own key of an object, by the line above
  }, value);
}
