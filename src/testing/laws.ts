/**
 * The laws of deciders. Each is checked on the real events of an example, and fails by its name:
 * deciding changes neither state nor command; the same question has the same answer; folding changes no event;
 * replaying gives the same state; state and events go through JSON text unchanged; a command done twice does nothing
 * more than done once.
 */
import assert from "node:assert/strict";
import { decodeState, encodeState } from "../base/state-codec.ts";
import type { Decider } from "../coordination/decider.ts";

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
