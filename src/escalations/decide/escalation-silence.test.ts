/** How long a level may say nothing, and from when. Source: docs/protocol/asking.md, sections 5 to 10. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { reportedBlocker } from "../../testing/fixtures.ts";
import { given } from "../../testing/given.ts";
import { type EscalationEvent, escalationOf } from "../state.ts";
import { type EscalationCommand, escalations } from "./escalations.ts";

const levelSilentMs = 300_000;
const id = "ESC-01-01-T1";

const blocker = reportedBlocker({ levelSilentMs, atMs: 1 });

const silent = (atMs: number): EscalationCommand => ({ command: "pass-level", levelSilentMs, seq: 9, atMs });
const tell = (since: number, atMs: number): EscalationCommand => {
  return { command: "tell-level", id, since, levelSilentMs, atMs };
};
const decision: EscalationCommand = {
  command: "resolve",
  agent: "lead-1",
  isPerson: false,
  id,
  level: "lead",
  decision: "Use A",
  rationale: "",
  actionItems: [],
  seq: 5,
  atMs: 5,
};

/** What these commands bring, one after the other, behind the blocker. */
function after(...commands: readonly EscalationCommand[]): readonly EscalationEvent[] {
  let state = escalations.initial();
  return [blocker, ...commands].flatMap((command) => {
    const decided = escalations.decide(command, state);
    assert.ok(decided.ok, JSON.stringify(decided));
    for (const event of decided.value.events) state = escalations.evolve(state, structuredClone(event));
    return decided.value.events;
  });
}

/** Where it waits then, and until when. */
function waits(...commands: readonly EscalationCommand[]) {
  const state = after(...commands).reduce(
    (folded, event) => escalations.evolve(folded, structuredClone(event)),
    escalations.initial(),
  );
  const known = escalationOf(state, id);
  return [known?.level, known?.dueAtMs];
}

test("after a long sleep the level whose deadline passed is skipped, and the next has its whole time", () => {
  const late = 1 + 9 * levelSilentMs;
  assert.deepEqual(waits(silent(late)), ["lead", late + levelSilentMs]);
  given(escalations, after(silent(late)))
    .when(silent(late + levelSilentMs - 1))
    .thenNothing(null);
  assert.deepEqual(waits(silent(late), silent(late + levelSilentMs)), ["user", null]);
});

test("a level that Baton notifies has its whole time from there, and is not skipped before", () => {
  const told: EscalationEvent = { event: "level-told", id, dueAtMs: 9_000 + levelSilentMs };
  given(escalations, after()).when(tell(1, 9_000)).thenEvents([told]);
  given(escalations, after(tell(1, 9_000)))
    .when(silent(8_999 + levelSilentMs))
    .thenNothing(null);
  assert.equal(waits(tell(1, 9_000), silent(9_000 + levelSilentMs))[0], "lead");
});

test("a notice to a level that knew already, in the same moment, after a decision or to the person moves no deadline", () => {
  // An entry after the one that brought it there only said more.
  given(escalations, after()).when(tell(4, 20_000)).thenNothing(null);
  given(escalations, after()).when(tell(1, 1)).thenNothing(null);
  given(escalations, after(decision)).when(tell(1, 9_000)).thenNothing(null);
  const passed = [silent(1 + levelSilentMs), silent(1 + 2 * levelSilentMs)];
  assert.deepEqual(waits(...passed), ["user", null]);
  given(escalations, after(...passed))
    .when(tell(9, 9_000_000))
    .thenNothing(null);
});
