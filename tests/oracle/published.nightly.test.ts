import "@hyperjump/json-schema/formats";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { registerSchema, setShouldValidateFormat, validate } from "@hyperjump/json-schema/draft-2020-12";
import { dialects } from "../../src/messages/dialects/index.ts";
import type { Json } from "../../src/messages/facts.ts";
import { acceptedExamples, refusedExamples } from "../corpus/messages.ts";

setShouldValidateFormat(true);

interface Schema {
  readonly $id: string;
  readonly examples: readonly Json[];
}

interface Bundle extends Schema {
  readonly $defs: { readonly [type: string]: Schema };
}

function read(path: string): Json {
  return JSON.parse(readFileSync(new URL(`../../schemas/${path}`, import.meta.url), "utf8")) as Json;
}

for (const dialect of dialects) {
  test(`the bundle of ${dialect.id} holds every published schema, and each schema's examples fit it`, async () => {
    const bundle = read(`${dialect.id}/bundle.json`) as unknown as Bundle; // Generated; what it holds is asked below.
    assert.deepEqual(Object.keys(bundle.$defs), [...dialect.definitions.keys()]);
    registerSchema(bundle as { readonly $id: string }); // Its own type asks for mutable lists; nothing is changed.
    const check = await validate(bundle.$id);
    for (const [type, schema] of Object.entries(bundle.$defs)) {
      assert.deepEqual(read(`${dialect.id}/${type}.json`), schema);
      assert.ok(schema.examples.length >= 2, type);
      // The constant type of each message leaves only its own schema to fit.
      // Their JSON is mutable; nothing is changed.
      for (const example of schema.examples) {
        assert.ok(check(example as never).valid, `${type}: ${JSON.stringify(example)}`);
      }
    }
  });

  test(`the bundle of ${dialect.id} accepts what the corpus accepts, and refuses what the corpus refuses`, async () => {
    const check = await validate(`urn:baton:${dialect.id}`);
    for (const { name, message } of acceptedExamples(dialect.id)) {
      assert.ok(check(message as never).valid, name);
    }
    for (const { name, message, problems } of refusedExamples(dialect.id)) {
      // JSON Schema sees no rules between fields.
      const isFormed = problems.every(({ code }) => code === "cross-field");
      assert.equal(check(message as never).valid, isFormed, name);
    }
  });
}
