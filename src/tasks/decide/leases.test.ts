import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { add, after, claim, release, report, stateAfter, type WorkCommand, work } from "../../../tests/work/orders.ts";
import { given } from "../../testing/given.ts";
import { keepSign } from "../state/claim-events.ts";
import type { Work } from "../state/task-state.ts";
import { longestSilent, silentHolders } from "./leases.ts";

const silentMs = 310_000;

function expire(atMs: number, signs: readonly (readonly [string, number])[] = []): WorkCommand {
  return { command: "expire-leases", signs, atMs, silentMs };
}

function isSomebodySilent(state: Work, atMs: number, wait = silentMs): boolean {
  const since = longestSilent(state);
  return since !== null && since + wait <= atMs;
}

const held = [
  add("1-1-T1"),
  add("1-1-T2"),
  add("1-1-T3"),
  claim("1-1-T1", "dev-1", { atMs: 1_000 }),
  claim("1-1-T2", "dev-1", { atMs: 2_000, seq: 8 }),
  claim("1-1-T3", "dev-2", { atMs: 3_000, seq: 9 }),
];

test("a lease counts from the holder's last sign, ends all its claims at once, and late, never early", () => {
  given(work, after(...held))
    .when(expire(2_000 + silentMs - 1))
    .thenNothing(null);
  const { state } = given(work, after(...held))
    .when(expire(2_000 + silentMs))
    .thenEvents([
      {
        event: "leases-expired",
        holders: [{ holder: "dev-1", tasks: ["1-1-T1", "1-1-T2"] }],
        atMs: 2_000 + silentMs,
      },
    ]);
  assert.deepEqual([...state.held.keys()], ["dev-2"]);
  assert.equal(isSomebodySilent(state, 2_000 + silentMs), false);
  assert.equal(isSomebodySilent(state, 3_000 + silentMs), true);
});

test("a heartbeat outside the record renews, is recorded once, and is not requested again before its time", () => {
  const at = 2_000 + silentMs;
  const { state } = given(work, after(...held))
    .when(expire(at, [["dev-1", 5_000]]))
    .thenEvents([{ event: "leases-renewed", holders: [{ holder: "dev-1", signMs: 5_000 }] }]);
  assert.equal(isSomebodySilent(state, at), false);
  assert.deepEqual(silentHolders(state, 5_000 + silentMs, silentMs).toSorted(), ["dev-1", "dev-2"]);
});

test("an agent that acts is not silent, and a clock that was set back makes nobody silent", () => {
  const state = stateAfter(...held);
  keepSign(state, "dev-1", 50_000);
  keepSign(state, "dev-1", 10);
  assert.deepEqual(silentHolders(state, 49_999 + silentMs, silentMs), ["dev-2"]);
});

test("an expired claim may be completed until another has the task", () => {
  const ended = [...held, expire(9_000_000)];
  assert.equal(stateAfter(...ended, report("1-1-T1", "dev-1")).tasks.get("1-1-T1")?.report?.reporter, "dev-1");
  given(work, after(...ended, claim("1-1-T1", "dev-2", { seq: 12 })))
    .when(report("1-1-T1", "dev-1", { token: 7 }))
    .thenRefused("fenced-claim");
});

test("who holds nothing any more is waited for no more", () => {
  const freed = [release("1-1-T1", "dev-1"), release("1-1-T2", "dev-1"), report("1-1-T3", "dev-2")];
  const state = stateAfter(...held, ...freed);
  assert.deepEqual([state.silence, [...state.signs]], [[], []]);
});

test("a silent agent is found, and nobody else, regardless of what was claimed, freed and shown before", () => {
  const agent = fc.constantFrom("a", "b", "c");
  const task = fc.constantFrom("1-1-T1", "1-1-T2", "1-1-T3");
  const step = fc.oneof(
    fc.record({ what: fc.constant("claim" as const), task, agent }),
    fc.record({ what: fc.constant("release" as const), task, agent }),
    fc.record({ what: fc.constant("sign" as const), task, agent }),
    fc.record({ what: fc.constant("expire" as const), task, agent }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const state = stateAfter(add("1-1-T1"), add("1-1-T2"), add("1-1-T3"));
      const signs = new Map<string, number>();
      const holders = new Map<string, string>();
      const wait = 50;
      for (const [index, { what, task: wanted, agent: by }] of steps.entries()) {
        const atMs = 1_000 + index * 10;
        const command: WorkCommand | null =
          what === "claim"
            ? claim(wanted, by, { atMs, seq: index + 10 })
            : what === "release"
              ? release(wanted, by)
              : what === "expire"
                ? { command: "expire-leases", signs: [], atMs, silentMs: wait }
                : null;
        const decided = command === null ? null : work.decide(command, state);
        for (const event of decided?.ok === true ? decided.value.events : []) work.evolve(state, event);
        if (what === "expire") {
          const silent = new Set([...holders.values()].filter((each) => (signs.get(each) ?? 0) + wait <= atMs));
          for (const [key, holder] of holders) if (silent.has(holder)) holders.delete(key);
        }
        if (what === "claim" && !holders.has(wanted)) holders.set(wanted, by);
        if (what === "release" && holders.get(wanted) === by) holders.delete(wanted);
        // Every entry of an agent's own is a sign, whatever comes of it.
        if (what !== "expire") {
          keepSign(state, by, atMs);
          signs.set(by, atMs);
        }
        const expected = [...new Set(holders.values())].filter((each) => (signs.get(each) ?? 0) + wait <= atMs + 15);
        assert.deepEqual(silentHolders(state, atMs + 15, wait).toSorted(), expected.toSorted());
        assert.equal(isSomebodySilent(state, atMs + 15, wait), expected.length > 0);
      }
    }),
    { numRuns: 400 },
  );
});
