/** Every entry of every alias table: what it says is meant is what is read. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import type { Definition, Dialect } from "../dialects/dialect.ts";
import { dialects } from "../dialects/registry.ts";
import { readMessage } from "./read-message.ts";

/** The example with `change` made to the objects at a separate dotted place fields, and whether one was there. */
function changedAt(value: Json, steps: readonly string[], change: (owner: JsonObject) => JsonObject): Json {
  if (isJsonList(value)) return value.map((one) => changedAt(one, steps, change));
  if (!isJsonObject(value)) return value;
  const [step, ...deeper] = steps;
  if (step === undefined) return change(value);
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, key === step ? changedAt(one, deeper, change) : one]),
  );
}

function place(dialect: Dialect): readonly string[] {
  if (dialect.form === "typed") return ["payload"];
  return dialect.form === "document" ? ["handoff"] : [];
}

function replaced(owner: JsonObject, from: string, to: string, value: (old: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(owner).map(([key, one]) => (key === from ? [to, value(one)] : [key, one])));
}

function lastOf(dotted: string): readonly [owner: readonly string[], name: string] {
  const steps = dotted.split(".");
  return [steps.slice(0, -1), steps.at(-1) ?? ""];
}

function assertMeans(dialect: Dialect, written: Json, meant: Json, what: string): void {
  const reading = readMessage(JSON.stringify(written), { dialects: [dialect.id] });
  assert.ok(reading.outcome === "accepted", `${what}: ${JSON.stringify(reading.problems)}`);
  assert.deepEqual(reading.message, meant, what);
  assert.ok(
    reading.notes.some(({ code }) => code === "alias"),
    `${what}: the use is noted`,
  );
}

function namesHold(dialect: Dialect, definition: Definition): void {
  for (const [written, meant] of Object.entries(definition.aliases.names)) {
    const what = `${dialect.id} ${definition.type}: ${written} for ${meant}`;
    const [owner, name] = lastOf(meant);
    const [writtenOwner, writtenName] = lastOf(written);
    assert.deepEqual(writtenOwner, owner, `${what}: both at one place`);
    const drifted = changedAt(definition.example, [...place(dialect), ...owner], (one) =>
      replaced(one, name, writtenName, (value) => value),
    );
    assert.notDeepEqual(drifted, definition.example, `${what}: the example has the field`);
    assertMeans(dialect, drifted, definition.example, what);
  }
}

function wordsHold(dialect: Dialect, definition: Definition): void {
  for (const [field, words] of Object.entries(definition.aliases.words)) {
    const [owner, name] = lastOf(field);
    for (const [written, meant] of Object.entries(words)) {
      const what = `${dialect.id} ${definition.type}: ${field} ${written} for ${meant}`;
      const set = (word: string) =>
        changedAt(definition.example, [...place(dialect), ...owner], (one) =>
          replaced(one, name, name, (value) => (isJsonList(value) ? value.map(() => word) : word)),
        );
      const canonical = set(meant);
      // A word may break a rule between the example's fields; what it stands for then does so too.
      if (!dialect.accepts(canonical)) continue;
      assertMeans(dialect, set(written), canonical, what);
    }
  }
}

for (const dialect of dialects) {
  test(`every name and word of the alias tables of ${dialect.id} is read as it says`, () => {
    let entries = 0;
    for (const definition of dialect.definitions.values()) {
      namesHold(dialect, definition);
      wordsHold(dialect, definition);
      const { names, words } = definition.aliases;
      entries += Object.keys(names).length + Object.values(words).length;
    }
    assert.ok(entries > 0, `${dialect.id}: no message has aliases; write down at least one spelling that agents use`);
  });
}
