/**
 * The first form of the tables. `entry.place` is team number * 2^32 + seq, so that one b-tree holds all streams in
 * order; `entry.once` is the idempotency key, null for entries that hold none. Everything but `bytes` can be rebuilt.
 */

/** The statements of this form, in order. */
export const entries: readonly string[] = [
  "CREATE TABLE team (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
  "CREATE TABLE entry (place INTEGER PRIMARY KEY, hash TEXT NOT NULL, once TEXT UNIQUE, bytes BLOB NOT NULL)",
  "CREATE TABLE mark (team INTEGER NOT NULL, agent TEXT NOT NULL, offered INTEGER NOT NULL, seen INTEGER NOT NULL, checksum TEXT NOT NULL, PRIMARY KEY (team, agent)) WITHOUT ROWID",
  "CREATE TABLE snapshot (team INTEGER PRIMARY KEY, version TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL, epoch INTEGER NOT NULL, inboxes TEXT NOT NULL, state TEXT NOT NULL, digest TEXT NOT NULL)",
];
