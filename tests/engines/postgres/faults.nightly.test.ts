/** What can go wrong with a journal on PostgreSQL: the server, the network, other processes, settings, rights. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { nextTurn, systemClock } from "../../../src/base/clock.ts";
import { ok } from "../../../src/base/result.ts";
import type { Entry } from "../../../src/journal/entry.ts";
import type { Journal, JournalOptions } from "../../../src/journal/journal.ts";
import { readServerAddress } from "../../../src/journal/postgres/address.ts";
import { loadDriver } from "../../../src/journal/postgres/driver.ts";
import { openPostgresJournal } from "../../../src/journal/postgres/open.ts";
import { prepareConnection } from "../../../src/journal/postgres/server.ts";
import { attempt, must, mustRecord, type Tally, take, tally } from "../../../src/testing/journal-subject.ts";
import { alpha, heldIds, searching } from "../held.ts";
import { cuttingProxy } from "../proxy.ts";
import { skip, testServer, until } from "./server.ts";
import { schemaOf, sql } from "./sql.ts";

/** The two ways of writing: under the lock, and by one statement. */
const isWrite = (bytes: Buffer) => ["COMMIT", "writeAt", "writeOne"].some((word) => bytes.includes(word));
const owner = { agent: "owner", role: "owner", via: "launcher" } as const;

async function open(t: TestContext, url: string, options: JournalOptions = {}): Promise<Journal<Tally>> {
  const journal = must(await openPostgresJournal(url, tally, options));
  t.after(() => journal.close());
  return journal;
}

