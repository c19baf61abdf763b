/**
 * Every field that the lists name is required or optional and has the form that they say: in the published schema, and
 * when messages are read; and a message has no other field. Each row is tried on the type's examples, without the field
 * and with a value of another form.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import type { Json } from "../../src/base/json.ts";
import { readMessage } from "../../src/messages/intake/read-message.ts";
import type { DialectId } from "../../src/messages/message.ts";
import { home } from "../architecture/sources.ts";
import { type FieldSchema, fieldAt, formOf, pathsOf, withField, wrongFor } from "./field-forms.ts";
import { type Requirement, readRequirements } from "./requirements.ts";

interface Published extends FieldSchema {
  readonly examples: readonly Json[];
}

const schemas = new Map<string, Published>();

function schemaOf(dialect: string, type: string): Published {
  const path = `schemas/${dialect}/${type}.json`;
  const read = schemas.get(path) ?? (JSON.parse(readFileSync(join(home, path), "utf8")) as Published);
  schemas.set(path, read);
  return read;
}

function isRead(dialect: string, type: string, message: Json): boolean {
  // The lists name dialects that are registered.
  const reading = readMessage(JSON.stringify(message), { dialects: [dialect as DialectId], strict: true });
  return reading.outcome === "accepted" && reading.type === type;
}

/** What a row says that is not so. */
function problemsOf(dialect: string, { id, kind, of, says }: Requirement): readonly string[] {
  const [type = ""] = of.split(".");
  const path = `${dialect === "bmad/1" ? "handoff." : ""}${of.slice(type.length + 1)}`;
  const schema = schemaOf(dialect, type);
  const field = fieldAt(schema, path);
  if (field === null) return [`${id}: ${type} has no ${path}`];
  const problems: string[] = [];
  if (field.required !== (kind === "required")) problems.push(`${id}: ${of} is not ${kind}`);
  if (formOf(field.schema) !== says) problems.push(`${id}: ${of} is ${formOf(field.schema)}, not ${says}`);
  let tried = 0;
  for (const example of schema.examples) {
    const without = withField(example, path, undefined);
    const wrong = withField(example, path, says.startsWith("`") ? "no-such-word" : wrongFor(says));
    if (without === null || wrong === null || !isRead(dialect, type, example)) continue;
    tried++;
    if (isRead(dialect, type, without) !== (kind === "optional"))
      problems.push(`${id}: without ${of} it is read differently`);
    if (isRead(dialect, type, wrong)) problems.push(`${id}: ${of} is read with another form`);
  }
  return tried > 0 ? problems : [...problems, `${id}: no example has ${of}`];
}

/** Fields of messages that no row names, but for those of the envelope. */
function unlisted(dialect: string, rows: readonly Requirement[]): readonly string[] {
  const listed = new Set(rows.map(({ of }) => of));
  return globSync(`schemas/${dialect}/*.json`, { cwd: home }).flatMap((path) => {
    const type = basename(path, ".json");
    if (type === "bundle") return [];
    const { properties = {} } = schemaOf(dialect, type);
    const { payload, handoff } = properties;
    return pathsOf(payload ?? handoff ?? { properties: { ...properties, type: {} } })
      .map((field) => `${type}.${payload === undefined ? field : `payload.${field}`}`)
      .filter((field) => field !== `${type}.type` && !listed.has(field));
  });
}

for (const { dialect: id, rows } of readRequirements()) {
  const fields = rows.filter(({ kind }) => kind === "required" || kind === "optional");
  test(`${id}: every field is required or optional, and of the form, that the list says`, () => {
    assert.deepEqual(
      fields.flatMap((row) => problemsOf(id, row)),
      [],
    );
    assert.deepEqual(unlisted(id, fields), []);
  });
}

test("a row that says the opposite, or another form, and a field without a row are found", () => {
  for (const { dialect, rows } of readRequirements()) {
    const row = rows.find(({ kind, of }) => kind === "required" && !of.endsWith(".type"));
    assert.ok(row !== undefined);
    assert.notDeepEqual(problemsOf(dialect, { ...row, kind: "optional" }), []);
    assert.notDeepEqual(problemsOf(dialect, { ...row, says: "number" }), []);
    const without = rows.filter((each) => each !== row);
    assert.deepEqual(unlisted(dialect, without), [row.of]);
  }
});
