import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { valueForm } from "../../../scripts/generate/value-form.ts";
import { emitSchema, formOf, withoutFormats } from "./emitter.ts";
import { count, entry, listOf, objectOf, oneOf, optional, required, text, textUpTo, timestamp } from "./shapes.ts";

test("a shape becomes JSON Schema that allows further fields", () => {
  const shape = objectOf({
    word: required(oneOf(["a", "b"]), "A word."),
    at: optional(timestamp(), "A time."),
    list: optional(listOf(entry({ number: count(), note: text() })), "Entries."),
  });
  assert.deepEqual(emitSchema(shape), {
    type: "object",
    properties: {
      word: { type: "string", enum: ["a", "b"], description: "A word." },
      at: { type: "string", anyOf: [{ format: "date-time" }, { format: "date" }], description: "A time." },
      list: {
        type: "array",
        items: {
          type: "object",
          properties: { number: { type: "integer", minimum: 0 }, note: { type: "string" } },
          required: ["number", "note"],
        },
        description: "Entries.",
      },
    },
    required: ["word"],
  });
});

test("a bounded text says its bound in the schema, the form, and the words of pages", () => {
  const schema = emitSchema(textUpTo(40));
  assert.deepEqual(schema, { type: "string", maxLength: 40 });
  assert.deepEqual(valueForm(schema), { is: "text", lengthMax: 40 });
  assert.equal(formOf(schema), "text, at most 40 characters");
});

test("the validators' schema has no formats, which run time checks itself", () => {
  const bare = withoutFormats(emitSchema(objectOf({ at: required(timestamp(), "A time.") })));
  assert.deepEqual(bare.properties?.at, { type: "string", description: "A time." });
});

test("definitions use nothing that JSON Schema would silently drop", () => {
  const source = fileURLToPath(new URL("../..", import.meta.url));
  const authoring = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((path) =>
    /messages(?:[\\/][a-z]+)?\.ts$|(?:typed|flat)-payloads\.ts$|wire-schema\.ts$|schema[\\/]shapes\.ts$|define\.ts$/.test(
      path,
    ),
  );
  assert.ok(authoring.length >= 15, "the authoring files are found");
  const forbidden =
    /\.(?:refine|superRefine|check|transform|overwrite|preprocess|pipe)\(|\bz\.(?:date|coerce|preprocess|custom|transform|object|strictObject|iso)\b/;
  for (const path of authoring) {
    const found = forbidden.exec(readFileSync(`${source}/${path}`, "utf8"));
    assert.equal(
      found?.[0],
      undefined,
      `${path}: cross-field rules are functions of the dialect; objects keep unknown fields`,
    );
  }
  // The guard itself is seen to fail.
  for (const bad of ["x.refine(", "z.date()", "z.object({})", "text().transform("]) assert.ok(forbidden.test(bad));
});