describe("a journal on PostgreSQL", { skip }, () => {
  it("takes rounds of commits that are awaited, from two processes, and starves neither", async (t) => {
    const url = (await testServer()).newUrl();
    const [one, other] = await Promise.all([open(t, url), open(t, url)]);
    const ended = new AbortController();
    const load = async (journal: Journal<Tally>, agent: string) => {
      let count = 0;
      const lane = async (name: number) => {
        for (let round = 0; !ended.signal.aborted; round += 1) {
          mustRecord(await journal.commit(alpha, attempt({ id: `${name}-${round}`, agent })));
          count += 1;
        }
      };
      await Promise.all(Array.from({ length: 10 }, (_, name) => lane(name)));
      return count;
    };
    const loads = Promise.all([load(one, "dev-1"), load(other, "dev-2")]);
    await systemClock.wait(800);
    ended.abort();
    const [first, second] = await loads;
    assert.equal((await heldIds(one)).length, first + second);
    assert.ok(Math.min(first, second) >= Math.max(first, second) / 4, `${first} and ${second}`);
    assert.equal(must(await one.state(alpha)).state.digest, must(await other.state(alpha)).state.digest);
  });

  it("decides what records nothing on the state at the head, too", async (t) => {
    const url = (await testServer()).newUrl();
    const [one, other] = await Promise.all([open(t, url), open(t, url)]);
    mustRecord(await one.commit(alpha, attempt()));
    must(await other.state(alpha));
    for (let count = 2; count < 20; count += 1) {
      mustRecord(await one.commit(alpha, attempt()));
      let seen = 0;
      const looked = await other.commit(alpha, {
        once: null,
        decide: (state) => {
          seen = state.count;
          return { decline: [] };
        },
      });
      assert.equal(must(looked).outcome, "declined");
      assert.equal(seen, count);
    }
  });

  it("writes without the lock only what was decided on the heartbeats and ids that the server has", async (t) => {
    const url = (await testServer()).newUrl();
    const [one, other] = await Promise.all([open(t, url), open(t, url)]);
    for (const id of ["m-1", "m-2"]) mustRecord(await one.commit(alpha, attempt({ id })));
    must(await other.signOfLife(alpha, "a", () => 9));
    const told: (number | null)[] = [];
    const { decide } = attempt();
    const looked = await one.commit(alpha, {
      once: null,
      decide: (state, moment) => {
        told.push(moment.signOfLife("a"));
        return decide(state, moment);
      },
    });
    mustRecord(looked);
    assert.deepEqual(told, [null, 9], "decided without the lock on what it knew, and then under it");
    // An id that this process has forgotten, or never saw, is found all the same.
    const late = await open(t, url);
    mustRecord(await late.commit(alpha, attempt({ id: "m-9" })));
    assert.equal(must(await late.commit(alpha, attempt({ id: "m-1" }))).outcome, "duplicate");
    assert.equal((await heldIds(late)).length, 4);
  });

  it("holds entries of the largest size, and follows over a connection that breaks", async (t) => {
    const url = (await testServer()).newUrl();
    const [one, other] = await Promise.all([open(t, url), open(t, url)]);
    mustRecord(await one.commit(alpha, attempt()));
    const followed = take(other.follow(alpha, { after: 0, signal: new AbortController().signal }), 4);
    mustRecord(await one.commit(alpha, attempt({ text: "x".repeat(7 * 1024 * 1024) })));
    await sql(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'");
    for (const id of ["m-1", "m-2"]) mustRecord(await one.commit(alpha, attempt({ id })));
    const entries = await followed;
    assert.deepEqual(
      entries.map(({ seq, text }) => [seq, text?.length ?? 0]),
      [
        [1, 0],
        [2, 7 * 1024 * 1024],
        [3, 0],
        [4, 0],
      ],
    );
  });

  it("records each attempt once where connections break in the middle of commits", async (t) => {
    const { newUrl, port } = await testServer();
    const direct = newUrl();
    const proxy = await cuttingProxy(t, port, isWrite);
    const through = direct.replace(`:${port}/`, `:${proxy.port}/`);
    const journals = [await open(t, through), await open(t, through)];
    proxy.cuts = true;
    const rounds = 15;
    const run = async (journal: Journal<Tally>, agent: string) => {
      for (let round = 0; round < rounds; round += 1) {
        // Without an id nothing but the entries themselves tells that one is recorded.
        const contents = [0, 1, 2].map((index) => `${round}-${index}`);
        const sent = contents.map((content) => journal.commit(alpha, attempt({ agent, content })));
        for (const done of await Promise.all(sent)) mustRecord(done);
      }
    };
    await Promise.all(journals.map((journal, index) => run(journal, `dev-${index + 1}`)));
    proxy.cuts = false;
    assert.ok(proxy.broken > 3, `${proxy.broken} connections were cut`);
    assert.equal((await heldIds(await open(t, direct))).length, 2 * 3 * rounds);
  });

  it("says that the outcome is unknown where the server goes away at the commit and stays away", async (t) => {
    const { newUrl, port } = await testServer();
    const direct = newUrl();
    const proxy = await cuttingProxy(t, port, isWrite);
    const journal = await open(t, direct.replace(`:${port}/`, `:${proxy.port}/`), { waitMs: 300 });
    mustRecord(await journal.commit(alpha, attempt({ id: "m-1" })));
    proxy.swallowsCommit = true;
    const lost = await journal.commit(alpha, attempt({ id: "m-2" }));
    assert.equal(!lost.ok && lost.error.code, "journal-failed");
    proxy.swallowsCommit = false;
    await until(() => journal.condition().condition === "ready");
    const again = must(await journal.commit(alpha, attempt({ id: "m-2" })));
    assert.ok(again.outcome === "duplicate" || again.outcome === "recorded");
    assert.equal((await heldIds(journal)).length, 2);
  });

  it("is unreachable while its server is away, refuses at once in the end, and is ready by itself", async (t) => {
    const server = await testServer();
    const url = server.newUrl();
    const journal = await open(t, url, { waitMs: 200 });
    const first = mustRecord(await journal.commit(alpha, attempt({ id: "m-1" })));
    const followed = take(journal.follow(alpha, { after: 0, signal: new AbortController().signal }), 2);
    await server.kill();
    // However this ends, the tests behind it need the server.
    t.after(() => server.start());
    const refused = await journal.commit(alpha, attempt({ id: "m-2" }));
    assert.equal(!refused.ok && refused.error.code, "journal-unreachable");
    const condition = journal.condition();
    assert.ok(condition.condition === "unreachable" && condition.problem.code === "journal-unreachable");
    for (const read of [await journal.state(alpha), await journal.read(alpha), await journal.probe()])
      assert.equal(!read.ok && read.error.code, "journal-unreachable");
    const closed = await openPostgresJournal(url, tally, { waitMs: 200 });
    assert.equal(!closed.ok && closed.error.code, "journal-unreachable");
    assert.doesNotMatch(JSON.stringify([refused, condition, closed]), /only-for-tests/);
    await server.start();
    await until(() => journal.condition().condition === "ready");
    mustRecord(await journal.commit(alpha, attempt({ id: "m-2" })));
    assert.deepEqual(
      (await followed).map(({ id }) => id),
      ["m-1", "m-2"],
    );
    assert.deepEqual(must(await journal.read(alpha, { limit: 1 })).entries, [first]);
  });

  it("notices that its server has lost entries, records nothing until that is accepted, and goes on behind", async (t) => {
    const url = (await testServer()).newUrl();
    const folder = mkdtempSync(join(tmpdir(), "baton-heads-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const headsFile = join(folder, "heads");
    const [one, other] = await Promise.all([open(t, url), open(t, url)]);
    for (let index = 1; index <= 10; index += 1) mustRecord(await one.commit(alpha, attempt({ id: `m-${index}` })));
    must(await other.state(alpha));
    const before = await open(t, url, { headsFile });
    must(await before.state(alpha));
    await before.close();
    const rewind = [
      "DELETE FROM entry WHERE seq > 7",
      "DELETE FROM once WHERE seq > 7",
      "UPDATE team SET seq = 7, hash = (SELECT hash FROM entry WHERE seq = 7)",
    ];
    await sql(url, ...rewind);
    for (const journal of [one, other]) {
      const refused = await journal.commit(alpha, attempt({ id: "m-11" }));
      assert.equal(!refused.ok && refused.error.code, "journal-regressed");
      const condition = journal.condition();
      assert.ok(condition.condition === "regressed" && condition.anchor.seq === 10 && condition.head.seq === 7);
      const probed = await journal.probe();
      assert.equal(!probed.ok && probed.error.code, "journal-regressed");
      assert.equal(must(await journal.read(alpha)).entries.length, 7);
      assert.equal((await journal.verify()).ok, false);
    }
    // The control: a process that saw nothing before, and has no file that says what was there.
    const stranger = await open(t, url, { readOnly: true });
    must(await stranger.state(alpha));
    assert.equal((await stranger.verify()).ok, true);
    const later = await open(t, url, { headsFile, readOnly: true });
    must(await later.state(alpha));
    const found = later.condition();
    assert.ok(found.condition === "regressed" && found.anchor.seq === 10, "the file of this machine knows better");
    const receipt = must(await one.acceptLoss(alpha, owner, "the disk is gone"));
    assert.deepEqual([receipt.seq, receipt.epoch], [11, 2]);
    // A process that only asks whether it may write learns that another one has accepted the loss.
    assert.equal(other.condition().condition, "regressed");
    must(await other.probe());
    assert.equal(other.condition().condition, "ready");
    for (const journal of [one, other]) {
      mustRecord(await journal.commit(alpha, attempt()));
      assert.equal(journal.condition().condition, "ready");
      assert.deepEqual((await journal.verify()).problems, []);
    }
    const last = await open(t, url, { headsFile });
    mustRecord(await last.commit(alpha, attempt()));
    await writeFile(headsFile, "not heads");
    const broken = await open(t, url, { headsFile });
    const refused = await broken.commit(alpha, attempt());
    assert.equal(!refused.ok && refused.error.code, "journal-corrupt", "it may hide a loss");
  });

  it("finds by its index what reading finds, also where two hubs fill it, and drops what belongs to lost entries", async (t) => {
    const url = (await testServer()).newUrl();
    const [one, other] = await Promise.all([open(t, url), open(t, url)]);
    const words = ["alpha", "beta", "gamma delta", "δέλτα", "x%_y", "beta alpha"];
    const put = async (count: number) => {
      for (let index = 0; index < count; index += 1)
        mustRecord(await one.commit(alpha, attempt({ content: { text: `${words[index % 6]} ${index}` } })));
    };
    const { signal } = new AbortController();
    const fill = async (journal: Journal<Tally>) => must((await journal.searchIndex?.catchUp(signal)) ?? ok(0));
    const { search, agrees } = searching(one, other);
    await put(400);
    await agrees();
    const read = (await search("nowhere", false)).examined;
    // Two hubs begin at once; each entry is added once.
    const added = await Promise.all([fill(one), fill(other)]);
    assert.equal(added[0] + added[1], 400, added.join());
    assert.ok((await search("nowhere", false)).examined < read, "the index is asked");
    await until(() => one.searchIndex?.indexed(alpha) === 400);
    await agrees();
    await put(30);
    await agrees();
    await sql(url, "DELETE FROM entry WHERE seq > 390", "DELETE FROM once WHERE seq > 390");
    await sql(url, "UPDATE team SET seq = 390, hash = (SELECT hash FROM entry WHERE seq = 390)");
    must(await one.acceptLoss(alpha, owner, "the disk is gone"));
    await put(12);
    await agrees();
    assert.equal(
      await fill(other),
      must(await one.read(alpha, { limit: 1_000 })).entries.length,
      "all of it is made afresh",
    );
    await agrees();
    await sql(url, "DROP TABLE search, searched");
    await agrees();
  });

  it("keeps no team locked where an entry of another process cannot be folded", async (t) => {
    const url = (await testServer()).newUrl();
    const lenient = must(await openPostgresJournal(url, { ...tally, evolve: (state: Tally): Tally => state }));
    t.after(() => lenient.close());
    const strict = await open(t, url, { waitMs: 500 });
    mustRecord(await strict.commit(alpha, attempt()));
    mustRecord(await lenient.commit(alpha, attempt({ content: { poison: true } })));
    await assert.rejects(strict.commit(alpha, attempt()), /poisoned/);
    const begun = systemClock.monotonic();
    mustRecord(await lenient.commit(alpha, attempt()));
    assert.ok(systemClock.monotonic() - begun < 2_000);
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
