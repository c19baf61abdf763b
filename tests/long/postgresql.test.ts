/** Faults of a PostgreSQL server under two writing processes. */
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { after, describe, test } from "node:test";
import { systemClock } from "../../src/base/clock.ts";
import { loadDriver, type OwnClient } from "../../src/journal/postgres/driver.ts";
import { openPostgresJournal } from "../../src/journal/postgres/open.ts";
import {
  entriesOf,
  type Load,
  mustBeWhole,
  type ProblemFound,
  rowOf,
  underProblem,
  type Writers,
} from "../engines/fault-harness.ts";
import { alpha } from "../engines/held.ts";
import { skip, startServer, type TestServer } from "../engines/postgres/server.ts";
import { type Counted, openCounted, openLine } from "../engines/proxy.ts";
import { attempt, must, mustRecord, tally } from "../journal/journal-subject.ts";
import { record } from "./record.ts";

const kills = Number(process.env.BATON_TEST_KILLS ?? 100);
const times = Number(process.env.BATON_TEST_TIMES_EACH ?? 5);
const rows: (readonly [string, string])[] = [];

const newFolder = () => mkdtempSync("/dev/shm/baton-postgres-");
const at = (url: string, port: number) => url.replace(/:\d+\/postgres/, `:${port}/postgres`);
const open = async (url: string, waitMs = 60_000) => must(await openPostgresJournal(url, tally, { waitMs }));

/** Two writers at these URLs while `fault` happens; the entries are read at `last`. */
async function campaign(
  name: string,
  count: number,
  urls: readonly [string, string],
  problem: (writers: Writers) => Promise<void>,
  { last = urls[0], load = {} }: { readonly last?: string; readonly load?: Load } = {},
): Promise<ProblemFound> {
  await using a = await open(urls[0]);
  await using b = await open(urls[1]);
  const found = await underProblem([a, b], () => open(last), problem, load);
  rows.push(rowOf(name, count, found));
  console.log(rows.at(-1)?.join(": "));
  return found;
}

