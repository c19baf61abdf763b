/** Journals of tests on NATS, and what looks at them from outside. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { systemClock } from "../../../src/base/clock.ts";
import type { Journal, JournalOptions } from "../../../src/journal/journal.ts";
import { readNatsAddress } from "../../../src/journal/nats/address.ts";
import { connectTo, type Link } from "../../../src/journal/nats/connection.ts";
import { openNatsJournal } from "../../../src/journal/nats/open.ts";
import { namesOf } from "../../../src/journal/nats/settings.ts";
import { streamInfo, streamOf } from "../../../src/journal/nats/streams.ts";
import { must, type Tally, tally } from "../../journal/journal-subject.ts";
import { type Lines, startCluster, type TestCluster, until } from "./server.ts";

export async function open(t: TestContext, url: string, options: JournalOptions = {}): Promise<Journal<Tally>> {
  const journal = must(await openNatsJournal(url, tally, options));
  t.after(() => journal.close());
  return journal;
}

/** A connection of the test's own to the journal's server. */
export async function linked<Value>(
  url: string,
  act: (link: Link, names: ReturnType<typeof namesOf>) => Promise<Value>,
) {
  const address = must(readNatsAddress(url));
  const link = must(await connectTo(address, systemClock.monotonic() + 5_000));
  try {
    return await act(link, namesOf(address));
  } finally {
    await link.close();
  }
}

export function got<Value>(
  answer: { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: unknown },
): Value {
  assert.ok(answer.ok, JSON.stringify(answer));
  return answer.value;
}

/** Makes the log anew with its first messages only, as a server does that was restored from an older backup. */
export async function rewind(url: string, messages: number): Promise<void> {
  await linked(url, async (link, { log, entries }) => {
    const stream = streamOf(link, log);
    const kept: Buffer[] = [];
    for (let at = 1; at <= messages; at += 1) kept.push(got(await stream.at(at))?.data ?? Buffer.alloc(0));
    const { config } = got(await streamInfo(link, log)) ?? { config: {} };
    got(await link.api(`STREAM.DELETE.${log}`, {}));
    got(await link.api(`STREAM.CREATE.${log}`, config));
    for (const data of kept) got(await stream.put(entries("alpha"), data, null));
  });
}

/** The name of the log's leader once all copies are complete; null: not yet, or nobody answers. */
export function leaderOf(url: string): Promise<string | null> {
  return linked(url, async (link, { log }) => {
    const info = await streamInfo(link, log);
    const { leader = "", replicas = [] } = (info.ok ? info.value?.cluster : undefined) ?? {};
    return replicas.every(({ current, offline }) => current === true && offline !== true) && leader !== ""
      ? leader
      : null;
  });
}

/** The cluster's server that leads the log, once all copies are complete, and one that does not. */
export async function leading(cluster: TestCluster, url: string) {
  let name: string | null = null;
  await until(async () => {
    name = await leaderOf(url).catch(() => null); // while it settles nobody may answer
    return name !== null;
  });
  const leader = cluster.servers.find((server) => server.name === name) ?? assert.fail(`no server ${name}`);
  const follower = cluster.servers.find((server) => server !== leader) ?? assert.fail("one server only");
  return { leader, follower };
}

/** Sends a message with a wrong expected id to a stream of three copies, between ten before it and ten after it. */
export async function sendWrongId(
  program: string,
  lines: Partial<Lines> = {},
): Promise<{
  readonly version: string;
  readonly refusal: string;
  readonly taken: number;
  readonly control: number;
}> {
  const cluster = await startCluster({ program, lines });
  try {
    return await linked(cluster.newUrl(), async (link) => {
      const config = { name: "PROBE", subjects: ["probe"], storage: "file", num_replicas: 3 };
      await until(async () => (await link.api("STREAM.CREATE.PROBE", config, { timeoutMs: 3_000 })).ok);
      const send = (headers: Readonly<Record<string, string>>) => link.ask("probe", "x", { headers });
      const taken = async (when: string) => {
        let count = 0;
        for (let index = 0; index < 10; index += 1)
          if ((await send({ "Nats-Msg-Id": `${when}-${index}` })).ok) count += 1;
        return count;
      };
      const control = await taken("before");
      const wrong = await send({ "Nats-Expected-Last-Msg-Id": "another" });
      const refusal = wrong.ok ? Buffer.from(wrong.value.data).toString("utf8") : String(wrong.error.problem.received);
      const version = link.info()?.version ?? "";
      return { version, refusal: refusal.replaceAll("|", " "), taken: await taken("after"), control };
    });
  } finally {
    await cluster.stop();
  }
}
