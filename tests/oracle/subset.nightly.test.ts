import "@hyperjump/json-schema/formats";
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  registerSchema,
  setShouldValidateFormat,
  unregisterSchema,
  validate,
} from "@hyperjump/json-schema/draft-2020-12";
import fc from "fast-check";
import type { Json, JsonObject } from "../../src/base/json.ts";
import { readSubset } from "../../src/base/schema/subset-read.ts";
import { fits } from "../../src/base/schema/subset-value.ts";

setShouldValidateFormat(true);

/** Few names, strings and numbers, so that schema and value often speak of the same. */
const names = fc.constantFrom("a", "b", "c/~d");
const texts = fc.constantFrom(
  "",
  "x",
  "xy",
  "𝒙𝒚",
  "word",
  "2026-03-04",
  "2026-03-04T10:00:00Z",
  "2026-02-30T10:00:00Z",
);
const numbers = fc.constantFrom(-1, 0, 1, 1.5, 2, 3, 1e21);
const scalars = fc.oneof(texts, numbers, fc.boolean(), fc.constant(null));
const lengths = fc.integer({ min: 0, max: 3 });

const values: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalars,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(names, tie("value"), { maxKeys: 3 }),
  ),
})).value;

const types = fc.constantFrom("string", "integer", "number", "boolean", "array", "object", "null");

/** A schema of the subset: any few of the keywords that ask something. */
const schemas: fc.Arbitrary<Json> = fc.letrec<{ schema: Json }>((tie) => {
  const keywords: { readonly [keyword: string]: fc.Arbitrary<Json> } = {
    type: fc.oneof(types, fc.uniqueArray(types, { minLength: 1, maxLength: 4 })),
    enum: fc.uniqueArray(scalars, { minLength: 1, maxLength: 4 }),
    const: scalars,
    minimum: numbers,
    maximum: numbers,
    minLength: lengths,
    maxLength: lengths,
    minItems: lengths,
    maxItems: lengths,
    format: fc.constant("date-time"),
    items: tie("schema"),
    properties: fc.dictionary(names, tie("schema"), { maxKeys: 3 }),
    required: fc.uniqueArray(names, { maxLength: 2 }),
    additionalProperties: fc.oneof(fc.boolean(), tie("schema")),
    anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }),
    oneOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }),
    $ref: fc.constantFrom("#/$defs/one", "#/$defs/other"),
  };
  const asked = Object.entries(keywords).map(([keyword, value]) => value.map((said) => ({ [keyword]: said })));
  const few = fc.array(fc.oneof(...asked), { maxLength: 3 }).map((parts) => Object.assign({}, ...parts) as JsonObject);
  return { schema: fc.oneof({ maxDepth: 3 }, fc.record({ type: types }), few.map(notBoth)) };
}).schema;

/** A schema has enum or const, not both. */
function notBoth({ const: only, ...rest }: JsonObject): Json {
  return only === undefined || rest.enum !== undefined ? rest : { ...rest, const: only };
}

/** Schemas that definitions may be: without references, so that none contains itself. */
function withoutReferences(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema, (key, value: unknown) => (key === "$ref" ? undefined : value))) as Json;
}

const wholes = fc.tuple(schemas, schemas, schemas).map(([schema, one, other]) => ({
  ...(schema as object),
  $defs: { one: withoutReferences(one), other: withoutReferences(other) },
}));

const schemasTried = 5000;

test("another validator judges every value of every schema of the subset alike", async (t) => {
  let compared = 0;
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(wholes, fc.array(values, { minLength: 12, maxLength: 12 }), async (whole, tried) => {
      const { form, problems } = readSubset(whole);
      if (problems.length > 0) {
        assert.ok(
          problems.every(({ message }) => message.includes("too large")),
          JSON.stringify({ whole, problems }),
        );
        return;
      }
      const id = "urn:baton:tried";
      unregisterSchema(id);
      const $schema = "https://json-schema.org/draft/2020-12/schema";
      registerSchema({ ...whole, $schema } as { readonly $schema: string }, id);
      const judge = await validate(id);
      for (const value of tried) {
        const second = judge(value as never).valid; // Their JSON is mutable; nothing is changed.
        compared += 1;
        if (second) accepted += 1;
        assert.equal(fits(form, value), second, `${JSON.stringify(whole)} and ${JSON.stringify(value)}`);
      }
    }),
    { numRuns: schemasTried },
  );
  t.diagnostic(`${compared} values, ${accepted} accepted by both`);
  assert.ok(compared > 50_000 && accepted > 10_000 && compared - accepted > 10_000);
});
