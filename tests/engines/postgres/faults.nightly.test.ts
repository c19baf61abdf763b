/** What can go wrong with a journal on PostgreSQL: the server, the network, other processes, settings, rights. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { describe, it, type TestContext } from "node:test";
import { nextTurn } from "../../../src/base/clock.ts";
import type { Entry } from "../../../src/journal/entry.ts";
import type { Journal, JournalOptions } from "../../../src/journal/journal.ts";
import { readServerAddress } from "../../../src/journal/postgres/address.ts";
import { loadDriver } from "../../../src/journal/postgres/driver.ts";
import { openPostgresJournal } from "../../../src/journal/postgres/open.ts";
import { prepareConnection } from "../../../src/journal/postgres/server.ts";
import { attempt, must, mustRecord, type Tally, tally } from "../../journal/journal-subject.ts";
import { alpha } from "../held.ts";
import { cuttingProxy } from "../proxy.ts";
import { serverProblems } from "../server-faults.ts";
import { skip, testServer, until } from "./server.ts";
import { schemaOf, sql } from "./sql.ts";

/** The two ways of writing: under the lock, and by one statement. */
const isWrite = (bytes: Buffer) => ["COMMIT", "writeAt", "writeOne"].some((word) => bytes.includes(word));

async function open(t: TestContext, url: string, options: JournalOptions = {}): Promise<Journal<Tally>> {
  const journal = must(await openPostgresJournal(url, tally, options));
  t.after(() => journal.close());
  return journal;
}

