/**
 * A server that waits for a standby which is away shows an entry that no standby has: after a crash, and where somebody
 * cancels the commit. Nobody may be told that such an entry is durable.
 */
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { test } from "node:test";
import { openPostgresJournal } from "../../../src/journal/postgres/open.ts";
import { attempt, must, mustRecord, tally } from "../../journal/journal-subject.ts";
import { alpha } from "../held.ts";
import { skip, startServer, type TestServer, until } from "./server.ts";
import { sql } from "./sql.ts";

const newFolder = () => mkdtempSync("/dev/shm/baton-postgres-");
const timeout = 60_000;

/** With which statement an entry is recorded: one that waits is this one. */
const ways = [
  ["under the lock", "COMMIT"],
  ["by one statement", "WITH%"],
] as const;

/** What brings an entry into view that no standby has. */
const doubts: readonly (readonly [how: string, bring: (server: TestServer, url: string) => Promise<void>])[] = [
  [
    "a crash",
    async (server) => {
      await server.crash();
      await server.start();
    },
  ],
  [
    "a cancelled commit",
    async (_, url) => {
      await sql(url, "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
    },
  ],
];

for (const [how, bring] of doubts) {
  for (const [way, query] of ways) {
    test(`acknowledges after ${how} no entry that no standby has, written ${way}`, { skip, timeout }, async (t) => {
      const server = await startServer(newFolder());
      t.after(() => server.stop());
      const url = server.newUrl();
      const first = must(await openPostgresJournal(url, tally));
      mustRecord(await first.commit(alpha, attempt({ id: "m-00" })));
      await first.close();
      const journal = must(await openPostgresJournal(url, tally, { waitMs: 60_000 }));
      t.after(() => journal.close());
      // Its first commit of a team takes the lock.
      if (query !== "COMMIT") mustRecord(await journal.commit(alpha, attempt({ id: "m-01" })));
      await waitFor(url, "nobody");

      let answered: unknown = null;
      const recorded = journal.commit(alpha, attempt({ id: "m-1" }));
      void recorded.then((answer) => (answered = answer));
      await until(async () => (await sql(url, waiting(query, "SyncRep"))).length > 0);
      await bring(server, url);
      await until(async () => answered !== null || (await sql(url, waiting("%probed_at%", "SyncRep"))).length > 0);
      assert.equal(answered, null, "nobody has it");
      assert.equal((await sql(url, "SELECT FROM entry WHERE hash = (SELECT hash FROM team)")).length, 1);

      // Another process, which knows nothing of the doubt, is asked for the same.
      const other = must(await openPostgresJournal(url, tally, { waitMs: 60_000 }));
      t.after(() => other.close());
      let repeated: unknown = null;
      const again = other.commit(alpha, attempt({ id: "m-1" }));
      void again.then((answer) => (repeated = answer));
      await until(async () => repeated !== null || (await sql(url, waiting("%probed_at%", "%"))).length > 1);
      assert.deepEqual([answered, repeated], [null, null]);

      await waitFor(url, "");
      mustRecord(await recorded);
      assert.equal(must(await again).outcome, "duplicate");
    });
  }
}

/** What waits for the lock of a row, or for a standby. */
function waiting(query: string, event: string): string {
  return `SELECT query FROM pg_stat_activity WHERE query LIKE '${query}' AND wait_event LIKE '${event}'
          AND wait_event_type IN ('IPC', 'Lock') AND pid <> pg_backend_pid()`;
}

/** Has the server wait for standbys of this name; none: for nobody. */
async function waitFor(url: string, names: string): Promise<void> {
  await sql(url, `ALTER SYSTEM SET synchronous_standby_names = '${names}'`, "SELECT pg_reload_conf()");
  const shown = async () => (await sql(url, "SHOW synchronous_standby_names"))[0]?.synchronous_standby_names;
  await until(async () => (await shown()) === names);
}
