/**
 * The journal on PostgreSQL: one commit after another, and a hundred awaited together, next to what the server alone takes
 * for as many rows, over one connection of the same driver. The server runs on the disk of the repository.
 */
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { invariant } from "../src/base/invariant.ts";
import { loadDriver } from "../src/journal/postgres/driver.ts";
import { openPostgresJournal } from "../src/journal/postgres/open.ts";
import { openHub } from "../src/runtime/hub.ts";
import { teamProjection } from "../src/runtime/projection.ts";
import { attempt, must, mustRecord, tally, team } from "../src/testing/journal-subject.ts";
import { skip, startServer } from "../tests/engines/postgres/server.ts";
import { type Measure, type Pair, timed } from "./measure.ts";

const onesPerRound = 200;
const groupsPerRound = 10;
const groupSize = 100;
const content = { text: "b".repeat(500) };
const web = team("web");

const one: Measure = {
  name: "One commit on PostgreSQL",
  subject: "commit: decide, hash, fold, durable",
  yardstick: "raw INSERT, one row a commit",
  target: { of: "rate", atLeast: 0.55 },
  rounds: 15,
  open: (folder) => openPair(folder, onesPerRound, 1),
};

const grouped: Measure = {
  name: "100 commits on PostgreSQL at once",
  subject: "100 commits, awaited together",
  yardstick: "raw INSERT, 100 rows a commit",
  target: { of: "rate", atLeast: 0.25 },
  rounds: 15,
  open: (folder) => openPair(folder, groupsPerRound * groupSize, groupSize),
};

/** What it costs a hub to start and to look for deadlines, which must not grow with the teams of the journal. */
const startOfHub: Measure = {
  name: "A hub's start on PostgreSQL with 1,000 teams",
  subject: "open, look for deadlines in 1,000 teams",
  yardstick: "the same with 10 teams",
  target: { of: "rate", atLeast: 0.7 },
  rounds: 15,
  open: openHubs,
};

async function openHubs(folder: string): Promise<Pair> {
  chmodSync(folder, 0o755);
  const server = await startServer(join(folder, "server"));
  const withTeams = async (count: number) => {
    const url = server.newUrl();
    const journal = must(await openPostgresJournal(url, teamProjection));
    const { decide } = attempt({ content: {} });
    for (let number = 0; number < count; number += 1)
      mustRecord(
        await journal.commit(team(`team-${number}`), { once: null, decide: (_, moment) => decide(none, moment) }),
      );
    await journal.close();
    return async () => {
      const hub = await openHub({ journal: url });
      invariant(hub.ok, "the hub opens");
      must(await hub.value.fireDue());
      await hub.value[Symbol.asyncDispose]();
    };
  };
  const [few, many] = [await withTeams(10), await withTeams(1_000)];
  return { yardstick: () => timed(1, few), subject: () => timed(1, many), close: () => server.stop() };
}

const none = tally.initial();

/** The measures; none where no server can be started, which is said. */
export function postgresMeasures(): readonly Measure[] {
  if (skip === false) return [one, grouped, startOfHub];
  console.log(`LEFT OUT: the journal on PostgreSQL (${skip})`);
  return [];
}

async function openPair(folder: string, perRound: number, size: number): Promise<Pair> {
  // The server may run as another user, who must get through to its data.
  chmodSync(folder, 0o755);
  const server = await startServer(join(folder, "server"));
  const url = server.newUrl();
  const journal = must(await openPostgresJournal(url, tally));
  const { Client } = must(await loadDriver(url));
  const client = new Client({
    connectionString: url.replace(/\?.*$/, ""),
    application_name: "bench",
    connectionTimeoutMillis: 5_000,
    keepAlive: false,
    pipeline: true,
    query_timeout: 20_000,
  });
  await client.connect();
  await client.query({
    text: "CREATE TABLE raw (number int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, hash text NOT NULL, bytes bytea NOT NULL)",
  });
  const hashes = Array.from({ length: size }, () => "a".repeat(64));
  const bodies = hashes.map(() => "b".repeat(900));
  const insert = {
    name: "raw",
    text: `INSERT INTO raw (hash, bytes)
           SELECT r.hash, convert_to(r.body, 'UTF8') FROM unnest($1::text[], $2::text[]) AS r (hash, body)`,
    values: [hashes, bodies],
  };
  let count = 0;
  const commit = async () => {
    count += 1;
    mustRecord(await journal.commit(web, attempt({ id: `m-${count}`, content })));
  };
  return {
    yardstick: () =>
      timed(perRound, async () => {
        for (let done = 0; done < perRound; done += size) await client.query(insert);
      }),
    subject: () =>
      timed(perRound, async () => {
        for (let done = 0; done < perRound; done += size) await Promise.all(Array.from({ length: size }, commit));
      }),
    async close() {
      await journal.close();
      await client.end();
      await server.stop();
    },
  };
}
