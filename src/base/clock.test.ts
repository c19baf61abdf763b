import assert from "node:assert/strict";
import { test } from "node:test";
import { ownTurn } from "./clock.ts";

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
