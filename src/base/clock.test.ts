import assert from "node:assert/strict";
import { test } from "node:test";
import { ownTurn, timestampOf } from "./clock.ts";

test("of many works one piece runs in a round of the event loop, in turn", async () => {
  const rounds: string[][] = [[]];
  let isOver = false;
  const count = () => {
    rounds.push([]);
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const work = async (name: string) => {
    for (let piece = 0; piece < 5; piece += 1) {
      await ownTurn();
      rounds.at(-1)?.push(name);
    }
  };
  await Promise.all(["a", "b", "c"].map(work));
  isOver = true;
  assert.deepEqual(rounds.flat().join(""), "abcabcabcabcabc");
  for (const round of rounds) assert.ok(round.length <= 1, JSON.stringify(rounds));
});

test("a moment after the year 9999 is written as the last one that can be", () => {
  assert.equal(timestampOf(Date.UTC(2026, 1, 12, 10)), "2026-02-12T10:00:00.000Z");
  for (const ms of [Date.UTC(9999, 11, 31, 23, 59, 59, 999), Date.UTC(10_000, 0, 1), 8.64e15 + 1])
    assert.equal(timestampOf(ms), "9999-12-31T23:59:59.999Z");
});
