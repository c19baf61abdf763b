/**
 * The published description of the operations, `schemas/operations.json`: for programs that speak to a hub without this
 * package. Its shapes are those of the OpenAPI document, by name in `schemas`.
 */
import { z } from "zod";
import { commandsOf, type OperationDefinition, wholePathOf } from "../../src/perform/operations/define.ts";
import { acceptedShape } from "../../src/perform/operations/shapes.ts";

/** A JSON Schema as plain data. */
export type Schema = { readonly [keyword: string]: unknown };

/** One operation as it is published. */
export interface DescribedOperation {
  readonly name: string;
  readonly says: string;
  readonly access: string;
  readonly method: string;
  /** With `{name}` for the team and for arguments of the input. */
  readonly path: string;
  /** Whether it takes an `id` next to its input, by which a repeat is the same operation. */
  readonly takesId: boolean;
  readonly input: Schema;
  readonly answer: Schema;
  readonly commands: readonly string[];
  readonly tool: { readonly tool: string; readonly action: string } | null;
  /** Its name in the record; null: nothing is recorded. */
  readonly record: string | null;
}

/** All of them. */
export interface Description {
  readonly operations: readonly DescribedOperation[];
  readonly schemas: { readonly [name: string]: Schema };
}

/** The description of these operations, sorted by name. */
export function descriptionOf(definitions: readonly OperationDefinition[]): Description {
  const schemas = new Map<string, Schema>();
  const operations = definitions.map((definition) => {
    const { name, says, access, http, input, answer, mcp, record } = definition;
    return {
      name,
      says,
      access,
      method: http.method.toUpperCase(),
      path: wholePathOf(definition),
      takesId: answer.kind === "reply",
      input: schemaOf(input, schemas),
      answer: schemaOf(answerShape(answer), schemas),
      commands: commandsOf(definition),
      tool: mcp === undefined ? null : { tool: mcp.tool, action: mcp.action },
      record: record?.act ?? null,
    };
  });
  return {
    operations: operations.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    schemas: Object.fromEntries([...schemas].toSorted(([one], [other]) => (one < other ? -1 : 1))),
  };
}

function answerShape(answer: OperationDefinition["answer"]): z.ZodType {
  if (answer.kind === "shown") return answer.field === null ? answer.shape : z.object({ [answer.field]: answer.shape });
  if (answer.kind === "stream") return answer.shape ?? z.string();
  return acceptedShape(answer);
}

/** The schema with references into `schemas`, which gets what it names. */
function schemaOf(shape: z.ZodType, schemas: Map<string, Schema>): Schema {
  const whole = z.toJSONSchema(z.object({ it: shape }), {
    target: "draft-2020-12",
    io: "input",
    unrepresentable: "any",
  });
  // As zod writes them: each definition is an object.
  const { $defs = {}, properties = {} } = inDocument(whole) as {
    readonly $defs?: { readonly [name: string]: Schema };
    readonly properties?: { readonly it?: Schema };
  };
  for (const [name, { id: _, ...definition }] of Object.entries($defs)) schemas.set(name, definition);
  return properties.it ?? {};
}

/** References that point to the document's `schemas`. */
function inDocument(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inDocument);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      if (key !== "$ref" || typeof each !== "string") return [key, inDocument(each)];
      return [key, each.replace("#/$defs/", "#/schemas/")];
    }),
  );
}
