/**
 * The least that a commit on an engine in a server costs: what no journal of its kind can leave out. Each entry is made into
 * text, hashed behind the one before, and written durably with the head and its id, over one connection, by the very
 * statement or message that the journal writes. Nothing is decided, folded, followed or answered.
 */
import { systemClock } from "../../src/base/clock.ts";
import { messageId } from "../../src/base/ids.ts";
import { emptyHead, sealEntry } from "../../src/journal/chain.ts";
import { openJournal } from "../../src/journal/engines.ts";
import { readNatsAddress } from "../../src/journal/nats/address.ts";
import { encodeBatch } from "../../src/journal/nats/batch.ts";
import { connectTo } from "../../src/journal/nats/connection.ts";
import { namesOf } from "../../src/journal/nats/settings.ts";
import { streamOf } from "../../src/journal/nats/streams.ts";
import { readServerAddress } from "../../src/journal/postgres/address.ts";
import { writeWhere } from "../../src/journal/postgres/changes.ts";
import { loadDriver, type OwnClient, statement } from "../../src/journal/postgres/driver.ts";
import type { Changes } from "../../src/journal/remote/backend.ts";
import { must, tally, team } from "../../src/testing/journal-subject.ts";
import { content } from "./writer.ts";

/** Writes so many entries at once as it was opened for. */
export interface RawWriter {
  /** Resolves once they are durable. */
  write(): Promise<void>;
  close(): Promise<void>;
}

const web = team("web");
const agent = "dev-1";

/** Makes entries one behind the other, as a commit records them. */
function sealing(size: number): () => Changes {
  let head = emptyHead;
  return () => {
    const rows: Changes["rows"][number][] = [];
    const ids: Changes["ids"][number][] = [];
    for (let made = 0; made < size; made++) {
      const id = messageId(`m-${head.seq + 1}`);
      const principal = { agent, role: "dev", via: "launcher" } as const;
      const draft = { kind: "message", principal, id, digest: "a".repeat(64), receivers: ["lead-1"], content } as const;
      const { entry, text } = sealEntry(web, head, draft, { recordedAt: new Date().toISOString() });
      head = { seq: entry.seq, hash: entry.hash, epoch: entry.epoch };
      rows.push({ seq: entry.seq, hash: entry.hash, text });
      ids.push({ id: String(id), agent, seq: entry.seq });
    }
    return { head, rows, ids, signs: new Map(), notes: new Map(), due: null };
  };
}

/** A connection of the driver that the journal uses, without anything of the journal. */
export async function bareClient(url: string): Promise<OwnClient> {
  const { Client } = must(await loadDriver(url));
  const client = new Client({
    connectionString: must(readServerAddress(url)).connectionString,
    application_name: "bench",
    connectionTimeoutMillis: 5_000,
    keepAlive: false,
    pipeline: true,
    query_timeout: 20_000,
  });
  await client.connect();
  return client;
}

/** The journal's own statement, sent by the bare driver. */
export async function openLeastRows(url: string, size: number): Promise<RawWriter> {
  await must(await openJournal(url, tally)).close();
  const { schema } = must(readServerAddress(url));
  const client = await bareClient(url);
  await client.query({ text: "SELECT set_config('search_path', $1, false)", values: [schema] });
  await client.query(statement("addTeam", [web, emptyHead.seq, emptyHead.hash, emptyHead.epoch]));
  const seal = sealing(size);
  let before = emptyHead;
  return {
    async write() {
      const changes = seal();
      const expected = { head: before, absent: changes.ids.slice(0, 1), signs: new Map() };
      const { rowCount } = await client.query(writeWhere(web, expected, changes));
      if (rowCount !== 1) throw new Error("the statement wrote nothing");
      before = changes.head;
    },
    close: () => client.end(),
  };
}

/** The journal's own message, published by its connection. */
export async function openLeastMessages(url: string, size: number): Promise<RawWriter> {
  await must(await openJournal(url, tally)).close();
  const address = must(readNatsAddress(url));
  const names = namesOf(address);
  const link = must(await connectTo(address, systemClock.monotonic() + 5_000));
  const stream = streamOf(link, names.log);
  const seal = sealing(size);
  let last = 0;
  return {
    async write() {
      const put = await stream.put(names.entries(web), encodeBatch(seal()), last);
      if (!put.ok) throw new Error(put.error.problem.message);
      last = put.value;
    },
    close: () => link.close(),
  };
}
