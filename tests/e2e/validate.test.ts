/** Every kind of source that `baton validate` cuts into messages. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { typedMessage } from "../../src/testing/fixtures.ts";
import { calledWithCode } from "./called.ts";
import { folder, jsonLines } from "./command.ts";

const place = folder();
const update = typedMessage("execution_update");

test("an invalid message ends with 2, a missing file with 3", async () => {
  const { id: _, ...faulty } = update;
  const [reading] = jsonLines(await calledWithCode(2, place, ["validate", "--json"], JSON.stringify(faulty)));
  assert.equal(reading?.valid, false);
  await calledWithCode(3, place, ["validate", "nowhere.json"]);
});

test("a list is one input", async () => {
  const answers = jsonLines(await calledWithCode(2, place, ["validate", "--json"], JSON.stringify([update])));
  assert.equal(answers.length, 1);
});
