import assert from "node:assert/strict";
import { test } from "node:test";
import { typedMessage } from "../../testing/fixtures.ts";
import { dialectOf } from "../dialects/registry.ts";
import { readMessage } from "./read-message.ts";

const progress = { type: "dev_progress", task: "03-01/T3", plan_id: "03-01", commit: "abc1234", status: "partial" };
const update = typedMessage("execution_update");
const handoff = dialectOf("bmad/1")?.definitions.get("handoff")?.example.handoff as object;
const { type, ...fields } = progress;
const json = (value: unknown) => JSON.stringify(value);

/** JSON in which a message is where none is read: the problem with its path, and what its hint says. */
const cases: readonly (readonly [name: string, value: unknown, problem: string, hint: RegExp])[] = [
  ["under a key", { message: progress }, "missing-field $.type", /^Send what is at \$\.message alone/],
  ["under a key, in an envelope", { message: update }, "missing-field $.type", /^Send what is at \$\.message alone/],
  ["beside a receiver", { to: "lead", message: progress }, "missing-field $.type", /receivers and ids next to/],
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
  test(`a message ${name} is refused with its place, never read as prose`, () => {
    for (const strict of [false, true]) {
      const reading = readMessage(json(value), { strict });
      assert.equal(reading.outcome, "invalid", json(value));
      const [problem] = reading.problems;
      assert.equal(`${problem?.code} ${problem?.path}`, told);
      assert.match(problem?.hint ?? "", hint);
    }
  });
}

test("other JSON is prose as before: settings, lists of words, strings, unknown types", () => {
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
  [" type ", true],
  ["ty\u200bpe", true],
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
        reading.notes.map(({ code, from }) => [code, from]),
        [["alias", json(key)]],
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

/** The word of a type as agents write it: what it is read as, or null. */
const words: readonly (readonly [written: string, read: string | null])[] = [
  ["DEV_PROGRESS", "dev_progress"],
  ["devProgress", "dev_progress"],
  ["dev-progress", "dev_progress"],
  [" Dev Progress ", "dev_progress"],
  ["dev_progress\u200b", null],
  ["dev_progres", null],
  ["dev_progresses", null],
  ["d\u0435v_progress", null],
];

for (const [written, read] of words) {
  test(`the type ${json(written)} is ${read === null ? "no type" : `read as ${read}`}, and strictly none`, () => {
    const text = json({ ...progress, type: written });
    const reading = readMessage(text, { dialects: ["vbw/1"] });
    assert.equal(reading.type, read);
    if (read !== null)
      assert.deepEqual(
        reading.notes.map(({ code, path, to }) => [code, path, to]),
        [["alias", "$.type", json(read)]],
      );
    else assert.equal(reading.problems[0]?.code, "unknown-type");
    assert.equal(readMessage(text, { dialects: ["vbw/1"], strict: true }).outcome, "invalid");
  });
}

test("a type in other letters names no other message than it would in its own: envelope, rung and effect are the same", () => {
  const upper = { ...update, type: "EXECUTION_UPDATE" };
  const reading = readMessage(json(upper));
  assert.deepEqual([reading.outcome, reading.dialect, reading.rung], ["accepted", "vbw/2", "typed"]);
  const flat = readMessage(json({ type: "Plan-Contract", plan_id: "1-1" }));
  assert.deepEqual([flat.outcome, flat.rung], ["invalid", "typed"], "a type that only typed dialects know is theirs");
  const quoted = readMessage(`As told: ${json({ ...progress, type: "DevProgress", status: "complete" })}`);
  assert.equal(quoted.outcome, "prose", "what acts counts only alone");
});

test("an envelope in other letters is no control frame of an agent program", () => {
  const answer = typedMessage("shutdown_response", {}, {});
  const { schema_version: version, author_role: role, ...rest } = answer;
  const reading = readMessage(json({ ...rest, schemaVersion: version, authorRole: role }));
  assert.deepEqual([reading.dialect, reading.outcome], ["vbw/2", "accepted"]);
  assert.deepEqual(reading.outcome === "accepted" && reading.message, answer);
});

test("an envelope that was put into the payload is one: it is refused with where its fields belong", () => {
  const { type: kind, payload, ...around } = update;
  const reading = readMessage(json({ type: kind, payload: { ...around, ...(payload as object) } }));
  assert.deepEqual([reading.outcome, reading.rung], ["invalid", "typed"]);
  assert.ok(
    reading.problems.every(
      ({ path, hint }) => hint === `it is at ${path.replace("$", "$.payload")}: move it to ${path}`,
    ),
  );
});

test("a problem of a field in a payload names the field where it was sent, in its wording too", () => {
  const reading = readMessage(json({ type, payload: { ...fields, status: "so", mood: 1 } }), { dialects: ["vbw/1"] });
  const told = [...reading.problems, ...reading.notes];
  assert.deepEqual(
    told.map(({ path }) => path),
    ["$.payload.status", "$.payload.mood"],
  );
  for (const { path, message } of told) assert.ok(message.startsWith(`${path} `), message);
});
