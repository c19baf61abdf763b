/**
 * The only place that reads chance, apart from the ids of new-ids.ts. Used where equal waiters must not move in step;
 * never for anything that is recorded.
 */

/** A source of chance. Tests and the simulator bring a seeded one. */
export interface Random {
  /** A number from 0 up to but not including 1. */
  unit(): number;
}

/** The machine's chance. */
export const systemRandom: Random = { unit: () => Math.random() };
