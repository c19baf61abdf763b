/** Every kind of source that `baton validate` cuts into messages. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { typedMessage } from "../../src/testing/fixtures.ts";
import { calledWithCode } from "./called.ts";
import { folder, jsonLines } from "./command.ts";

const place = folder();
const update = typedMessage("execution_update");
const at = "2026-11-21T10:00:00.000Z";

test("an invalid message ends with 2, a missing file with 3", async () => {
  const { id: _, ...faulty } = update;
  const [reading] = jsonLines(await calledWithCode(2, place, ["validate", "--json"], JSON.stringify(faulty)));
  assert.equal(reading?.valid, false);
  await calledWithCode(3, place, ["validate", "nowhere.json"]);
});

test("a mailbox is read entry by entry, old and new, and a faulty entry hides no other", async () => {
  const entries = [
    { from: "dev-1", text: JSON.stringify(update), timestamp: at, read: true },
    { from: "lead-1", text: "Well done.", summary: "Thanks", timestamp: at, msgV: 1, type: "message", read: false },
    { from: "dev-1", timestamp: at },
    { from: "dev-1", text: JSON.stringify({ type: "idle_notification", from: "dev-1", timestamp: at }), timestamp: at },
  ];
  writeFileSync(join(place, "lead-1.json"), JSON.stringify(entries, null, 2));
  const answers = jsonLines(await calledWithCode(2, place, ["validate", "lead-1.json", "--json"]));
  assert.deepEqual(
    answers.map(({ source, index, rung, type, valid }) => [source, index, rung, type, valid]),
    [
      ["lead-1.json", 0, "typed", "execution_update", true],
      ["lead-1.json", 1, "markdown", null, true],
      ["lead-1.json", 2, "markdown", null, false],
      ["lead-1.json", 3, "structured", "idle_notification", true],
    ],
  );
  const { stdout } = await calledWithCode(2, place, ["validate", "lead-1.json"]);
  assert.match(stdout, /^valid {2}lead-1\.json\[1\] {2}markdown$/m);
});

test("a mailbox whose entries were all delivered holds no message; an empty list that is piped in is no message", async () => {
  writeFileSync(join(place, "delivered.json"), " [ ]\n");
  assert.deepEqual(jsonLines(await calledWithCode(0, place, ["validate", "delivered.json", "--json"])), []);
  assert.equal(jsonLines(await calledWithCode(2, place, ["validate", "--json"], "[]")).length, 1);
});

test("a mailbox may be larger than one message, an entry may not", async () => {
  const entry = (size: number) => ({ from: "dev-1", text: "a".repeat(size), timestamp: at });
  writeFileSync(join(place, "large.json"), JSON.stringify([entry(200_000), entry(200_000), entry(300_000)]));
  const answers = jsonLines(await calledWithCode(2, place, ["validate", "large.json", "--json"]));
  assert.deepEqual(
    answers.map(({ valid }) => valid),
    [true, true, false],
  );
});

test("a list that is no mailbox is one input", async () => {
  const answers = jsonLines(await calledWithCode(2, place, ["validate", "--json"], JSON.stringify([update])));
  assert.equal(answers.length, 1);
});