describe("a journal on PostgreSQL", { skip }, () => {
  serverProblems({
    testServer,
    open,
    openJournal: openPostgresJournal,
    until,
    isWrite,
    breakFollowing: async (url) =>
      void (await sql(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")),
    noticesByReading: false,
    rewind: async (url, entries) =>
      void (await sql(
        url,
        `DELETE FROM entry WHERE seq > ${entries}`,
        `DELETE FROM once WHERE seq > ${entries}`,
        `UPDATE team SET seq = ${entries}, hash = (SELECT hash FROM entry WHERE seq = ${entries})`,
      )),
    async afterLoss(t, { url, headsFile }) {
      const last = await open(t, url, { headsFile });
      mustRecord(await last.commit(alpha, attempt()));
      await writeFile(headsFile, "not heads");
      const broken = await open(t, url, { headsFile });
      const refused = await broken.commit(alpha, attempt());
      assert.equal(!refused.ok && refused.error.code, "journal-corrupt", "it may hide a loss");
    },
  });

  it("refuses weak settings and says what to set, and a user without rights records nothing", async (t) => {
    const { newUrl, port } = await testServer();
    const url = newUrl();
    const journal = await open(t, url);
    mustRecord(await journal.commit(alpha, attempt()));
    const [version] = await sql(url, "SELECT current_setting('server_version_num') AS number");
    const asked = async (role: string) => {
      const done = await openPostgresJournal(url.replace("//baton:", `//${role}:`), tally);
      if (done.ok) await done.value.close();
      return done;
    };
    const schema = schemaOf(url);
    await sql(
      url,
      "CREATE ROLE reader LOGIN PASSWORD 'only-for-tests'",
      `GRANT USAGE ON SCHEMA ${schema} TO reader`,
      `GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO reader`,
    );
    const reading = await open(t, url.replace("//baton:", "//reader:"));
    assert.equal(must(await reading.read(alpha)).entries.length, 1);
    const refused = await reading.commit(alpha, attempt());
    assert.equal(!refused.ok && refused.error.code, "journal-read-only");
    for (const [setting, value, hint] of [
      ["synchronous_commit", "off", /ALTER SYSTEM SET synchronous_commit = on/],
      ["default_transaction_isolation", "serializable", /default_transaction_isolation = 'read committed'/],
    ] as const) {
      await sql(url, `ALTER ROLE reader SET ${setting} = '${value}'`);
      const weak = await asked("reader");
      assert.ok(!weak.ok && weak.error.code === "journal-cannot-open");
      assert.match(weak.error.message, new RegExp(`${setting} is ${value}`));
      assert.match(weak.error.hint ?? "", hint);
      await sql(url, `ALTER ROLE reader RESET ${setting}`);
      // The control: the same user with the setting as it was.
      assert.ok((await asked("reader")).ok);
    }
    // A server of before 15, as far as its answers tell.
    const proxy = await cuttingProxy(t, port, isWrite);
    const behind = url.replace(`:${port}/`, `:${proxy.port}/`);
    for (const [number, isTaken] of [
      ["149999", false],
      ["150000", true],
    ] as const) {
      proxy.puts = { of: String(version?.number), is: number };
      const done = await openPostgresJournal(behind, tally);
      assert.equal(done.ok, isTaken, number);
      if (done.ok) await done.value.close();
      else assert.match(JSON.stringify(done.error), /"journal-cannot-open".*15 or newer.*use a newer server/);
    }
    const stranger = await asked("nobody");
    assert.equal(!stranger.ok && stranger.error.code, "journal-cannot-open");
    const none = await openPostgresJournal(newUrl(), tally, { create: false });
    assert.equal(!none.ok && none.error.code, "journal-missing");
    await sql(url, "UPDATE journal SET min_writer = 99");
    const newer = await openPostgresJournal(url, tally);
    assert.equal(!newer.ok && newer.error.code, "journal-newer");
    assert.doesNotMatch(JSON.stringify([stranger, none, newer]), /only-for-tests/);
  });

  it("a connection keeps how durable its commits are, also where the server is configured again", async (t) => {
    const url = (await testServer()).newUrl();
    const { Client } = must(await loadDriver(url));
    const address = must(readServerAddress(url));
    const connected = async () => {
      const client = new Client({
        connectionString: address.connectionString,
        application_name: "test",
        connectionTimeoutMillis: 5_000,
        keepAlive: false,
        pipeline: true,
        query_timeout: 20_000,
      });
      await client.connect();
      t.after(() => client.end());
      return client;
    };
    const [ours, control] = [await connected(), await connected()];
    await prepareConnection(ours, address);
    const shown = async (client: typeof ours) =>
      (await client.query({ text: "SHOW synchronous_commit" })).rows[0]?.synchronous_commit;
    await sql(url, "ALTER SYSTEM SET synchronous_commit = 'off'", "SELECT pg_reload_conf()");
    try {
      while ((await shown(control)) !== "off") await nextTurn();
      // Asked as often as the other one, which has heard of it.
      assert.equal(await shown(ours), "on");
    } finally {
      await sql(url, "ALTER SYSTEM RESET synchronous_commit", "SELECT pg_reload_conf()");
    }
    while ((await shown(control)) !== "on") await nextTurn();
  });

  it("opens from a snapshot, which counts only while it is whole", async (t) => {
    const url = (await testServer()).newUrl();
    const journal = await open(t, url);
    for (let round = 0; round < 5; round += 1) {
      const ids = Array.from({ length: 300 }, (_, index) => `${round}-${index}`);
      for (const done of await Promise.all(ids.map((id) => journal.commit(alpha, attempt({ id }))))) mustRecord(done);
    }
    const { digest } = must(await journal.state(alpha)).state;
    const folded = async () => {
      let count = 0;
      const evolve = (state: Tally, entry: Entry) => {
        count += 1;
        return tally.evolve(state, entry);
      };
      const counting = { ...tally, evolve };
      await using again = must(await openPostgresJournal(url, counting));
      assert.equal(must(await again.state(alpha)).state.digest, digest);
      assert.equal(must(await again.commit(alpha, attempt({ id: "0-3" }))).outcome, "duplicate");
      return count;
    };
    assert.ok((await folded()) < 600);
    {
      // From the second commit on none takes the lock, and what is known of ids begins behind the snapshot.
      await using again = must(await openPostgresJournal(url, tally));
      for (const id of ["0-5", "0-6", "0-7"])
        assert.equal(must(await again.commit(alpha, attempt({ id }))).outcome, "duplicate");
    }
    await sql(url, "UPDATE snapshot SET body = replace(body, '1', '2')");
    assert.equal(await folded(), 1_500);
  });
});
