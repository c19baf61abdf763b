/** What is kept next to the log of a journal on NATS JetStream, and which servers and settings are refused. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Entry } from "../../../src/journal/entry.ts";
import type { JournalOptions } from "../../../src/journal/journal.ts";
import { openNatsJournal } from "../../../src/journal/nats/open.ts";
import { streamInfo, streamOf } from "../../../src/journal/nats/streams.ts";
import { attempt, must, mustRecord, type Tally, take, tally, team } from "../../journal/journal-subject.ts";
import { alpha } from "../held.ts";
import { got, linked, open } from "./journals.ts";
import { newFolder, oldPrograms, skip, startCluster, startServer, testServer, until } from "./server.ts";

/** The user for hubs of examples/deploy/nats.conf, for the journal `name`. */
function hubUser(name: string): string {
  const lines = readFileSync(join(import.meta.dirname, "../../../examples/deploy/nats.conf"), "utf8").split("\n");
  const first = lines.findIndex((line) => line.includes('"baton-shop-hub"'));
  const user = lines.slice(first, lines.indexOf("      } }", first) + 1).join("\n");
  const named = user.replaceAll("baton.shop.", `baton.${name}.`).replaceAll("BATON_shop_", `BATON_${name}_`);
  return named.replace('"baton-shop-hub"', "hub").replace(/\$[A-Z0-9_]+_PASSWORD/, '"only-for-tests"');
}

/** Asks until there is an answer. */
async function firstOf<Value>(ask: () => Promise<Value | null>): Promise<Value> {
  for (;;) {
    const found = await ask();
    if (found !== null) return found;
  }
}

