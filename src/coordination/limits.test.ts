import assert from "node:assert/strict";
import { test } from "node:test";
import { given } from "../testing/given.ts";
import type { Level } from "./chain.ts";
import type { EscalationEvent } from "./escalation-events.ts";
import { noEscalations } from "./escalation-state.ts";
import { decideUnheard } from "./limit-rules.ts";
import { isLimitUntold, type Limit, type LimitCommand, type LimitEvent, limits } from "./limits.ts";

const id = "ESC-1-1-T1";
const unheard: Limit = { kind: "unheard", about: id, escalation: id, seq: 9 };
const key = `unheard ${id}`;
const reach = (seq: number): LimitCommand => ({ command: "reach-limit", limit: { ...unheard, seq } });
const reached = (seq: number): LimitEvent => ({ event: "limit-reached", limit: { ...unheard, seq } });
const told: LimitEvent = { event: "limit-told", key, escalation: id };

test("a level is told once of what did not come to it, and again where more is said", () => {
  given(limits, [])
    .when(reach(9))
    .thenEvents([reached(9)]);
  given(limits, [reached(9)])
    .when(reach(9))
    .thenNothing(null);
  const { state } = given(limits, [reached(9)])
    .when({ command: "tell-limit" })
    .thenEvents([told]);
  assert.equal(isLimitUntold(state), false);
  given(limits, [reached(9), told])
    .when({ command: "tell-limit" })
    .thenNothing(null);
  given(limits, [reached(9), told])
    .when(reach(12))
    .thenEvents([reached(12)]);
});

test("nothing is to be told where somebody who may decide has the message", () => {
  const cases: readonly (readonly [waits: Level, heardAt: readonly Level[] | undefined, isToBeTold: boolean])[] = [
    ["lead", ["lead"], false],
    ["senior", ["lead"], false],
    ["architect", [], true],
    ["architect", ["senior"], true],
    // The person's copy is no word to those below.
    ["architect", ["owner", "user"], true],
    ["user", ["user"], false],
    ["owner", ["owner", "user"], false],
    // No blocker: nobody asks.
    ["architect", undefined, false],
  ];
  for (const [level, heardAt, isToBeTold] of cases) {
    const step = { level, by: "dev-1", how: "again", seq: 9, atMs: 0 } as const;
    const raised: EscalationEvent = {
      event: "escalation-raised",
      id,
      step,
      round: 2,
      mustDecide: false,
      evidence: [],
      dueAtMs: null,
    };
    const state = { limits: limits.initial(), escalations: noEscalations() };
    const events = decideUnheard(state, [raised], { ...(heardAt === undefined ? {} : { heardAt }), seq: 9 });
    assert.deepEqual(events, isToBeTold ? [reached(9)] : [], `${level}, heard at ${heardAt?.join(", ")}`);
  }
});
