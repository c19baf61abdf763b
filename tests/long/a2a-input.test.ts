/** The long campaign of changed requests at the A2A door. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { attack, methods } from "../a2a/bad-input.ts";
import { door, hasty } from "../a2a/door.ts";
import { chanceFrom, chosenSeed } from "../crash/seed.ts";
import { record } from "./record.ts";

test("20,000 changed requests get an answer of A2A, and none is a failure of the hub", async (t) => {
  const seed = chosenSeed(2102);
  const count = 20_000;
  const hub = await door(t, hasty);
  const { wrong, taken, kinds } = await attack(hub, count, chanceFrom(seed));
  record("a2a-input", "Changed requests at the A2A door: each is answered in a form of A2A, never by 5xx.", [
    ["requests", count],
    ["taken as good", taken],
    ["answered by a failure", wrong.length],
    ["seed", seed],
  ]);
  assert.deepEqual(wrong.slice(0, 3), []);
  // A method that takes nothing at all was not tried. What is cancelled here is unknown: the campaign ends its asks itself.
  // Push notifications are not offered.
  const untaken = methods
    .filter((method) => !/^[_a-z]|PushNotification/.test(method) && method !== "CancelTask")
    .flatMap((method) => ["rpc", "rest"].map((binding) => `${method} ${binding} taken`))
    .filter((each) => !kinds.has(each));
  assert.deepEqual(untaken, []);
});
