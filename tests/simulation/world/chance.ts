/** Seeded chance: everything that a simulation leaves to chance comes from one stream, so that a seed is a run. */
import { invariant } from "../../../src/base/invariant.ts";
import type { Random } from "../../../src/base/random.ts";

/** A stream of choices. */
export interface Chance extends Random {
  /** A whole number in [0, below). */
  below(below: number): number;
  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number;
  /** Whether something of that probability happens. */
  happens(probability: number): boolean;
  /** One of a list that is not empty. */
  pick<Value>(values: readonly Value[]): Value;
}

/** Chance from a seed, a whole number. Mulberry32: 32 bits of state, enough to choose what happens next. */
export function chanceFrom(seed: number): Chance {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
  const unit = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(unit() * limit);
  return {
    unit,
    below,
    between: (least, most) => least + below(most - least + 1),
    happens: (probability) => unit() < probability,
    pick: (values) => {
      invariant(values.length > 0, "something is picked from a list that is not empty");
      return values[below(values.length)] as (typeof values)[number]; // within the list, by `below`
    },
  };
}

/** One of several things, each as likely as its weight says; a weight of 0 is never chosen, and one must not be. */
export function weighted<Value>(chance: Chance, choices: readonly (readonly [weight: number, value: Value])[]): Value {
  const total = choices.reduce((sum, [weight]) => sum + weight, 0);
  let left = chance.unit() * total;
  for (const [weight, value] of choices) {
    left -= weight;
    if (left < 0 && weight > 0) return value;
  }
  const last = choices.findLast(([weight]) => weight > 0);
  invariant(last !== undefined, "something that is weighed has a weight");
  return last[1];
}
