/** How an input is read, and the same in another dialect; and every kind of source that is cut into messages. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { typedMessage } from "../../src/testing/fixtures.ts";
import { called, calledWithCode } from "./called.ts";
import { folder, jsonLines } from "./command.ts";

const place = folder();
const update = typedMessage("execution_update");
const verdict = typedMessage("qa_verdict");
const at = "2026-11-21T10:00:00.000Z";

test("a message is read to its fact", async () => {
  const [reading] = jsonLines(await calledWithCode(0, place, ["read", "--json"], JSON.stringify(update)));
  assert.equal(reading?.rung, "typed");
  assert.equal(reading?.dialect, "vbw/2");
  assert.equal(reading?.type, "execution_update");
  assert.equal(reading?.valid, true);
  assert.deepEqual(reading?.message, update);
  const fact = reading?.fact as { kind: string; body: { taskId: string } };
  assert.equal(fact.kind, "progress");
  assert.equal(fact.body.taskId, "1-1-T1");
  const { stdout } = await calledWithCode(0, place, ["read"], JSON.stringify(update));
  assert.match(stdout, /^valid {2}- {2}execution_update \(vbw\/2, typed\)\n {2}says {8}progress\n/);
});

test("prose keeps its words and headings", async () => {
  const [reading] = jsonLines(await calledWithCode(0, place, ["read", "--json"], "# Report\n\nAll is well.\n"));
  assert.equal(reading?.rung, "markdown");
  assert.equal(reading?.text, "# Report\n\nAll is well.\n");
  assert.deepEqual(reading?.headings, [{ level: 1, text: "Report" }]);
});

test("--to writes the message in another dialect, or prose that says why not", async () => {
  const { stdout } = await calledWithCode(0, place, ["read", "--to", "yolo/2"], JSON.stringify(update));
  assert.deepEqual(JSON.parse(stdout), update);
  const [none] = jsonLines(
    await calledWithCode(0, place, ["read", "--to", "yolo/2", "--json"], JSON.stringify(verdict)),
  );
  assert.equal(none?.dialect, null);
  assert.match(String(none?.message), /has no counterpart[\s\S]*```json/);
  const refused = await called(place, ["read", "--to", "vbw/9"], JSON.stringify(update));
  assert.match(refused.stderr, /unknown-dialect/);
});

test("an invalid message ends with 2, a missing file with 3", async () => {
  const { id: _, ...faulty } = update;
  const [reading] = jsonLines(await calledWithCode(2, place, ["read", "--json"], JSON.stringify(faulty)));
  assert.equal(reading?.valid, false);
  await calledWithCode(2, place, ["read", "--to", "yolo/2"], JSON.stringify(faulty));
  await calledWithCode(3, place, ["read", "nowhere.json"]);
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
  const { stdout } = await calledWithCode(2, place, ["read", "lead-1.json"]);
  assert.match(stdout, /^valid {2}lead-1\.json\[1\] {2}markdown\n {2}Well done\.$/m);
});

test("a mailbox whose entries were all delivered holds no message; an empty list that is piped in is no message", async () => {
  writeFileSync(join(place, "delivered.json"), " [ ]\n");
  for (const command of ["validate", "read"]) {
    assert.deepEqual(jsonLines(await calledWithCode(0, place, [command, "delivered.json", "--json"])), []);
    assert.equal(jsonLines(await calledWithCode(2, place, [command, "--json"], "[]")).length, 1);
  }
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
