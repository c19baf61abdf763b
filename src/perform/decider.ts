/**
 * The shape of every rule about facts: state, commands, refusals; `initial`, `decide`, `evolve`.
 * No clock, no I/O, no journal, no dialect; time and sequence come in the command.
 */
import type { Problem } from "../base/problem.ts";
import { ok, type Result } from "../base/result.ts";
import type { Note } from "../messages/message.ts";

/**
 * What a command brings about. No events: it was already so, or the command is out of step and does not advance the
 * state; the notes say which.
 */
export interface Decided<Event> {
  readonly events: readonly Event[];
  readonly notes: readonly Note[];
}

/**
 * A decider. `decide` is pure and must not change the state: the events that follow from the command, or why not.
 * `evolve` owns the state it is given and may change it in place; it must not change the event, nor keep parts of it
 * that it changes later. Folding the same events gives the same state.
 * State holds plain JSON values and `Map`s keyed by agent-chosen ids (never objects: `constructor` is an id too).
 */
export interface Decider<State, Command, Event> {
  readonly name: string;
  initial(): State;
  decide(command: Command, state: State): Result<Decided<Event>, readonly Problem[]>;
  evolve(state: State, event: Event): State;
}

/** No events, and the note that says why: it was already so, or the command is out of step. */
export function nothing(code: string, message: string): Result<Decided<never>, never> {
  return ok({ events: [], notes: [{ code, path: "$", message }] });
}

/* Sets of keys that a state keeps by name, as plain JSON values: changed in place by `evolve`. */

/** Adds `key` to a set that is kept under `name`. */
export function enter(sets: Map<string, Map<string, true>>, name: string, key: string): void {
  const known = sets.get(name);
  if (known !== undefined) known.set(key, true);
  else sets.set(name, new Map([[key, true]]));
}

/** Takes `key` out of the set that is kept under `name`, and the set with its last. */
export function leave(sets: Map<string, Map<string, true>>, name: string, key: string): void {
  const known = sets.get(name);
  if (known?.delete(key) === true && known.size === 0) sets.delete(name);
}
