/** However many ask, one asking is under way, and the last of them is asked for after it came. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../../../base/clock.ts";
import { Joined } from "./refetching.ts";

/** Asking that the test answers, on a clock that the test moves. */
function desk() {
  const waits: (() => void)[] = [];
  const answers: (() => void)[] = [];
  const clock: Pick<Clock, "wait"> = { wait: () => new Promise((resolve) => waits.push(resolve)) };
  let most = 0;
  let asked = 0;
  let underWay = 0;
  const ask = async () => {
    asked += 1;
    most = Math.max(most, ++underWay);
    await new Promise<void>((resolve) => answers.push(resolve));
    underWay -= 1;
  };
  /** Does the oldest of what waits, and lets what follows from it happen. */
  const next = async (queue: (() => void)[]) => {
    queue.shift()?.();
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  };
  return {
    // Nothing else of a clock is used.
    joined: new Joined(ask, clock as Clock),
    tick: () => next(waits),
    answer: () => next(answers),
    seen: () => ({ asked, most, waiting: waits.length, open: answers.length }),
  };
}

test("a burst is asked for once, after it was gathered", async () => {
  const { joined, tick, answer, seen } = desk();
  for (let at = 0; at < 50; at++) void joined.soon();
  assert.deepEqual(seen(), { asked: 0, most: 0, waiting: 1, open: 0 });
  assert.ok(joined.isUnderWay);
  await tick();
  await answer();
  assert.deepEqual(seen(), { asked: 1, most: 1, waiting: 0, open: 0 });
  assert.ok(!joined.isUnderWay);
});

test("what comes while one is asked for is one more, after it", async () => {
  const { joined, tick, answer, seen } = desk();
  void joined.run();
  for (let at = 0; at < 50; at++) void joined.soon();
  await tick();
  void joined.run();
  assert.deepEqual(seen(), { asked: 1, most: 1, waiting: 0, open: 1 });
  await answer();
  // It pauses, and what comes meanwhile is in the next asking.
  void joined.run();
  await tick();
  assert.deepEqual(seen(), { asked: 2, most: 1, waiting: 0, open: 1 });
  await answer();
  assert.deepEqual(seen(), { asked: 2, most: 1, waiting: 0, open: 0 });
});

test("what comes after an answer is asked for again", async () => {
  const { joined, tick, answer, seen } = desk();
  for (let at = 1; at <= 3; at++) {
    void joined.soon();
    await tick();
    await answer();
    assert.equal(seen().asked, at);
  }
});
