import assert from "node:assert/strict";
import { test } from "node:test";
import { typedMessage } from "../../testing/fixtures.ts";
import { readMessage } from "./read-message.ts";

const json = (value: unknown) => JSON.stringify(value);
const fenced = (value: unknown, info = "json") => `\`\`\`${info}\n${json(value)}\n\`\`\``;
const update = typedMessage("execution_update", { status: "partial" });
const blocker = typedMessage("blocker_report");
const unmarked = { type: "lunch", at: 12 };

/** Of each reading: its outcome, what it was read as, and the codes of its problems and notes. */
function told(text: string, options: Parameters<typeof readMessage>[1] = { dialects: ["vbw/2"] }): string {
  const { outcome, type, problems, notes } = readMessage(text, options);
  const words = [outcome, type ?? "-", ...problems.map(({ code }) => code), ...notes.map(({ code }) => `(${code})`)];
  return words.join(" ");
}

/** what is read, what it is read as */
const candidates: readonly (readonly [name: string, text: string, outcome: string])[] = [
  ["the whole text as JSON", ` ${json(update)}\n`, "accepted execution_update"],
  ["a message that travels as a string of JSON", json(json(update)), "accepted execution_update"],
  ["a fenced JSON object in prose", `As told:\n${fenced(update)}\nBye.`, "accepted execution_update (quoted-message)"],
  ["a fence and nothing else", fenced(blocker), "accepted blocker_report (quoted-message)"],
  ["a fence without a word", fenced(blocker, ""), "accepted blocker_report (quoted-message)"],
  [
    "a single embedded JSON object in prose",
    `Here it is: ${json(update)} and that is all.`,
    "accepted execution_update (quoted-message)",
  ],
  ["an object with words behind", `${json(update)}\n\nThat is all.`, "accepted execution_update (quoted-message)"],
  ["an object beside a setting", `With {"retries":3}: ${json(update)}`, "accepted execution_update (quoted-message)"],
  ["two messages in fences", `${fenced(update)}\nand\n${fenced(blocker)}`, "prose - (quoted-message)"],
  ["two messages, one a line", `${json(update)}\n${json(blocker)}\n`, "invalid - not-json"],
  ["an object of an unknown type in prose", `Eat: ${json(unmarked)}`, "prose - (quoted-message)"],
  ["a setting in prose", 'Set {"retries":3} there.', "prose -"],
  ["an object of an unknown type alone", json(unmarked), "prose - unknown-type (read-as-prose)"],
  ["prose", "All is well.", "prose -"],
  ["words in braces", "{note} all is well", "prose -"],
  ["a template", "{{name}} is ready", "prose -"],
  ["words in quotes and brackets", '["not now", she said] and left', "prose -"],
  ["a setting before words", '{"retries":3} is what I use', "prose -"],
  ["a list that breaks off", '["a", "b"', "prose -"],
  ["an object that breaks off", '{"retries": 3', "invalid - not-json"],
  ["a brace that nothing closes", "{bad json", "invalid - not-json"],
  ["words that a brace encloses", "{bad json}", "invalid - not-json"],
  ["a list of what a brace opens", "[{bad", "invalid - not-json"],
  ["an object with bare keys", "{type: 'execution_update'}", "invalid - not-json"],
  ["a list of objects that breaks off", '[{"type": "execution_update"}', "invalid - not-json"],
  ["an object and a stray comma", `${json(update)},`, "invalid - not-json"],
];

for (const [name, text, outcome] of candidates) {
  test(`reads ${name} as ${outcome}`, () => {
    assert.equal(told(text), outcome);
  });
}

const acting: readonly (readonly [word: string, type: string])[] = [
  ["approve", "approval_response"],
  ["shut down", "shutdown_request"],
  ["agree to shut down", "shutdown_response"],
  ["complete", "execution_update"],
];