describe("next to the log, and settings, of a journal on NATS JetStream", { skip }, () => {
  it("says of a cluster, too, that it does not let the user in", { timeout: 60_000 }, async (t) => {
    // Each server names the others to whoever connects, so the list of those to try never ends.
    const cluster = await startCluster({ size: 2 });
    t.after(() => cluster.stop());
    const stranger = await openNatsJournal(cluster.newUrl().replace("only-for-tests", "wrong-word"), tally);
    assert.ok(!stranger.ok);
    assert.equal(stranger.error.code, "journal-cannot-open");
    assert.match(stranger.error.message, /does not let this user in/);
  });

  it("refuses a cluster that came back with weaker settings, also where it answers nothing at first", {
    timeout: 120_000,
  }, async (t) => {
    const cluster = await startCluster();
    t.after(() => cluster.stop());
    const monitors = cluster.servers.map(({ monitor }) => monitor).join();
    const url = `${cluster.newUrl().replace(/\?.*$/, "")}?monitor=${monitors}`;
    const journal = must(await openNatsJournal(url, tally, { waitMs: 2_000 }));
    t.after(() => journal.close());
    const committed = async () => {
      const done = await journal.commit(alpha, attempt());
      if (done.ok) return done.value.outcome;
      return done.error.code === "journal-unreachable" || done.error.code === "journal-failed" ? null : done.error;
    };
    assert.equal(await committed(), "recorded");
    await Promise.all(cluster.servers.map((each) => each.kill()));
    // The first one alone has no majority, so what it is asked then it does not answer.
    const [first, ...others] = cluster.servers;
    await first?.start({ sync: "" });
    assert.equal(await committed(), null);
    await Promise.all(others.map((each) => each.start({ sync: "" })));
    const found = await firstOf(committed);
    assert.match(JSON.stringify(found), /sync_interval of \S+ \(as http:[^ ]+ says\).* is not always/);
    // The control: with the settings as they were it records.
    await Promise.all(cluster.servers.map((each) => each.kill()));
    await Promise.all(cluster.servers.map((each) => each.start()));
    await until(async () => (await committed()) === "recorded");
  });

  it("says of a cluster without a majority since when it is away, the same at each request", {
    timeout: 120_000,
  }, async (t) => {
    const cluster = await startCluster();
    t.after(() => cluster.stop());
    const monitors = cluster.servers.map(({ monitor }) => monitor).join();
    const url = `${cluster.newUrl().replace(/\?.*$/, "")}?monitor=${monitors}`;
    const journal = must(await openNatsJournal(url, tally, { waitMs: 5_000 }));
    t.after(() => journal.close());
    await until(async () => (await journal.commit(alpha, attempt())).ok);
    const [, second, third] = cluster.servers;
    await Promise.all([second?.kill(), third?.kill()]);
    const since = new Set<string>();
    const endAt = performance.now() + 20_000;
    while (performance.now() < endAt) {
      assert.equal((await journal.probe()).ok, false);
      const condition = journal.condition();
      if (condition.condition === "unreachable") since.add(condition.since);
      assert.ok(since.size <= 1, [...since].join());
    }
    assert.equal(since.size, 1);
    await Promise.all([second?.start(), third?.start()]);
    await until(async () => (await journal.commit(alpha, attempt())).ok);
  });

  it("opens from a snapshot and from what is kept of ids, which count only while they are whole", async (t) => {
    const url = (await testServer()).newUrl();
    const journal = await open(t, url);
    for (let round = 0; round < 8; round += 1) {
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
      await using again = must(await openNatsJournal(url, { ...tally, evolve }));
      assert.equal(must(await again.state(alpha)).state.digest, digest);
      assert.equal(must(await again.commit(alpha, attempt({ id: "0-3" }))).outcome, "duplicate");
      assert.equal(must(await again.find(alpha, "3-7"))[0]?.id, "3-7");
      assert.deepEqual((await again.verify()).problems, []);
      return count;
    };
    assert.ok((await folded()) < 1_200);
    await linked(url, async (link, { side, key }) => {
      const stream = streamOf(link, side);
      for (const subject of [key("snapshot", "alpha"), key("run", "alpha", "0")]) {
        const kept = got(await stream.last(subject));
        assert.ok(kept !== null, subject);
        const { data } = kept;
        data[data.length - 3] = (data[data.length - 3] ?? 0) ^ 1;
        got(await stream.put(subject, data, null));
      }
    });
    assert.equal(await folded(), 2_400);
  });

  it("refuses weak settings and old servers and says what to set, and a user without rights records nothing", async (t) => {
    const server = await testServer();
    const url = server.newUrl();
    const journal = await open(t, url);
    mustRecord(await journal.commit(alpha, attempt()));
    assert.equal(journal.abilities.durability, "fsync");
    const stats = must(await journal.stats());
    assert.deepEqual(
      [stats.engine.syncAlways, stats.engine.replicas, stats.engine.survivesServerLoss],
      ["yes", 1, false],
    );
    // Without the monitor nobody can tell whether the server writes to its disk first, so less is promised.
    const unasked = await open(t, url.replace(/\?.*$/, ""));
    const promised = must(await unasked.commit(alpha, attempt()));
    assert.equal(promised.outcome === "recorded" && promised.receipt.durability, "os");
    const opened = async (asked = url, options: JournalOptions = {}) => {
      const done = await openNatsJournal(asked, tally, { waitMs: 500, ...options });
      if (done.ok) await done.value.close();
      return done.ok ? "opened" : done.error;
    };
    const weak: readonly (readonly [Readonly<Record<string, unknown>>, RegExp])[] = [
      [{ discard: "old", max_age: 60_000_000_000 * 60 }, /discard.*"old".*--discard new/],
      [{ max_age: 60_000_000_000 * 60 }, /max_age.*--max-age=0/],
      [{ max_msgs: 1_000 }, /max_msgs.*--max-msgs=-1/],
      [{ max_msgs_per_subject: 1_000 }, /max_msgs_per_subject/],
      [{ allow_msg_ttl: true }, /allow_msg_ttl/],
      [{ allow_direct: true }, /allow_direct/],
    ];
    await linked(url, async (link, { log }) => {
      const { config } = got(await streamInfo(link, log)) ?? { config: {} };
      for (const [change, expected] of weak) {
        const name = `${log}_weak`;
        got(await link.api(`STREAM.DELETE.${log}`, {}));
        got(await link.api(`STREAM.CREATE.${log}`, { ...config, ...change }));
        const refused = await opened();
        assert.ok(refused !== "opened" && refused.code === "journal-cannot-open", `${name} ${JSON.stringify(change)}`);
        assert.match(JSON.stringify(refused).replaceAll("\\", ""), expected);
      }
      got(await link.api(`STREAM.DELETE.${log}`, {}));
      got(await link.api(`STREAM.CREATE.${log}`, { ...config, metadata: { "baton.min_writer": "99" } }));
      assert.match(JSON.stringify(await opened()), /journal-newer/);
      got(await link.api(`STREAM.DELETE.${log}`, {}));
      assert.match(JSON.stringify(await opened(url, { create: false })), /journal-missing/);
      got(await link.api(`STREAM.CREATE.${log}`, config));
      // A stream that is gone under a process that has just written: nobody takes the message.
      const writing = await open(t, url);
      mustRecord(await writing.commit(alpha, attempt()));
      got(await link.api(`STREAM.DELETE.${log}`, {}));
      const nowhere = await writing.commit(alpha, attempt());
      assert.equal(!nowhere.ok && nowhere.error.code, "journal-missing");
      got(await link.api(`STREAM.CREATE.${log}`, config));
    });
    // The control: the same stream with the settings as they were.
    assert.equal(await opened(), "opened");
    assert.match(JSON.stringify(await opened(`${url}&replicas=3`)), /num_replicas.*is 1.*--replicas 3/);
    const stranger = await opened(url.replace("only-for-tests", "wrong-word"));
    assert.match(JSON.stringify(stranger), /journal-cannot-open.*does not let this user in/);
    assert.doesNotMatch(JSON.stringify(stranger), /wrong-word/);
    t.after(async () => {
      await server.kill();
      await server.start();
    });
    const restarted = async (lines: Parameters<typeof server.start>[0]) => {
      await server.kill();
      await server.start(lines);
    };
    const before = await open(t, url);
    await restarted({ payload: "1MB" });
    assert.match(JSON.stringify(await opened()), /max_payload is 1048576.*max_payload: 16MB/);
    // It is read back each time the connection was lost, too.
    await until(async () => /max_payload/.test(JSON.stringify(await before.commit(alpha, attempt()))));
    // Receipts promise what the server does now, not what it did when the journal was opened.
    await restarted({});
    const lasting = must(await openNatsJournal(url, tally, { durability: "os" }));
    t.after(() => lasting.close());
    const promise = async () => {
      const done = await lasting.commit(team("lasting"), attempt());
      return done.ok && done.value.outcome === "recorded" ? done.value.receipt.durability : null;
    };
    assert.equal(await promise(), "fsync");
    await restarted({ sync: "" });
    assert.equal(await firstOf(promise), "os");
    assert.match(
      JSON.stringify(await opened()),
      /sync_interval of one \(as http:\S+ says\) is not always.*sync_interval: always/,
    );
    assert.equal(await opened(url, { durability: "os" }), "opened");
    const reader = `{ user: reader, password: "only-for-tests", permissions: { publish: ["$JS.API.STREAM.INFO.>",
      "$JS.API.STREAM.MSG.GET.>", "$JS.API.CONSUMER.>"], subscribe: ["_INBOX.>", "baton.>"] } }`;
    const [, name = ""] = /\/(test_\d+)\?/.exec(url) ?? [];
    await restarted({ users: `${reader}, ${hubUser(name)}` });
    const reading = await open(t, url.replace("//baton:", "//reader:"));
    assert.equal(must(await reading.read(alpha)).entries.length, 0);
    const refused = await reading.commit(alpha, attempt());
    assert.equal(!refused.ok && refused.error.code, "journal-read-only");
    // What the command grants to hubs is enough for everything, and for nothing else.
    const hub = await open(t, url.replace("//baton:", "//hub:"));
    const followed = take(hub.follow(alpha, { after: 0, signal: new AbortController().signal }), 40);
    for (let index = 0; index < 40; index += 1) mustRecord(await hub.commit(alpha, attempt()));
    must(await hub.mark(alpha, "lead-1", { seen: 1 }));
    must(await hub.heartbeat(alpha, "a", () => 1));
    must(await hub.probe());
    assert.deepEqual([(await followed).length, (await hub.verify()).ok], [40, true]);
    const again = await open(t, url.replace("//baton:", "//hub:"));
    assert.equal(must(await again.read(alpha)).entries.length, 40);
    await linked(url.replace("//baton:", "//hub:"), async (link, { log, entries }) => {
      const purged = await link.api(`STREAM.PURGE.${log}`, {});
      assert.equal(!purged.ok && purged.error.problem.code, "journal-read-only");
      const elsewhere = await link.ask(entries("alpha").replace(name, "other"), "x");
      assert.equal(!elsewhere.ok && elsewhere.error.problem.code, "journal-read-only");
    });
    for (const { path, version } of oldPrograms) {
      const old = await startServer(newFolder(), path, { sync: "" });
      t.after(() => old.stop());
      assert.match(JSON.stringify(await opened(old.newUrl())), new RegExp(`its version is ${version}.*use a newer`));
    }
    if (process.env.CI === "true") assert.ok(oldPrograms.length > 0, "scripts/setup-test-tools.sh unpacks two of them");
  });
});
