import assert from "node:assert/strict";
import { test } from "node:test";
import { reportBlocker } from "../../escalations/decide/escalation-raising.ts";
import { evolveEscalations } from "../../escalations/decide/escalations.ts";
import { type EscalationEvent, noEscalations } from "../../escalations/state.ts";
import type { Level } from "../../messages/authority/chain-of-command.ts";
import { reportedBlocker } from "../../testing/fixtures.ts";
import { given } from "../../testing/given.ts";
import { decideUnseen, isLimitUntold, type Limit, type LimitCommand, type LimitEvent, limits } from "./limit-rules.ts";

const id = "ESC-01-01-T1";
const unseen: Limit = { kind: "unheard", about: id, escalation: id, seq: 9 };
const key = `unheard ${id}`;
const reach = (seq: number): LimitCommand => ({ command: "reach-limit", limit: { ...unseen, seq } });
const reached = (seq: number): LimitEvent => ({ event: "limit-reached", limit: { ...unseen, seq } });
const told: LimitEvent = { event: "limit-told", key, escalation: id };

test("a level is notified once of what did not reach it, and again when more is added", () => {
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

test("a level is notified of what waits there unless somebody of that very level has the message", () => {
  const cases: readonly (readonly [waits: Level, seenAt: readonly Level[] | undefined, isToBeTold: boolean])[] = [
    ["lead", ["lead"], false],
    ["lead", ["senior", "lead", "architect"], false],
    // A higher level may decide, but is not waited for.
    ["senior", ["lead"], true],
    ["architect", [], true],
    ["architect", ["senior", "owner", "user"], true],
    ["user", ["user"], false],
    ["owner", ["owner", "user"], false],
    // Nobody asks.
    ["architect", undefined, false],
  ];
  for (const [level, seenAt, isToBeTold] of cases) {
    const asked: string[] = [];
    const isReachedAt = (waits: Level, originator: string) => {
      asked.push(originator);
      return seenAt?.includes(waits) === true;
    };
    const opened = openedBy("dev-1", level);
    const state = { limits: limits.initial(), escalations: evolveEscalations(noEscalations(), opened) };
    const step = { level, by: "dev-2", how: "again", seq: 9, atMs: 0 } as const;
    const raised = { id, step, round: 2, mustDecide: false, evidence: [], dueAtMs: null };
    const events: readonly EscalationEvent[] = [
      opened,
      { event: "escalation-raised", ...raised },
      { event: "escalation-told", id, agent: "dev-2", evidence: ["more"], mustDecide: false },
      { event: "level-told", id, dueAtMs: 9 },
    ];
    for (const [index, event] of events.entries()) {
      const told = decideUnseen(state, [event], { ...(seenAt === undefined ? {} : { isReachedAt }), seq: 9 });
      assert.deepEqual(told, isToBeTold && index < 3 ? [reached(9)] : [], `${event.event} at ${level}`);
    }
    assert.ok(
      asked.every((each) => each === "dev-1"),
      "asked for whoever is held up first, not for who speaks",
    );
  }
});

function openedBy(agent: string, level: Level): EscalationEvent {
  const decided = reportBlocker(reportedBlocker({ agent, chain: [level, "user"] }), noEscalations());
  assert.ok(decided.ok);
  const [opened] = decided.value.events;
  assert.ok(opened !== undefined);
  return opened;
}
