import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Json, JsonObject } from "../../src/base/json.ts";
import { emitSchema, type JsonSchema } from "../../src/base/schema/emitter.ts";
import { objectOf } from "../../src/base/schema/shapes.ts";
import { type DialectEntry, envelopeOf, type MessageEntry } from "../../src/messages/dialects/define.ts";
import { dialectOf } from "../../src/messages/dialects/registry.ts";
import { vbw2Messages } from "../../src/messages/dialects/vbw-2/messages.ts";
import { yolo2Messages } from "../../src/messages/dialects/yolo-2/messages.ts";
import { concrete, type TypedDocument, typedDocument, wordsOf } from "./documents.ts";

/** Where the data and a document differ on purpose, each with its reason. One that no longer applies fails its test. */
const exceptions: ReadonlyMap<string, string> = new Map([
  ["yolo/2 envelope.type lacks debugger_report", "the document's envelope forgets it; its matrix and sections have it"],
  [
    "vbw/2 scout_findings.cross_cutting.target_domain is text",
    "the document shows one domain without a list; other domains may be named",
  ],
  [
    "yolo/2 debugger_report.confidence is high | medium | low",
    "the document shows one word; the envelope's confidence lists them",
  ],
]);
const used = new Set<string>();

/** Fails unless the difference is a known exception. */
function differs(statement: string): void {
  used.add(statement);
  assert.ok(exceptions.has(statement), `a difference without a reason: ${statement}`);
}

const pairs: readonly (readonly [string, DialectEntry])[] = [
  ["vbw-2", vbw2Messages],
  ["yolo-2", yolo2Messages],
];
const absent = "BATON_DOCUMENTS names no folder with the documents";

for (const [prefix, dialect] of pairs) {
  const document = typedDocument(prefix);
  const skip = document === null ? absent : false;
  const known: TypedDocument = document ?? { envelope: {}, matrix: new Map(), examples: new Map() };

  test(`${dialect.id}: the matrix is the document's, in its order`, { skip }, () => {
    const ours = dialect.messages.map(({ type, senders, receivers }) => [type, { senders, receivers }]);
    assert.deepEqual(ours, [...known.matrix]);
  });

  test(`${dialect.id}: the envelope is the document's`, { skip }, () => {
    for (const entry of dialect.messages) {
      const envelope = envelopeOf(dialect, entry);
      assert.deepEqual(Object.keys(envelope).toSorted(), Object.keys(known.envelope).toSorted());
      assert.ok(Object.values(envelope).every((field) => field.required));
    }
    assert.deepEqual(dialect.authorRoles, wordsOf(known.envelope.author_role));
    const types = wordsOf(known.envelope.type) ?? [];
    for (const { type } of dialect.messages)
      if (!types.includes(type)) differs(`${dialect.id} envelope.type lacks ${type}`);
    for (const type of types)
      assert.ok(
        dialect.messages.some((entry) => entry.type === type),
        type,
      );
  });

  test(`${dialect.id}: every message has exactly the document's fields, forms and words`, { skip }, () => {
    assert.deepEqual(
      [...known.examples.keys()],
      dialect.messages.map(({ type }) => type),
    );
    for (const entry of dialect.messages) {
      const payload = known.examples.get(entry.type)?.payload;
      compare(`${dialect.id} ${entry.type}`, emitSchema(objectOf(entry.payload)), payload);
    }
  });

  test(`${dialect.id}: the document's examples are accepted, with any word they list`, { skip }, () => {
    for (const entry of dialect.messages) acceptSeedExample(dialect, entry, known.examples.get(entry.type) ?? {});
  });
}

after(() => {
  if (typedDocument("vbw-2") === null) return;
  const stale = [...exceptions.keys()].filter((statement) => !used.has(statement));
  assert.deepEqual(stale, [], "exceptions that no longer apply");
});

/** Compares a schema with a printed value, both ways: fields, forms, listed words. */
function compare(place: string, schema: JsonSchema, printed: Json | undefined): void {
  const words = wordsOf(printed);
  if (words !== null) {
    assert.deepEqual(schema.enum, words, place);
    return;
  }
  if (schema.enum !== undefined) {
    assert.ok(typeof printed === "string" && schema.enum.includes(printed), place);
    differs(`${place} is ${schema.enum.join(" | ")}`);
    return;
  }
  if (place.endsWith("target_domain")) differs(`${place} is text`);
  if (Array.isArray(printed)) {
    assert.equal(schema.type, "array", place);
    for (const one of printed) compare(place, schema.items ?? {}, one);
    if (printed.length === 0)
      assert.equal(schema.items?.type, "string", `${place}: entries of an empty list are texts`);
    return;
  }
  if (typeof printed === "object" && printed !== null) {
    assert.equal(schema.type, "object", place);
    assert.deepEqual(Object.keys(schema.properties ?? {}), Object.keys(printed), place);
    for (const [key, inner] of Object.entries(schema.properties ?? {}))
      compare(`${place}.${key}`, inner, (printed as JsonObject)[key]);
    return;
  }
  assert.equal(schema.type, typeof printed === "number" ? "integer" : typeof printed, place);
}

function acceptSeedExample(dialect: DialectEntry, entry: MessageEntry, printed: JsonObject): void {
  const base = concrete(printed) as { readonly payload: JsonObject };
  const variants: Json[] = [base];
  for (const [key, value] of Object.entries(printed.payload as JsonObject)) {
    for (const word of wordsOf(value) ?? []) variants.push({ ...base, payload: { ...base.payload, [key]: word } });
  }
  for (const variant of variants) {
    const answer = dialectOf(dialect.id)?.read(variant, { strict: true });
    if (entry.rules.length > 0 && answer?.answer === "invalid") {
      // A listed word such as PASS need not go with the failures printed next to it.
      assert.deepEqual(new Set(answer.problems.map(({ code }) => code)), new Set(["cross-field"]));
      continue;
    }
    assert.equal(answer?.answer, "accepted", `${entry.type}: ${JSON.stringify(answer)}`);
  }
}
