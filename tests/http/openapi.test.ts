/**
 * The OpenAPI document is one: whole, unambiguous, its schemas compile by another's validator, its references lead
 * somewhere.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { openApiDocument } from "../../src/doors/http/index.ts";
import { operations } from "../../src/doors/http/operations/operations.ts";

const document: ReturnType<typeof JSON.parse> = openApiDocument("1.2.3");

test("every operation is in the document, under a separate name", () => {
  assert.match(document.openapi, /^3\.1\./);
  assert.equal(document.info.version, "1.2.3");
  const names = Object.values<object>(document.paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  );
  assert.deepEqual(new Set(names), new Set(operations.map(({ name }) => name)));
  assert.equal(new Set(names).size, names.length);
});

test("parameters of a path are declared, and every answer says what it means", () => {
  for (const [path, methods] of Object.entries<Record<string, ReturnType<typeof JSON.parse>>>(document.paths)) {
    const wanted = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    for (const [method, { parameters, responses, requestBody }] of Object.entries(methods)) {
      const declared = parameters
        .filter((each: { in: string }) => each.in === "path")
        .map((each: { name: string }) => each.name);
      assert.deepEqual(declared, wanted, `${method} ${path}`);
      for (const answer of Object.values<{ description?: string; $ref?: string }>(responses))
        assert.ok(answer.description ?? answer.$ref);
      assert.ok(requestBody === undefined || method === "post", `${method} ${path}`);
    }
  }
});

test("it names its server, its license and the refusals of every operation, as linters ask", () => {
  assert.deepEqual([document.servers[0].url, document.info.license.identifier], ["/", "MIT"]);
  for (const [path, methods] of Object.entries<Record<string, { responses: object; security?: unknown[] }>>(
    document.paths,
  )) {
    for (const [method, { responses, security }] of Object.entries(methods)) {
      const refused = Object.keys(responses).filter((status) => status.startsWith("4"));
      assert.ok(refused.includes("403"), `${method} ${path}`);
      assert.equal(refused.includes("401"), security?.length !== 0, `${method} ${path}`);
      assert.equal(refused.includes("404"), path.startsWith("/api/teams/{team}"), `${method} ${path}`);
    }
  }
  const visit = (schema: ReturnType<typeof JSON.parse>): void => {
    if (typeof schema !== "object" || schema === null) return;
    for (const name of schema.properties === undefined ? [] : (schema.required ?? [])) {
      assert.ok(Object.hasOwn(schema.properties, name), `${name} is required and not described`);
    }
    Object.values(schema).forEach(visit);
  };
  visit(document);
});

test("every schema compiles and every reference leads somewhere", () => {
  const ajv = new Ajv2020({ strict: false, inlineRefs: false });
  // The validator knows schemas, not documents of OpenAPI: the components become definitions that each schema may use.
  const local = (schema: unknown) =>
    JSON.parse(JSON.stringify(schema).replaceAll("#/components/schemas/", "components#/$defs/"));
  ajv.addSchema({ $id: "components", $defs: local(document.components.schemas) });
  const compiled = new Set<string>();
  let count = 0;
  const visit = (value: unknown, at: string): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      const place = `${at}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      if (key === "schema") {
        const text = JSON.stringify(inner);
        if (!compiled.has(text)) assert.ok(ajv.compile(local(inner)), place);
        compiled.add(text);
        count += 1;
      }
      if (key === "$ref") {
        const target = String(inner)
          .slice(2)
          .split("/")
          .reduce<ReturnType<typeof JSON.parse>>((found, step) => found?.[step], document);
        assert.ok(target, String(inner));
      }
      visit(inner, place);
    }
  };
  visit(document, "");
  assert.ok(count > 40, `${count} schemas`);
});
