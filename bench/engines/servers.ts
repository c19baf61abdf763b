/**
 * The servers on which the journal's engines are measured, and what each takes without Baton: the same number of bytes,
 * as durable, over one connection of the same driver. Every server writes to the disk of the repository.
 */
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/base/clock.ts";
import { readNatsAddress } from "../../src/journal/nats/address.ts";
import { connectTo } from "../../src/journal/nats/connection.ts";
import { streamOf } from "../../src/journal/nats/streams.ts";
import { must } from "../../src/testing/journal-subject.ts";
import { skip as natsSkip, startCluster, startServer as startNats, until } from "../../tests/engines/nats/server.ts";
import { skip as postgresSkip, startServer as startPostgres } from "../../tests/engines/postgres/server.ts";
import { bareClient, openLeastMessages, openLeastRows, type RawWriter } from "./least.ts";

/** Bytes of an entry as the yardstick writes it. */
const rawBytes = 900;

/** A server that was started for a measure. */
export interface EngineServer {
  /** The URL of a journal that nothing else uses. */
  newUrl(): string;
  /** Opens a way to write `size` entries at once without Baton. */
  openRaw(size: number): Promise<RawWriter>;
  /** Opens a way to write `size` entries at once by the journal's own statement or message. */
  openLeast(size: number): Promise<RawWriter>;
  stop(): Promise<void>;
}

/** An engine with the servers that it is measured on. */
export interface Engine {
  readonly name: string;
  /** What the yardstick writes. */
  readonly raw: string;
  /** Why it cannot be measured here; false: it can. */
  readonly skip: string | false;
  start(folder: string): Promise<EngineServer>;
}

export const postgres: Engine = {
  name: "PostgreSQL",
  raw: "raw INSERT",
  skip: postgresSkip,
  async start(folder) {
    // The server may run as another user, who must get through to its data.
    chmodSync(folder, 0o755);
    const server = await startPostgres(join(folder, "server"));
    return {
      newUrl: server.newUrl,
      openRaw: (size) => openRawRows(server.newUrl(), size),
      openLeast: (size) => openLeastRows(server.newUrl(), size),
      stop: server.stop,
    };
  },
};

export const jetStream: Engine = {
  name: "NATS JetStream",
  raw: "plain messages",
  skip: natsSkip,
  async start(folder) {
    const server = await startNats(join(folder, "server"));
    return {
      newUrl: server.newUrl,
      openRaw: (size) => openRawMessages(server.newUrl(), size, 1),
      openLeast: (size) => openLeastMessages(server.newUrl(), size),
      stop: server.stop,
    };
  },
};

export const threeCopies: Engine = {
  name: "NATS JetStream R3",
  raw: "plain messages to a stream of three copies",
  skip: natsSkip,
  async start(folder) {
    const cluster = await startCluster({ folder: (index) => join(folder, `server-${index}`) });
    return {
      newUrl: cluster.newUrl,
      openRaw: (size) => openRawMessages(cluster.newUrl(), size, 3),
      openLeast: (size) => openLeastMessages(cluster.newUrl(), size),
      stop: cluster.stop,
    };
  },
};

async function openRawRows(url: string, size: number): Promise<RawWriter> {
  const client = await bareClient(url);
  await client.query({
    text: "CREATE TABLE raw (number int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, hash text NOT NULL, bytes bytea NOT NULL)",
  });
  const hashes = Array.from({ length: size }, () => "a".repeat(64));
  const insert = {
    name: "raw",
    text: `INSERT INTO raw (hash, bytes)
           SELECT r.hash, convert_to(r.body, 'UTF8') FROM unnest($1::text[], $2::text[]) AS r (hash, body)`,
    values: [hashes, hashes.map(() => "b".repeat(rawBytes))],
  };
  return {
    write: async () => void (await client.query(insert)),
    close: () => client.end(),
  };
}

async function openRawMessages(url: string, size: number, copies: number): Promise<RawWriter> {
  const link = must(await connectTo(must(readNatsAddress(url)), systemClock.monotonic() + 5_000));
  const config = { name: "RAW", subjects: ["raw"], storage: "file", num_replicas: copies };
  // The servers of a cluster that has just begun may not have a leader yet.
  await until(async () => (await link.api("STREAM.CREATE.RAW", config, { timeoutMs: 3_000 })).ok);
  const stream = streamOf(link, "RAW");
  const body = Buffer.from("b".repeat(rawBytes * size));
  let last = 0;
  return {
    async write() {
      const put = await stream.put("raw", body, last);
      if (!put.ok) throw new Error(put.error.problem.message);
      last = put.value;
    },
    close: () => link.close(),
  };
}
