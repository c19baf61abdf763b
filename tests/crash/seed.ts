/**
 * Repeatable chance for destructive tests. Each campaign prints its seed; BATON_TEST_SEED=N runs it again.
 * What the kernel schedules (the moment a kill lands) is outside the seed; what a test chooses is inside.
 */

/** A stream of chosen numbers. */
export interface Chance {
  readonly seed: number;
  /** A number in [0, 1). */
  next(): number;
  /** A whole number in [0, below). */
  below(below: number): number;
}

/** The seed of this run: BATON_TEST_SEED where it is set, else `standard`. */
export function chosenSeed(standard: number): number {
  const text = process.env.BATON_TEST_SEED;
  return text === undefined || text === "" ? standard : Number(text);
}

/** Chance from a seed (mulberry32: 32 bits of state, enough to choose where to break things). */
export function chanceFrom(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { seed, next, below: (below) => Math.floor(next() * below) };
}
