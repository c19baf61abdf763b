/**
 * The third form: where the clock of the machine's present start stands on the calendar (`zero`: when it began, in
 * milliseconds since 1970), and how far the wall clock was last seen ahead of it. One row, beside the chain and without a
 * checksum: deadlines are counted by it, and no receipt speaks of it.
 */

/** The statements of this form, in order. */
export const machineClock: readonly string[] = [
  "CREATE TABLE machine_clock (one INTEGER PRIMARY KEY, start TEXT NOT NULL, zero INTEGER NOT NULL, ahead INTEGER NOT NULL)",
];
