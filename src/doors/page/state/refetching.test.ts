import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../../../base/clock.ts";
import { everyList, Joined, touched, touchesHandoffs, touchesPhases } from "./refetching.ts";

/** Kind, type, fact; whether phases and whether an opened handoff may have changed; what is refetched. */
const cases = [
  ["message", "qa_result", "verdict", true, false, "status tasks escalations"],
  ["message", null, null, true, false, "status"],
  ["message", "risk_report", "own:risk_report", true, false, "status tasks"],
  ["message", "handoff", "handoff", true, true, "status handoffs"],
  ["message", "shutdown_response", "shutdown-response", true, false, "status shutdowns tasks approvals"],
  ["command", "approval_response", "approval-response", true, false, "status approvals tasks"],
  ["command", "skip-step", null, true, false, "status approvals tasks escalations shutdowns"],
  ["command", "accept-handoff", null, true, true, "status handoffs tasks"],
  ["command", "reject-handoff", null, true, true, "status handoffs"],
  ["command", "complete-handoff", null, true, true, "status handoffs tasks"],
  ["refusal", "accept-handoff", null, false, true, "status"],
  ["refusal", "handoff", null, false, false, "status"],
  ["refusal", "qa_result", null, false, false, "status"],
  ["timer", null, null, true, false, "status approvals tasks escalations shutdowns"],
  ["timer", "shutdown_request", "shutdown-request", true, false, "status approvals tasks escalations shutdowns"],
  ["team", null, null, true, false, "status approvals tasks escalations shutdowns"],
  ["epoch", null, null, true, false, "status approvals tasks escalations shutdowns"],
  ["ack", null, null, false, false, "status"],
] as const;

test("an entry's line tells what it may have changed", () => {
  for (const [kind, type, fact, phases, handoffs, asked] of cases) {
    const line = { kind, type, fact, receivers: [] };
    assert.equal(touchesPhases(line), phases, `phases: ${JSON.stringify(line)}`);
    assert.equal(touchesHandoffs(line), handoffs, `handoffs: ${JSON.stringify(line)}`);
    assert.deepEqual([...touched(line, false)], asked.split(" "), JSON.stringify(line));
  }
});

test("a round that is shown counts what its agents have not read", () => {
  const ack = { kind: "ack", type: null, fact: null, receivers: [] } as const;
  assert.deepEqual([...touched(ack, true)], ["status", "shutdowns"]);
  const prose = { kind: "message", type: null, fact: null, receivers: ["dev-1"] } as const;
  assert.deepEqual([...touched(prose, true)], ["status", "shutdowns"]);
  assert.deepEqual([...touched({ ...prose, receivers: [] }, true)], ["status"]);
});

test("what a later hub says and this page does not know may have changed everything", () => {
  // Written by another build.
  const fact = "weather" as "findings";
  assert.deepEqual(new Set(touched({ kind: "message", type: "x", fact, receivers: [] }, false)), new Set(everyList));
});

/* However many ask, one asking is under way, and the last of them is asked for after it came. */

/** Asking that the test answers, on a clock that the test moves. */
function desk() {
  const waits: (() => void)[] = [];
  const answers: (() => void)[] = [];
  const clock: Pick<Clock, "wait" | "monotonic"> = {
    monotonic: () => 0,
    wait: () => new Promise((resolve) => waits.push(resolve)),
  };
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

test("all that a tab shows asks less than twice a second together, however many entries come", async () => {
  let nowMs = 0;
  const waiting: { readonly atMs: number; readonly go: () => void }[] = [];
  const clock = {
    monotonic: () => nowMs,
    wait: (ms: number) => new Promise<void>((go) => waiting.push({ atMs: nowMs + ms, go })),
  };
  const asked: number[] = [];
  const ask = () => {
    asked.push(nowMs);
    return Promise.resolve();
  };
  // Nothing else of a clock is used.
  const all = Array.from({ length: 5 }, () => new Joined(ask, clock as Clock));
  for (nowMs = 0; nowMs <= 60_000; nowMs += 50) {
    for (const each of all) void each.soon();
    for (const due of waiting.filter(({ atMs }) => atMs <= nowMs)) {
      waiting.splice(waiting.indexOf(due), 1);
      due.go();
    }
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  }
  assert.ok(asked.length <= 120, `${asked.length} in a minute`);
  assert.ok(asked.length >= 60, `${asked.length} in a minute`);
  assert.ok(asked.filter((ms) => ms <= 200).length === all.length, "what comes after a rest is asked for at once");
});
