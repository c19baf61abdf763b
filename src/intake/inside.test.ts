import assert from "node:assert/strict";
import { test } from "node:test";
import { dialectOf } from "../dialects/registry.ts";
import { typedMessage } from "../testing/fixtures.ts";
import { readMessage } from "./read-message.ts";

const progress = { type: "dev_progress", task: "03-01/T3", plan_id: "03-01", commit: "abc1234", status: "partial" };
const update = typedMessage("execution_update");
const handoff = dialectOf("bmad/1")?.definitions.get("handoff")?.example.handoff as object;
const { type, ...fields } = progress;
const json = (value: unknown) => JSON.stringify(value);

/** JSON in which a message stands where none is read: the problem with its path, and what its hint says. */
const cases: readonly (readonly [name: string, value: unknown, problem: string, hint: RegExp])[] = [
  ["under a key", { message: progress }, "missing-field $.type", /^Send what stands at \$\.message alone/],
  [
    "under a key, in an envelope",
    { message: update },
    "missing-field $.type",
    /^Send what stands at \$\.message alone/,
  ],
  [
    "beside a receiver",
    { to: "lead", message: progress },
    "missing-field $.type",
    /receivers and ids are named beside/,
  ],
  ["as a tool's text", { to: "lead", message: json(update) }, "missing-field $.type", /\$\.message alone/],
  [
    "as a text without an entry's marks",
    { from: "dev-1", text: json(progress) },
    "missing-field $.type",
    /\$\.text alone/,
  ],
  ["a document under a key", { message: { handoff } }, "missing-field $.type", /\$\.message alone/],
  ["in a list", [progress], "not-an-object $", /^Send what is in the list alone/],
  ["several in a list", [update, progress], "not-an-object $", /^Send each of them/],
  ["a string of a string", json(json(progress)), "not-an-object $", /without turning it into a string/],
  ["under its type", { [type]: fields }, "missing-field $.type", /^Write \{"type": "dev_progress", \.\.\.\}/],
  ["a document without its key", handoff, "missing-field $.handoff", /^Put them into an object under "handoff"/],
];

for (const [name, value, told, hint] of cases) {
  test(`a message ${name} is refused with where it stands, never words`, () => {
    for (const strict of [false, true]) {
      const reading = readMessage(json(value), { strict });
      assert.equal(reading.outcome, "invalid", json(value));
      const [problem] = reading.problems;
      assert.equal(`${problem?.code} ${problem?.path}`, told);
      assert.match(problem?.hint ?? "", hint);
    }
  });
}

test("other JSON is words as before: settings, lists of words, texts, unknown types", () => {
  const values = [
    { message: { a: 1 } },
    { a: update.payload },
    [1, progress.task],
    "words",
    { lunch: {} },
    { type: "lunch" },
    { metadata: {} },
  ];
  for (const value of values) assert.equal(readMessage(json(value)).outcome, "prose", json(value));
});

/** The type under another name: what it is read as, or the hint. */
const typeNames: readonly (readonly [key: string, read: boolean])[] = [
  ["Type", true],
  ["TYPE", true],
  ["tpye", false],
  ["type\u200b", false],
  ["message_type", false],
  ["kind", false],
];

for (const [key, isRead] of typeNames) {
  test(`a type under ${JSON.stringify(key)} is ${isRead ? "read" : "told"}`, () => {
    const text = json({ [key]: type, ...fields });
    const reading = readMessage(text, { dialects: ["vbw/1"] });
    if (isRead) {
      assert.ok(reading.outcome === "accepted");
      assert.deepEqual(reading.message, progress);
      assert.deepEqual(
        reading.notes.map(({ code, path }) => [code, path]),
        [["alias", `$.${key}`]],
      );
    } else assert.equal(reading.problems[0]?.hint, `did you mean "type" where you wrote ${json(key)}?`);
    assert.equal(readMessage(text, { dialects: ["vbw/1"], strict: true }).outcome, "invalid");
  });
}

test("a mark of an envelope counts however its name is written: such a message never falls to a lower rung", () => {
  const request = typedMessage("shutdown_request");
  const { schema_version: version, author_role: role, payload, ...rest } = request;
  for (const written of [
    { ...rest, schemaVersion: version, authorRole: role, payload },
    { ...rest, "Schema-Version": version, "author role": role, Payload: payload },
    { ...rest, AUTHOR_ROLE: role, payload, SchemaVersion: version },
  ]) {
    const reading = readMessage(json(written));
    assert.equal(reading.dialect, "vbw/2", json(reading.problems));
    assert.deepEqual(reading.message, request);
    const wrong = readMessage(json({ ...written, phase: "so" }));
    assert.deepEqual([wrong.outcome, wrong.rung], ["invalid", "typed"]);
    assert.ok(
      wrong.outcome === "invalid" && !("schema_version" in (wrong.message ?? {})),
      "the message stays as it came",
    );
  }
  assert.equal(
    readMessage(
      json({ type: "shutdown_request", reason: "phase_complete", deadline_seconds: 30, schemaVersion: "2.0" }),
    ).outcome,
    "invalid",
  );
});
