/** The envelope of the typed dialects, field by field, on each of their types. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { dialectOf } from "../../src/messages/dialects/registry.ts";
import { readMessage } from "../../src/messages/intake/read-message.ts";
import type { DialectId } from "../../src/messages/message.ts";
import { readRequirements } from "./requirements.ts";

/** Each field with a value that it may not have. */
const wrong: Readonly<Record<string, unknown>> = {
  id: "not an id",
  type: "no_such_type",
  phase: -1,
  task: 7,
  author_role: "nobody",
  timestamp: "yesterday",
  schema_version: "1.0",
  payload: "text",
  confidence: "certain",
};

function isRead(id: DialectId, message: object): boolean {
  return readMessage(JSON.stringify(message), { dialects: [id], strict: true }).outcome === "accepted";
}

function examplesOf(id: DialectId): readonly { readonly [field: string]: unknown }[] {
  const dialect = dialectOf(id);
  assert.ok(dialect !== null);
  return [...dialect.definitions.values()].map(({ example }) => example);
}

for (const id of ["vbw/2", "yolo/2"] as const) {
  test(`${id}: no message is read without one of the nine fields of the envelope`, () => {
    const listed = readRequirements().find(({ dialect }) => dialect === id)?.rows ?? [];
    const types = listed.filter(({ kind }) => kind === "envelope").map(({ of }) => of);
    const examples = examplesOf(id);
    assert.deepEqual(types.toSorted(), examples.map(({ type }) => String(type)).toSorted());
    for (const example of examples) {
      assert.ok(isRead(id, example));
      assert.deepEqual(Object.keys(example).toSorted(), Object.keys(wrong).toSorted());
      for (const field of Object.keys(wrong)) {
        const { [field]: _, ...rest } = example;
        assert.ok(!isRead(id, rest), `${String(example.type)} without ${field}`);
      }
    }
  });

  test(`${id}: a field of the envelope has one form`, () => {
    for (const example of examplesOf(id)) {
      for (const [field, value] of Object.entries(wrong))
        assert.ok(
          !isRead(id, { ...example, [field]: value }),
          `${String(example.type)} with ${field} ${String(value)}`,
        );
    }
  });
}
