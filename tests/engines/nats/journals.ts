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
import { must, type Tally, tally, team } from "../../../src/testing/journal-subject.ts";

export const alpha = team("alpha");

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

/** What the journal holds, each id once; the chain is good. */
export async function heldIds(journal: Journal<Tally>): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: { readonly entries: readonly Entry[]; readonly next: number | null } = must(
      await journal.read(alpha, { after }),
    );
    ids.push(
      ...page.entries.map(({ id, principal, content }) => `${principal.agent} ${id} ${JSON.stringify(content)}`),
    );
    after = page.next;
  }
  const report = await journal.verify();
  assert.deepEqual(report.problems, []);
  assert.equal(new Set(ids).size, ids.length, "nothing is recorded twice");
  return ids;
}
