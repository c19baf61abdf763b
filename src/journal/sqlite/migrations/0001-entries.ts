/**
 * The first form of the tables. `entry.place` is team number * 2^32 + seq, so that one b-tree holds all streams in
 * order. `once` is the index of ids: which entry holds an id for whom, for entries up to the team's `indexed.seq`; the
 * ids of later entries are found by folding. Everything but `bytes` can be rebuilt.
 */

/** The statements of this form, in order. */
export const entries: readonly string[] = [
  "CREATE TABLE team (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
  "CREATE TABLE entry (place INTEGER PRIMARY KEY, hash TEXT NOT NULL, bytes BLOB NOT NULL)",
  "CREATE TABLE once (key TEXT PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID",
  "CREATE TABLE indexed (team INTEGER PRIMARY KEY, seq INTEGER NOT NULL, hash TEXT NOT NULL, checksum TEXT NOT NULL)",
  "CREATE TABLE mark (team INTEGER NOT NULL, agent TEXT NOT NULL, offered INTEGER NOT NULL, seen INTEGER NOT NULL, checksum TEXT NOT NULL, PRIMARY KEY (team, agent)) WITHOUT ROWID",
  "CREATE TABLE snapshot (team INTEGER PRIMARY KEY, version TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL, epoch INTEGER NOT NULL, inboxes TEXT NOT NULL, state TEXT NOT NULL, digest TEXT NOT NULL)",
];