/** A connection of the test's own. */
async function connection(url: string): Promise<OwnClient> {
  const { Client } = must(await loadDriver(url));
  const client = new Client({
    connectionString: url.replace(/\?.*$/, ""),
    application_name: "test",
    connectionTimeoutMillis: 5_000,
    keepAlive: false,
    pipeline: false,
    query_timeout: 5_000,
  });
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

/** Rows that a server acknowledged without writing them to the disk, and lost when it was killed. */
async function lostWithoutSync(server: TestServer, url: string): Promise<string> {
  const client = await connection(url);
  await client.query({ text: "CREATE TABLE IF NOT EXISTS unsafe (n int)" });
  await client.query({ text: "SET synchronous_commit = off" });
  let taken = 0;
  const writing = (async () => {
    for (;;) {
      await client.query({ text: `INSERT INTO unsafe VALUES (${taken})` });
      taken += 1;
    }
  })().catch(() => undefined);
  await systemClock.wait(500);
  await server.crash();
  await writing;
  await server.start();
  const again = await connection(url);
  const { rows: held } = await again.query({ text: "SELECT count(*) AS n FROM unsafe" });
  await again.end();
  const lost = taken - Number(held[0]?.n);
  assert.ok(lost > 0, "the control loses something");
  return `${lost} of ${taken}`;
}

describe("a PostgreSQL server", { skip }, () => {
  after(() => {
    record(
      "postgresql",
      "Two writers, each with a journal and a connection of its own in one process, have ten commits under way each, and send again with the same id what was refused. Afterwards each acknowledged hash must be there, each id once, each number without a gap. The control is the same judge on the same entries without the last ten, with one twice, and without the fourth: what it finds lost, doubled and missing.",
      rows,
    );
  });

  test(`${kills} times each of its processes killed with signal 9`, {
    skip: kills === 0 ? "none asked for" : false,
  }, async () => {
    const server = await startServer(newFolder());
    try {
      const url = server.newUrl();
      const found = await campaign(
        "every process of the server killed with signal 9",
        kills,
        [url, url],
        async (writers) => {
          for (let kill = 0; kill < kills; kill += 1) {
            await writers.progress(50);
            await server.crash();
            await server.start();
          }
          await writers.progress(50);
        },
      );
      mustBeWhole(found);
      const lost = await lostWithoutSync(server, url);
      rows.push(["control: rows lost by one kill with `synchronous_commit = off`, which Baton refuses", lost]);
    } finally {
      await server.stop();
    }
  });

  test("the connection is cut at every message of a commit", async () => {
    const server = await startServer(newFolder());
    const line = await openCounted(server.port);
    const points: Record<string, number> = {};
    try {
      const url = server.newUrl();
      await using other = await open(url);
      const receipts: { readonly seq: number; readonly hash: string }[] = [];
      // Entries of two writers that are equal to the millisecond would be one: nothing else tells them apart.
      const commit = async (journal: typeof other) => {
        const agent = journal === other ? "dev-2" : "dev-1";
        const { seq, hash } = mustRecord(await journal.commit(alpha, attempt({ agent })));
        receipts.push({ seq, hash });
      };
      for (const way of ["alone", "after another process wrote"] as const) {
        for (let cutAt = 1; ; cutAt += 1) {
          await using journal = await open(at(url, line.port));
          for (let warm = 0; warm < 2; warm += 1) await commit(journal);
          if (way !== "alone") await commit(other);
          line.arm(cutAt);
          await commit(journal);
          const isOver = line.count() < cutAt;
          line.arm(null);
          if (isOver) break;
          points[way] = cutAt;
        }
      }
      const held = (await entriesOf(other)).map(({ seq, hash }) => ({ seq, hash }));
      assert.deepEqual(held, receipts, "each commit is there once");
      assert.deepEqual((await other.verify()).problems, []);
      rows.push([
        "connection cut at every message of a commit",
        `${points.alone} messages where nobody else writes, ${points["after another process wrote"]} where another did; ${receipts.length} commits without an id, each there once`,
      ]);
      rows.push(["control: rows doubled by a client that repeats what failed", await doubledByRepeating(url, line)]);
    } finally {
      line.close();
      await server.stop();
    }
  });

  for (const isSafe of [true, false])
    test(`failover to a standby ${isSafe ? "with" : "without"} synchronous_standby_names`, async () => {
      for (let index = 0; index < (isSafe ? times : 1); index += 1) {
        const first = await startServer(newFolder(), isSafe ? { settings: ["synchronous_standby_names=*"] } : {});
        const behind = await openLine(first.port);
        const front = await openLine(first.port);
        const second = await first.standby(newFolder(), behind.port);
        try {
          // Without it such a server is refused.
          const url = `${at(first.newUrl(), front.port)}${isSafe ? "" : "&replicas=async"}`;
          const found = await campaign(
            `failover to a standby that is a second behind, ${isSafe ? "with" : "WITHOUT"} \`synchronous_standby_names\``,
            1,
            [url, url],
            async (writers) => {
              await writers.progress(100);
              behind.silent(true);
              await systemClock.wait(1_000);
              await first.crash();
              await second.promote();
              front.leadTo(second.port);
              if (isSafe) await writers.progress(100);
            },
          );
          if (isSafe) mustBeWhole(found);
          else {
            assert.ok(found.lost > 0, "what the standby had not yet is lost");
            assert.ok((found.refused["journal-regressed"] ?? 0) > 0, "those who saw it record nothing on top");
          }
        } finally {
          for (const line of [behind, front]) line.close();
          for (const server of [first, second]) await server.stop();
        }
      }
    });

  test("a link of 300 ms to one writer, and the other close by", async () => {
    const server = await startServer(newFolder());
    const slow = await openLine(server.port);
    slow.delayMs = 150;
    try {
      const url = server.newUrl();
      const found = await campaign(
        "one writer behind a link of 300 ms there and back, each with at most 20 commits a second",
        1,
        [at(url, slow.port), url],
        (writers) => writers.progress(200),
        { last: url, load: { lanes: 5, restMs: 250 } },
      );
      mustBeWhole(found);
      assert.ok(found.byWriter.every((count) => count > 0));
    } finally {
      slow.close();
      await server.stop();
    }
  });
});

/** The control of the cuts: a client that inserts a row and inserts it again where no answer came. */
async function doubledByRepeating(url: string, line: Counted): Promise<string> {
  const direct = await connection(url);
  await direct.query({ text: "CREATE TABLE repeated (n int)" });
  for (let cutAt = 1; ; cutAt += 1) {
    const insert = { text: `INSERT INTO repeated VALUES (${cutAt})` };
    const client = await connection(at(url, line.port));
    line.arm(cutAt);
    const done = await client.query(insert).then(
      () => true,
      () => false,
    );
    const isOver = line.count() < cutAt;
    line.arm(null);
    if (!done) await direct.query(insert);
    await client.end().catch(() => undefined);
    if (isOver) break;
  }
  const { rows: found } = await direct.query({ text: "SELECT count(*) - count(DISTINCT n) AS n FROM repeated" });
  await direct.end();
  const doubled = Number(found[0]?.n);
  assert.ok(doubled > 0);
  return String(doubled);
}
