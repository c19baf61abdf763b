/** The OpenAPI 3.1 document of the hub, made of the operations' own facts. */
import { z } from "zod";
import type { Json } from "../../../base/json.ts";
import { noteShape, problemShape, receiptShape, texts } from "../../../perform/operations/shapes.ts";
import { denialReasons } from "../../../tasks/decide/claims.ts";
import type { Operation } from "./operation.ts";
import { operations } from "./operations.ts";

/* What every refusal says. */
/** What the document of a denied claim has in addition to its problems. */
const denialFields = {
  granted: z.literal(false).optional().describe("a claim was denied"),
  reason: z.enum(denialReasons).nullable().optional().describe("why; null: it was no question of the task"),
  holder: z.string().nullable().optional().describe("who is in the way"),
  paths: texts.optional().describe("the files in the way"),
};

export const problemDocumentShape = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    problems: z.array(problemShape),
    receipt: receiptShape.nullable().optional(),
    notes: z.array(noteShape).optional(),
    ...denialFields,
  })
  .meta({ id: "ProblemDocument" });

type Schemas = Record<string, unknown>;

/** The document for a hub of this version. */
export function openApiDocument(version: string): { readonly [key: string]: Json } {
  const schemas: Schemas = {};
  schemaOf(problemDocumentShape, schemas);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: pathItem(operation, schemas) };
  }
  const document = {
    openapi: "3.1.0",
    info: {
      title: "Baton hub",
      version,
      description: "Typed, verified handoffs for teams of coding agents.",
      license: { name: "MIT", identifier: "MIT" },
    },
    // The hub that serves the document.
    servers: [{ url: "/", description: "This hub." }],
    paths,
    components: {
      schemas,
      responses: {
        Problem: {
          description: "Refused or failed (RFC 9457); the first problem decides code and status.",
          content: problemContent,
        },
      },
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "A token bound to one agent of one team." },
        session: { type: "apiKey", in: "header", name: "Baton-Session", description: "The owner's session in a page." },
      },
    },
  };
  // Made of plain objects, lists and strings, here and by zod.
  return document as unknown as { readonly [key: string]: Json };
}

function pathItem(operation: Operation, schemas: Schemas): object {
  const { name, says, access, answers, body } = operation;
  return {
    operationId: name,
    summary: says,
    ...(access === "open" ? { security: [] } : { security: [{ token: [] }, { session: [] }] }),
    parameters: [...pathParameters(operation), ...queryParameters(operation, schemas), ...headerParameters(operation)],
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { "application/json": { schema: schemaOf(body, schemas) } } } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, { says: description, shape, mediaType }]) => {
          const schema = shape === undefined ? { type: "string" } : schemaOf(shape, schemas);
          return [status, { description, content: { [mediaType ?? "application/json"]: { schema } } }];
        }),
      ),
      ...(operation.isTagged === true ? { 304: { description: "It is as the tag in If-None-Match says." } } : {}),
      ...Object.fromEntries(
        refusalsOf(operation).map(([status, description]) => [status, { description, content: problemContent }]),
      ),
      default: { $ref: "#/components/responses/Problem" },
    },
  };
}

const problemContent = {
  "application/problem+json": { schema: { $ref: "#/components/schemas/ProblemDocument" } },
};

/** The refusals that a caller of the operation must expect; `default` is every other. */
function refusalsOf({ access, on, method, answers, query, body }: Operation): readonly (readonly [number, string])[] {
  const changes = method === "post" && answers[201] !== undefined;
  const takes = query !== undefined || body !== undefined;
  const names = on === "team";
  return [
    ...(access === "open" ? [] : [[401, "No credential, or one that proves nobody (any more)."] as const]),
    [403, access === "open" ? "The request comes from a foreign page." : "The caller may not do this."],
    ...(names ? [[404, "There is no such team, or nothing of a name that was given."] as const] : []),
    ...(changes ? [[409, "The state does not allow it, or the id stands for something else."] as const] : []),
    ...(takes ? [[422, "An argument is missing, unknown or wrong."] as const] : []),
  ];
}

function pathParameters({ path }: Operation): readonly object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    return { name, in: "path", required: true, schema: { type: "string" } };
  });
}

function queryParameters({ query }: Operation, schemas: Schemas): readonly object[] {
  return Object.entries(query?.shape ?? {}).map(([name, shape]) => {
    // Fields of a query are shapes of the newer kind throughout.
    const field = shape as z.ZodType;
    const schema = schemaOf(field, schemas);
    const { description } = field.meta() ?? {};
    const required = !(field instanceof z.ZodOptional);
    return { name, in: "query", required, schema, ...(description === undefined ? {} : { description }) };
  });
}

function headerParameters({ method, name, isTagged }: Operation): readonly object[] {
  const text = { type: "string" };
  if (isTagged === true) return [{ name: "If-None-Match", in: "header", required: false, schema: text }];
  if (name === "followEntries") return [{ name: "Last-Event-ID", in: "header", required: false, schema: text }];
  if (method !== "post") return [];
  return [{ name: "Idempotency-Key", in: "header", required: false, schema: text }];
}

/** The JSON Schema of a shape; named shapes become components and are referred to. */
function schemaOf(shape: z.ZodType, schemas: Schemas): object {
  const made = z.toJSONSchema(shape, { target: "draft-2020-12", io: "input", unrepresentable: "any" });
  const { $schema: _, $defs, id: __, ...schema } = made;
  for (const [name, definition] of Object.entries($defs ?? {})) {
    const { id: ___, ...rest } = definition;
    schemas[name] = atComponents(rest);
  }
  const { id: name } = shape.meta() ?? {};
  // A named shape comes as a definition with a reference to it, or bare where nothing else is named.
  if (name === undefined || "$ref" in schema) return atComponents(schema) as object; // an object comes out as an object
  schemas[name] = atComponents(schema);
  return { $ref: `#/components/schemas/${name}` };
}

/** References that point into the document instead of into the one schema. */
function atComponents(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(atComponents);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key === "$ref" && typeof value === "string") return [key, value.replace("#/$defs/", "#/components/schemas/")];
      return [key, atComponents(value)];
    }),
  );
}