for (const [word, type] of acting) {
  const message = typedMessage(type);
  test(`words quoted in prose must not ${word}: they count only when the message is the whole text`, () => {
    assert.equal(told(json(message)), `accepted ${type}`);
    assert.equal(told(`I would say:\n${fenced(message)}`), "prose - (quoted-message)");
    assert.equal(told(`I would say ${json(message)}.`), "prose - (quoted-message)");
    assert.equal(told(fenced(message)), "prose - (quoted-message)");
  });
}

test("strict refuses words around a message", () => {
  assert.equal(told(fenced(update), { dialects: ["vbw/2"], strict: true }), "invalid execution_update not-json");
});

const { id: _, ...withoutId } = update;

/** No upward fall: an input that carries a mark of v2 is v2 or invalid. */
const marked: readonly (readonly [name: string, text: string, outcome: string])[] = [
  ["schema_version", json({ schema_version: "2.0" }), "invalid - missing-field"],
  ["payload with author_role", json({ author_role: "dev", payload: {} }), "invalid - missing-field"],
  ["a faulty envelope", json(withoutId), "invalid execution_update missing-field"],
  ["a faulty envelope among words", `So: ${json(withoutId)}`, "invalid execution_update missing-field"],
  ["a faulty envelope in a fence", fenced(withoutId), "invalid execution_update missing-field"],
  ["a type that only a v2 dialect knows", '{"type":"plan_contract"}', "invalid plan_contract"],
  ["broken JSON", json(update).slice(0, -1), "invalid - not-json"],
  ["broken JSON among words", `So: ${json(update).slice(0, -1)}`, "invalid - not-json"],
  ["broken JSON in a fence", `\`\`\`json\n${json(update).slice(0, -2)}\n\`\`\``, "invalid - not-json"],
  ["a trailing comma", `So: ${json(update).slice(0, -1)},}`, "invalid - not-json"],
  ["a broken object of a v2 type", 'So: {"type": "plan_contract", "payload": {', "invalid - not-json"],
  ["single quotes", "So: {'schema_version': '2.0', 'type': 'plan_contract'}", "invalid - not-json"],
  ["a key twice among words", `So: ${json(update).replace('{"id"', '{"id":"x","id"')}`, "invalid - duplicate-key"],
];

for (const [name, text, outcome] of marked) {
  test(`an input with ${name} is v2 or invalid, never prose`, () => {
    assert.ok(told(text).startsWith(outcome), told(text));
  });
}

test("a broken object without a mark is part of the words, with a note", () => {
  assert.equal(told('He wrote {"type": "lunch", and left.'), "prose - (quoted-message)");
});

test("prose keeps its headings, those outside fences", () => {
  const reading = readMessage("# Report #\n\ntext\n```\n# no heading\n```\n### Next steps");
  assert.ok(reading.outcome === "prose");
  assert.deepEqual(reading.headings, [
    { level: 1, text: "Report" },
    { level: 3, text: "Next steps" },
  ]);
});

test("prose with the heading of a type says what it lacks to be read as one, and stays valid", () => {
  const reading = readMessage("## QA verdict\n\n**Tier:** quick\n\nAll is well.", { dialects: ["vbw/2"] });
  assert.equal(reading.outcome, "prose");
  assert.deepEqual(
    reading.notes.map(({ message }) => message),
    ["The text is written like qa_verdict of vbw/2, but it is prose: as such a message it lacks result, checks."],
  );
  assert.deepEqual(reading.problems, []);
});

test("a whole list that passes a bound is JSON that no definition accepts, as one within it is; words in brackets are words", () => {
  const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  for (const [text, code] of [
    [nested(2), "not-an-object"],
    [nested(100), "too-deep"],
    ["[1e400]", "number-range"],
  ] as const) {
    assert.equal(readMessage(text).problems[0]?.code, code, text);
  }
  for (const words of ["[1e400] is too much", '["a" is short]', "[[[", `${nested(100)} is deep`]) {
    assert.deepEqual([readMessage(words).outcome, readMessage(words).problems], ["prose", []], words);
  }
});
