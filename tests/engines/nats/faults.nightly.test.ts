/** What can go wrong with a journal on NATS JetStream: the server, the network, other processes. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { systemClock } from "../../../src/base/clock.ts";
import type { Journal } from "../../../src/journal/journal.ts";
import { openNatsJournal } from "../../../src/journal/nats/open.ts";
import { attempt, must, mustRecord, type Tally } from "../../journal/journal-subject.ts";
import { alpha, heldIds } from "../held.ts";
import { serverProblems } from "../server-faults.ts";
import { got, linked, open, rewind } from "./journals.ts";
import { skip, testServer, until } from "./server.ts";

describe("a journal on NATS JetStream", { skip }, () => {
  serverProblems({
    testServer,
    open,
    openJournal: openNatsJournal,
    until,
    isWrite: (bytes) => bytes.includes(".e.alpha "),
    breakFollowing: (url) =>
      linked(url, async (link, { log }) => {
        const { consumers } = got(await link.api<{ consumers: readonly string[] }>(`CONSUMER.NAMES.${log}`, {}));
        for (const name of consumers) got(await link.api(`CONSUMER.DELETE.${log}.${name}`, {}));
      }),
    noticesByReading: true,
    async rewind(url, entries) {
      await rewind(url, entries);
      // Only a look at the log shows it, and one is at most a second old when something is written.
      await systemClock.wait(1_000);
    },
    // The log is taken back and has grown again as far as it was: what a process knew of it is not so.
    async afterLoss(t, { url, other }) {
      await rewind(url, 9);
      const stranger = await open(t, url);
      for (let index = 0; index < 3; index += 1)
        mustRecord(await stranger.commit(alpha, attempt({ id: `n-${index}` })));
      await systemClock.wait(1_000);
      const refused = await other.commit(alpha, attempt({ id: "m-12" }));
      assert.equal(!refused.ok && refused.error.code, "journal-regressed");
      assert.deepEqual((await stranger.verify()).problems, []);
    },
  });

  it("loses and doubles nothing where the server is killed under two writers", async (t) => {
    const server = await testServer();
    const url = server.newUrl();
    t.after(() => server.start());
    const journals = await Promise.all([open(t, url), open(t, url)]);
    const receipts = new Map<number, string>();
    const ended = new AbortController();
    const load = async (journal: Journal<Tally>, agent: string) => {
      for (let round = 0; !ended.signal.aborted; round += 1) {
        const sent = [0, 1, 2].map((index) =>
          journal.commit(alpha, attempt({ agent, id: `${agent}-${round}-${index}` })),
        );
        for (const done of await Promise.all(sent)) {
          const entry = mustRecord(done);
          receipts.set(entry.seq, entry.hash);
        }
      }
    };
    const loads = Promise.all(journals.map((journal, index) => load(journal, `dev-${index + 1}`)));
    for (let kill = 0; kill < 3; kill += 1) {
      const before = receipts.size;
      await until(() => receipts.size > before + 20);
      await server.kill();
      await server.start();
    }
    ended.abort();
    await loads;
    const late = await open(t, url);
    assert.equal((await heldIds(late)).length, receipts.size, "each is there once");
    for (const [seq, hash] of receipts) {
      if (seq % 7 !== 0) continue;
      assert.equal(must(await late.read(alpha, { after: seq - 1, limit: 1 })).entries[0]?.hash, hash);
    }
  });
});
