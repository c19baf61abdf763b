/** Journals of tests on NATS, and what looks at them from outside. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { systemClock } from "../../../src/base/clock.ts";
import type { Entry } from "../../../src/journal/entry.ts";
import type { Journal, JournalOptions } from "../../../src/journal/journal.ts";
import { readNatsAddress } from "../../../src/journal/nats/address.ts";
import { connectTo, type Link } from "../../../src/journal/nats/connection.ts";
import { openNatsJournal } from "../../../src/journal/nats/open.ts";
import { namesOf } from "../../../src/journal/nats/settings.ts";
import { streamInfo, streamOf } from "../../../src/journal/nats/streams.ts";
import { attempt, must, mustRecord, type Tally, tally } from "../../../src/testing/journal-subject.ts";
import { alpha } from "../held.ts";
import { startCluster, until } from "./server.ts";

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

/** What a campaign of killed leaders found. */
export interface LeaderKills {
  readonly kills: number;
  readonly acknowledged: number;
  /** Acknowledged entries that the journal does not hold, by hash; and ids that it holds twice. */
  readonly lost: number;
  readonly doubled: number;
  /** The same check on the journal without its last ten entries: what it must find. */
  readonly control: number;
  /** The longest pauses without an acknowledgement, in milliseconds, one for each kill. */
  readonly pausesMs: readonly number[];
  readonly problems: readonly string[];
}

/** Kills the leader of the log with signal 9, again and again, while two processes write. */
export async function killLeaders(kills: number): Promise<LeaderKills> {
  const cluster = await startCluster();
  const pausesMs: number[] = [];
  try {
    const url = cluster.newUrl();
    const open = async () => must(await openNatsJournal(url, tally, { waitMs: 60_000 }));
    await using one = await open();
    await using other = await open();
    const receipts = new Map<number, string>();
    const ended = new AbortController();
    let [lastAt, longest] = [systemClock.monotonic(), 0];
    const write = async (journal: Journal<Tally>, agent: string) => {
      for (let round = 0; !ended.signal.aborted; round += 1) {
        const done = await journal.commit(alpha, attempt({ agent, id: `${agent}-${round}` }));
        const entry = mustRecord(done);
        receipts.set(entry.seq, entry.hash);
        longest = Math.max(longest, systemClock.monotonic() - lastAt);
        lastAt = systemClock.monotonic();
      }
    };
    const lanes = (journal: Journal<Tally>, name: string) =>
      Array.from({ length: 10 }, (_, index) => write(journal, `${name}-${index}`));
    const writers = Promise.all([...lanes(one, "dev-1"), ...lanes(other, "dev-2")]);
    /** The leader of the log once all copies are complete; null: not yet, or nobody answers. */
    const leaderOf = () =>
      linked(url, async (link, { log }) => {
        const info = await streamInfo(link, log);
        const { leader = "", replicas = [] } = (info.ok ? info.value?.cluster : undefined) ?? {};
        return replicas.every(({ current, offline }) => current === true && offline !== true) && leader !== ""
          ? leader
          : null;
      });
    for (let kill = 0; kill < kills; kill += 1) {
      let leader: string | null = null;
      await until(async () => {
        leader = await leaderOf();
        return leader !== null;
      });
      const killed = cluster.servers.find(({ name }) => name === leader);
      longest = 0;
      await killed?.kill();
      const before = receipts.size;
      await until(() => receipts.size > before + 50);
      await killed?.start();
      pausesMs.push(Math.round(longest));
    }
    ended.abort();
    await writers;
    const held: Entry[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const page: { readonly entries: readonly Entry[]; readonly next: number | null } = must(
        await one.read(alpha, { after }),
      );
      held.push(...page.entries);
      after = page.next;
    }
    const ids = held.map(({ id, principal }) => `${principal.agent} ${id}`);
    const { problems } = await other.verify();
    return {
      kills,
      acknowledged: receipts.size,
      lost: missing(receipts, held),
      doubled: ids.length - new Set(ids).size,
      control: missing(receipts, held.slice(0, -10)),
      pausesMs,
      problems: problems.map(({ message }) => message),
    };
  } finally {
    await cluster.stop();
  }
}

function missing(receipts: ReadonlyMap<number, string>, held: readonly Entry[]): number {
  const hashes = new Set(held.map(({ hash }) => hash));
  return [...receipts.values()].filter((hash) => !hashes.has(hash)).length;
}

/** Sends a message with a wrong expected id to a stream of three copies, between ten before it and ten after it. */
export async function sendWrongId(): Promise<{
  readonly version: string;
  readonly refusal: string;
  readonly taken: number;
  readonly control: number;
}> {
  const cluster = await startCluster();
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
