/**
 * Given events, when a command comes, then these events or a refusal. Every example also checks the laws that all
 * deciders share, so that no test has to remember them (`laws.ts`). Public: for tests of other deciders.
 */
import assert from "node:assert/strict";
import type { Problem, ProblemCode } from "../base/problem.ts";
import type { Decider } from "../coordination/decider.ts";
import type { Note } from "../message/message.ts";
import { checkLaws, foldEvents } from "./laws.ts";

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
