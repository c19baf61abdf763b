/**
 * The journal on NATS JetStream: one commit after another, and a hundred awaited together, next to what the server alone
 * takes as plain messages with an expected number, over one connection of the same driver. One server, which writes to the
 * disk of the repository before it acknowledges.
 */
import { join } from "node:path";
import { systemClock } from "../src/base/clock.ts";
import { readNatsAddress } from "../src/journal/nats/address.ts";
import { connectTo } from "../src/journal/nats/connection.ts";
import { openNatsJournal } from "../src/journal/nats/open.ts";
import { streamOf } from "../src/journal/nats/streams.ts";
import { attempt, must, mustRecord, tally, team } from "../src/testing/journal-subject.ts";
import { skip, startServer } from "../tests/engines/nats/server.ts";
import { type Measure, type Pair, timed } from "./measure.ts";

const onesPerRound = 200;
const groupsPerRound = 10;
const groupSize = 100;
const content = { text: "b".repeat(500) };
const web = team("web");

const one: Measure = {
  name: "One commit on NATS JetStream",
  subject: "commit: decide, hash, fold, durable",
  yardstick: "plain messages, one after another",
  target: { of: "rate", atLeast: 0.7 },
  rounds: 15,
  open: (folder) => openPair(folder, onesPerRound, 1),
};

const grouped: Measure = {
  name: "100 commits on NATS JetStream at once",
  subject: "100 commits, awaited together",
  yardstick: "plain messages of 100 entries",
  target: { of: "rate", atLeast: 0.25 },
  rounds: 15,
  open: (folder) => openPair(folder, groupsPerRound * groupSize, groupSize),
};

/** The measures; none where no server can be started, which is said. */
export function natsMeasures(): readonly Measure[] {
  if (skip === false) return [one, grouped];
  console.log(`LEFT OUT: the journal on NATS JetStream (${skip})`);
  return [];
}

async function openPair(folder: string, perRound: number, size: number): Promise<Pair> {
  const server = await startServer(join(folder, "server"));
  const url = server.newUrl();
  const journal = must(await openNatsJournal(url, tally));
  const link = must(await connectTo(must(readNatsAddress(url)), systemClock.monotonic() + 5_000));
  const made = await link.api("STREAM.CREATE.RAW", {
    name: "RAW",
    subjects: ["raw"],
    storage: "file",
    num_replicas: 1,
  });
  if (!made.ok) throw new Error(made.error.problem.message);
  const raw = streamOf(link, "RAW");
  const body = Buffer.from("b".repeat(900 * size));
  let last = 0;
  let count = 0;
  const commit = async () => {
    count += 1;
    mustRecord(await journal.commit(web, attempt({ id: `m-${count}`, content })));
  };
  return {
    yardstick: () =>
      timed(perRound, async () => {
        for (let done = 0; done < perRound; done += size) {
          const put = await raw.put("raw", body, last);
          if (!put.ok) throw new Error(put.error.problem.message);
          last = put.value;
        }
      }),
    subject: () =>
      timed(perRound, async () => {
        for (let done = 0; done < perRound; done += size) await Promise.all(Array.from({ length: size }, commit));
      }),
    async close() {
      await journal.close();
      await link.close();
      await server.stop();
    },
  };
}
