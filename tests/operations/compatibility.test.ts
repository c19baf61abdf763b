/**
 * The operations as they are published, checked against those of the last release (`released.json` here; a release
 * copies `schemas/operations.json` over it). What would break a caller fails; each rule is seen to fail on a planted
 * change.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { incompatibilities } from "../../scripts/generate/operation-compatibility.ts";
import { type Description, descriptionOf, type Schema } from "../../scripts/generate/operation-description.ts";
import { definedOperations } from "../../src/perform/operations/registry.ts";

const current = descriptionOf(definedOperations);

test("no change since the last release breaks its callers", () => {
  // As it was generated.
  const released = JSON.parse(readFileSync(join(import.meta.dirname, "released.json"), "utf8")) as Description;
  assert.ok(released.operations.length > 30);
  assert.deepEqual(incompatibilities(released, current), []);
});

/** The description with one operation, or a named schema, changed. */
function changed(name: string, change: (thing: Schema) => Schema): Description {
  const altered = <Thing extends object>(thing: Thing): Thing => change(thing as Schema) as Thing; // plain data
  return {
    operations: current.operations.map((each) => (each.name === name ? altered(each) : each)),
    schemas: Object.fromEntries(
      Object.entries(current.schemas).map(([id, schema]) => [id, id === name ? altered(schema) : schema]),
    ),
  };
}

/** A schema with some of its properties changed. */
function withProperties(schema: unknown, change: (properties: Schema) => Schema): Schema {
  const { properties, ...rest } = schema as { readonly properties: Schema }; // an object's, as those below are
  return { ...rest, properties: change(properties) };
}

const input = (change: (input: Schema) => Schema) => (operation: Schema) => ({
  ...operation,
  input: change(operation.input as Schema), // as every operation has one
});

const breaking: Readonly<Record<string, readonly [Description, string]>> = {
  "an operation that is gone": [
    { ...current, operations: current.operations.filter(({ name }) => name !== "claimTask") },
    "claimTask is gone",
  ],
  "another path": [changed("claimTask", (it) => ({ ...it, path: "/x" })), "claimTask: its path is another"],
  "another name in the record": [
    changed("claimTask", (it) => ({ ...it, record: "take-task" })),
    "claimTask: its record is another",
  ],
  "an argument that is needed now": [
    changed(
      "claimTask",
      input((it) => ({ ...it, required: ["task", "plan"] })),
    ),
    "claimTask: input.plan is needed now",
  ],
  "an argument that is gone": [
    changed(
      "claimTask",
      input((it) => withProperties(it, ({ plan: _plan, ...rest }) => rest)),
    ),
    "claimTask: input.plan is gone",
  ],
  "an argument of another type": [
    changed(
      "claimTask",
      input((it) => withProperties(it, (all) => ({ ...all, plan: { type: "integer" } }))),
    ),
    "claimTask: input.plan is of another type",
  ],
  "a word that is not taken any more": [
    changed(
      "completeTask",
      input((it) =>
        withProperties(it, (all) => ({ ...all, status: { type: "string", enum: ["complete", "failed"] } })),
      ),
    ),
    "completeTask: input.status does not take partial any more",
  ],
  "a field of an answer that is gone": [
    changed("Receipt", (it) => withProperties(it, ({ hash: _hash, ...rest }) => rest)),
    "claimTask: answer.receipt.hash is gone",
  ],
  "a field of an answer that may be missing": [
    changed("Task", (it) => ({ ...it, required: [] })),
    "listTasks: answer.tasks.[].task may be missing now",
  ],
};

for (const [words, [description, problem]] of Object.entries(breaking)) {
  test(`${words} is seen`, () => {
    const found = incompatibilities(current, description);
    assert.ok(found.includes(problem), found.join("\n"));
  });
}

test("a new operation, a new argument that may be left out, a new field and a new word break nobody", () => {
  const [first] = current.operations;
  assert.ok(first);
  const more = changed(
    "claimTask",
    input((it) => withProperties(it, (all) => ({ ...all, note: { type: "string" } }))),
  );
  const shown = changed("Task", (it) => withProperties(it, (all) => ({ ...all, colour: { type: "string" } })));
  const word = changed("Receipt", (it) =>
    withProperties(it, (all) => ({ ...all, durability: { type: "string", enum: ["fsync", "os", "memory", "tape"] } })),
  );
  for (const description of [
    { ...current, operations: [...current.operations, { ...first, name: "newOne" }] },
    more,
    shown,
    word,
  ]) {
    assert.deepEqual(incompatibilities(current, description), []);
  }
});
