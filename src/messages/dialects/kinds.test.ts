/**
 * What definitions of one kind of fact owe each other. Deciders read the fields of a kind by name and compare their words:
 * a field that is missing, or a word that nobody else writes, would be accepted and then do nothing.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Definition, FieldFacts } from "./dialect.ts";
import { isCompleted } from "./fields/derived-fields.ts";
import { dialects } from "./registry.ts";

/** Every definition but those whose kind says one thing in several fields, which follow from each other. */
const definitions = dialects
  .flatMap((dialect) => [...dialect.definitions.values()])
  .filter(({ kind }) => !isCompleted(kind));

/** What `one` lacks of what at least two others of its kind all require, and words of theirs that it spells otherwise. */
function strayFields(one: Definition, all: readonly Definition[]): readonly string[] {
  const others = all.filter((other) => other !== one && other.kind === one.kind);
  const [first] = others;
  if (first === undefined || others.length < 2) return [];
  const named = ({ fields }: Definition, neutral: string) => fields.find((field) => field.neutral === neutral);
  return first.fields.flatMap(({ neutral }) => {
    const theirs = others.flatMap((other) => named(other, neutral) ?? []);
    if (theirs.length < others.length || !theirs.every(({ required }) => required)) return [];
    const own = named(one, neutral);
    if (own?.required !== true) return [`${neutral} is not required`];
    return strayWords(own, theirs).map((word) => `${neutral} may be "${word}"`);
  });
}

function strayWords({ value }: FieldFacts, theirs: readonly FieldFacts[]): readonly string[] {
  const known = theirs.flatMap((field) => field.value.words ?? []);
  return known.length === 0 ? [] : (value.words ?? []).filter((word) => !known.includes(word));
}

const hint = "see src/messages/fact-bodies.ts; deciders read these names and words";

test("a definition requires the fields that all others of its kind require, in words that they use", () => {
  for (const one of definitions)
    assert.deepEqual(strayFields(one, definitions), [], `${one.dialect} ${one.type}: ${hint}`);
});

test("a missing field and a strange word are found", () => {
  const update = definitions.find(({ kind }) => kind === "progress");
  assert.ok(update !== undefined);
  const fields = update.fields
    .filter(({ neutral }) => neutral !== "planId")
    .map((field) => (field.neutral === "status" ? { ...field, value: { ...field.value, words: ["done"] } } : field));
  const planted = { ...update, fields };
  const sound = definitions.filter((one) => strayFields(one, definitions).length === 0);
  assert.deepEqual(strayFields(planted, [...sound, planted]).toSorted(), [
    "planId is not required",
    'status may be "done"',
  ]);
});
