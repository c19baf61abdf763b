/**
 * The second form: when each agent last showed that it is there, in milliseconds since 1970 by the recording machine's
 * clock. Beside the chain and without a checksum: it is overwritten all the time, and no receipt speaks of it.
 */

/** The statements of this form, in order. */
export const life: readonly string[] = [
  "CREATE TABLE life (team INTEGER NOT NULL, agent TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (team, agent)) WITHOUT ROWID",
];
