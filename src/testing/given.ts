/**
 * Given events, when a command comes, then these events or a refusal. Every example also checks the laws that all
 * deciders share, so that no test has to remember them. Public: for tests of other deciders.
 */
import assert from "node:assert/strict";
import type { Problem, ProblemCode } from "../base/problem.ts";
import { decodeState, encodeState } from "../base/state-codec.ts";
import type { Note } from "../messages/message.ts";
import type { Decider } from "../perform/decider.ts";

/** The first half: what has happened so far. */
export interface Given<State, Command, Event> {
  /** Gives the command to the decider. */
  when(command: Command): When<State, Event>;
}

/** The second half: what must come of it. Each check returns what it checked, for a closer look. */
export interface When<State, Event> {
  /**
   * Declares that the same command again does more, with the reason why that is right. Without it, a repeated command
   * must be refused or bring no events.
   */
  repeatable(reason: string): When<State, Event>;
  /** Exactly these events. Not called `then`: an object with a `then` is taken for a promise. */
  thenEvents(events: readonly Event[]): { readonly notes: readonly Note[]; readonly state: State };
  /** No events, and a note with this code (null: no note). */
  thenNothing(noteCode: string | null): { readonly notes: readonly Note[] };
  /** A refusal whose first problem has this code. */
  thenRefused(code: ProblemCode): readonly Problem[];
}

/**
 * Starts an example: `given(contracts, [issued]).when(command).thenEvents([revised])`.
 * Fails with an `AssertionError` that names the law or shows the difference.
 */
export function given<State, Command, Event>(
  decider: Decider<State, Command, Event>,
  events: readonly Event[],
): Given<State, Command, Event> {
  return { when: (command) => whenGiven(decider, events, command, null) };
}

function whenGiven<State, Command, Event>(
  decider: Decider<State, Command, Event>,
  events: readonly Event[],
  command: Command,
  repeatable: string | null,
): When<State, Event> {
  const decide = () => {
    checkLaws(decider, events, command, { repeatable });
    return decider.decide(command, foldEvents(decider, events));
  };
  return {
    repeatable: (reason) => {
      assert.ok(reason.trim() !== "", "a repeatable command needs a reason");
      return whenGiven(decider, events, command, reason);
    },
    thenEvents: (expected) => {
      const decided = decide();
      assert.ok(decided.ok, `expected events, was refused: ${decided.ok ? "" : JSON.stringify(decided.error)}`);
      assert.deepStrictEqual(decided.value.events, expected);
      return { notes: decided.value.notes, state: foldEvents(decider, [...events, ...decided.value.events]) };
    },
    thenNothing: (noteCode) => {
      const decided = decide();
      assert.ok(decided.ok, `expected no events, was refused: ${decided.ok ? "" : JSON.stringify(decided.error)}`);
      assert.deepStrictEqual(decided.value.events, []);
      assert.equal(decided.value.notes[0]?.code ?? null, noteCode);
      return { notes: decided.value.notes };
    },
    thenRefused: (code) => {
      const decided = decide();
      assert.ok(!decided.ok, `expected ${code}, got events: ${decided.ok ? JSON.stringify(decided.value.events) : ""}`);
      assert.equal(decided.error[0]?.code, code, JSON.stringify(decided.error));
      return decided.error;
    },
  };
}

/** The state after `events`. Each event is its own copy, so that nobody shares parts with the caller. */
export function foldEvents<State, Command, Event>(
  decider: Decider<State, Command, Event>,
  events: readonly Event[],
): State {
  return events.reduce<State>((state, event) => decider.evolve(state, structuredClone(event)), decider.initial());
}

/** Checks all laws for `command` after `events`. `repeatable`: why the command may do more the second time. */
export function checkLaws<State, Command, Event>(
  decider: Decider<State, Command, Event>,
  events: readonly Event[],
  command: Command,
  options: { readonly repeatable: string | null },
): void {
  const state = foldEvents(decider, events);
  const before = encodeState(state);
  const asked = encodeState(command);
  const decided = decider.decide(command, state);
  assert.equal(encodeState(state), before, "law: deciding does not change the state");
  assert.equal(encodeState(command), asked, "law: deciding does not change the command");
  assert.deepStrictEqual(decider.decide(command, state), decided, "law: the same question has the same answer");
  stateRoundTrip(state);
  assert.deepStrictEqual(
    decider.decide(command, copyOf(state)),
    decided,
    "law: a decision on the state from a snapshot is the same",
  );
  const following = decided.ok ? decided.value.events : [];
  const all = [...events, ...following];
  for (const event of all) eventRoundTrip(event);
  foldChangesNoEvent(decider, all);
  const after = foldEvents(decider, all);
  stateRoundTrip(after);
  replays(decider, events, all, after);
  if (options.repeatable === null) doneTwice(decider, command, after);
}

function stateRoundTrip(state: unknown): void {
  assert.deepStrictEqual(copyOf(state), state, "law: the state goes through JSON text unchanged");
}

function eventRoundTrip(event: unknown): void {
  const copy: unknown = JSON.parse(JSON.stringify(event));
  assert.deepStrictEqual(copy, event, "law: an event goes through JSON text unchanged");
}

/**
 * Keeping a part of an event is allowed, changing it later is not: all events are watched while the rest is folded.
 */
function foldChangesNoEvent<State, Command, Event>(
  decider: Decider<State, Command, Event>,
  events: readonly Event[],
): void {
  const watched = events.map((event) => structuredClone(event));
  let state = decider.initial();
  for (const event of watched) state = decider.evolve(state, event);
  assert.deepStrictEqual(watched, [...events], "law: folding does not change an event");
}

function replays<State, Command, Event>(
  decider: Decider<State, Command, Event>,
  events: readonly Event[],
  all: readonly Event[],
  after: State,
): void {
  assert.deepStrictEqual(foldEvents(decider, all), after, "law: replaying gives the same state");
  const resumed = all
    .slice(events.length)
    .reduce<State>(
      (state, event) => decider.evolve(state, structuredClone(event)),
      copyOf(foldEvents(decider, events)),
    );
  assert.deepStrictEqual(resumed, after, "law: going on from a snapshot gives the same state");
}

function doneTwice<State, Command, Event>(
  decider: Decider<State, Command, Event>,
  command: Command,
  after: State,
): void {
  const again = decider.decide(command, after);
  assert.deepStrictEqual(
    again.ok ? again.value.events : [],
    [],
    "law: the same command twice changes nothing more (a command that may, says so with `repeatable`)",
  );
}

function copyOf<State>(state: State): State {
  // What was encoded here has this type; decodeState cannot know it.
  return decodeState(encodeState(state)) as State;
}
