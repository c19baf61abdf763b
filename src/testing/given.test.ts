/** Negative controls: each law, broken on purpose in a small decider, is reported by its name. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeProblem, type Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Decided, Decider } from "../perform/decider.ts";
import { given } from "./given.ts";

interface State {
  readonly kept: Map<string, string[]>;
}
interface Command {
  readonly key: string;
  readonly values: string[];
}
interface Event {
  readonly key: string;
  readonly values: string[];
}

/** Keeps a list of values for each key, once. */
const sound: Decider<State, Command, Event> = {
  name: "keeping",
  initial: () => ({ kept: new Map() }),
  decide: ({ key, values }, { kept }): Result<Decided<Event>, readonly Problem[]> => {
    if (kept.has(key)) return err([makeProblem("already-exists", key, "It is kept already.")]);
    if (values.length === 0)
      return ok({ events: [], notes: [{ code: "nothing-to-keep", path: "$", message: "Empty." }] });
    return ok({ events: [{ key, values }], notes: [] });
  },
  evolve: (state, { key, values }) => {
    state.kept.set(key, [...values]);
    return state;
  },
};

const first: Event = { key: "a", values: ["1"] };
const second: Command = { key: "b", values: ["2"] };

test("a sound decider passes, with events, a refusal or nothing", () => {
  given(sound, [first])
    .when(second)
    .thenEvents([{ key: "b", values: ["2"] }]);
  given(sound, [first])
    .when({ key: "a", values: ["3"] })
    .thenRefused("already-exists");
  given(sound, [first]).when({ key: "c", values: [] }).thenNothing("nothing-to-keep");
});

test("a wrong expectation fails", () => {
  const example = () => given(sound, [first]).when(second);
  assert.throws(() => example().thenEvents([]), assert.AssertionError);
  assert.throws(() => example().thenRefused("already-exists"), /got events/);
  assert.throws(() => example().thenNothing(null), assert.AssertionError);
  assert.throws(
    () =>
      given(sound, [first])
        .when({ key: "a", values: ["3"] })
        .thenRefused("not-found"),
    assert.AssertionError,
  );
  assert.throws(
    () =>
      given(sound, [first])
        .when({ key: "a", values: ["3"] })
        .thenEvents([]),
    /was refused/,
  );
});

let calls = 0;
const broken: readonly (readonly [what: string, change: Partial<Decider<State, Command, Event>>, law: RegExp])[] = [
  [
    "changes the state while deciding",
    {
      decide: (command, state) => {
        state.kept.set("decided", []);
        return sound.decide(command, state);
      },
    },
    /deciding does not change the state/,
  ],
  [
    "changes the command while deciding",
    {
      decide: (command, state) => {
        command.values.push("more");
        return sound.decide(command, state);
      },
    },
    /deciding does not change the command/,
  ],
  [
    "answers differently each time",
    { decide: ({ key }) => ok({ events: [{ key, values: [String(calls++)] }], notes: [] }) },
    /the same question has the same answer/,
  ],
  [
    "decides by what a snapshot loses",
    {
      decide: ({ key, values }, { kept }) =>
        ok({ events: kept.has(key) ? [] : [{ key, values: [...values, String("seen" in kept)] }], notes: [] }),
      evolve: (state, event) =>
        Object.assign(sound.evolve(state, event), { kept: Object.assign(state.kept, { seen: true }) }),
    },
    /unchanged|snapshot/,
  ],
  [
    "records what JSON text cannot carry",
    {
      decide: ({ key }, { kept }) =>
        ok({ events: kept.has(key) ? [] : [Object.assign({ key, values: ["2"] }, { at: undefined })], notes: [] }),
    },
    /an event goes through JSON text unchanged/,
  ],
  [
    "keeps a set, which a snapshot cannot carry",
    { initial: () => Object.assign(sound.initial(), { all: new Set() }) },
    /plain JSON values and Maps/,
  ],
  [
    "changes an event while folding",
    {
      evolve: (state, event) => {
        event.values.push("folded");
        return sound.evolve(state, event);
      },
    },
    /folding does not change an event/,
  ],
  [
    "changes a kept part of an earlier event",
    {
      evolve: (state, { key, values }) => {
        for (const list of state.kept.values()) list.push(key);
        state.kept.set(key, values);
        return state;
      },
    },
    /folding does not change an event/,
  ],
  [
    "folds differently each time",
    {
      evolve: (state, { key }) => {
        state.kept.set(key, [String(calls++)]);
        return state;
      },
    },
    /the same state/,
  ],
  [
    "does a repeated command again",
    { decide: ({ key, values }) => ok({ events: [{ key, values }], notes: [] }) },
    /the same command twice changes nothing more/,
  ],
];

for (const [what, change, law] of broken) {
  test(`reports a decider that ${what}`, () => {
    const decider = { ...sound, ...change };
    const example = () => given(decider, [first, { key: "z", values: ["9"] }]).when({ key: "b", values: ["2"] });
    assert.throws(() => example().thenEvents([{ key: "b", values: ["2"] }]), law);
  });
}

test("a command that may be repeated says why, and then passes", () => {
  const appending: Decider<State, Command, Event> = {
    ...sound,
    decide: ({ key, values }) => ok({ events: [{ key, values }], notes: [] }),
  };
  given(appending, [first])
    .when(second)
    .repeatable("each command counts")
    .thenEvents([{ key: "b", values: ["2"] }]);
  assert.throws(() => given(appending, [first]).when(second).repeatable(" "), /needs a reason/);
});
