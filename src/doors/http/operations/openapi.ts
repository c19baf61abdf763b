/** The OpenAPI 3.1 document of the hub, made of the operations' own facts. */
import { z } from "zod";
import type { Json } from "../../../base/json.ts";
import type { Operation } from "./operation.ts";
import { operations } from "./operations.ts";
import { problemDocumentShape } from "./shapes.ts";

type Schemas = Record<string, unknown>;

/** The document for a hub of this version. */
export function openApiDocument(version: string): { readonly [key: string]: Json } {
  const schemas: Schemas = {};
  const problemRef = schemaOf(problemDocumentShape, schemas);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: pathItem(operation, schemas) };
  }
  const document = {
    openapi: "3.1.0",
    info: { title: "Baton hub", version, description: "Typed, verified handoffs for teams of coding agents." },
    paths,
    components: {
      schemas,
      responses: {
        Problem: {
          description: "Refused or failed (RFC 9457); the first problem decides code and status.",
          content: { "application/problem+json": { schema: problemRef } },
        },
      },
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "A token bound to one agent of one team." },
        session: { type: "apiKey", in: "cookie", name: "baton-PORT", description: "The owner's browser session." },
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
      default: { $ref: "#/components/responses/Problem" },
    },
  };
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

function headerParameters({ method, name }: Operation): readonly object[] {
  const text = { type: "string" };
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
