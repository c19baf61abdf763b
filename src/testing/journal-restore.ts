/**
 * The journal suite on entries that come from another journal: the same stream again, or none of it.
 * Source: docs/protocol/journal.md, sections 3 and 7.
 */
import assert from "node:assert/strict";
import type { Entry } from "../journal/entry.ts";
import type { Journal } from "../journal/journal.ts";
import { openMemoryJournal } from "../journal/memory.ts";
import {
  attempt,
  type JournalBench,
  must,
  mustRecord,
  type Tally,
  tally,
  team,
  type WithJournal,
} from "./journal-subject.ts";

const alpha = team("alpha");

/** Registers the tests. */
export function restoreTests(bench: JournalBench, withJournal: WithJournal): void {
  withJournal("takes the entries of another journal as they are, once, and goes on behind them", async (journal) => {
    const [recorded, theirs] = await streamOf(4);
    must(await journal.restore(alpha, recorded.slice(0, 2)));
    assert.equal(must(await journal.restore(alpha, recorded)).hash, recorded.at(-1)?.hash);
    assert.equal(must(await journal.restore(alpha, recorded)).seq, 4, "a second time changes nothing");
    assert.deepEqual(must(await journal.read(alpha)).entries, recorded);
    assert.deepEqual(must(await journal.state(alpha)).state, theirs);
    const again = must(await journal.commit(alpha, attempt({ id: "m-2" })));
    assert.deepEqual([again.outcome, again.outcome === "duplicate" && again.receipt.seq], ["duplicate", 2]);
    assert.equal(mustRecord(await journal.commit(alpha, attempt({ id: "m-9" }))).seq, 5);
    assert.ok((await journal.verify()).ok);
  });
  withJournal("takes none of what is changed, missing, of another team or of another stream", async (journal) => {
    const [recorded] = await streamOf(3);
    const [first, second, third] = recorded as readonly [Entry, Entry, Entry]; // three were made
    const wrong: readonly (readonly Entry[])[] = [
      [first, { ...second, receivers: ["qa-1"] }, third],
      [first, { ...second, text: "another text" }, third],
      [first, third],
      [second, third],
      [{ ...first, team: team("beta") }, second, third],
    ];
    for (const entries of wrong) {
      const done = await journal.restore(alpha, entries);
      assert.equal(done.ok ? "" : done.error.code, "wrong-value");
      assert.deepEqual(must(await journal.read(alpha)).entries, []);
    }
    mustRecord(await journal.commit(alpha, attempt({ id: "own" })));
    assert.equal((await journal.restore(alpha, recorded)).ok, false);
    // The control: what continues the stream is taken.
    const held = must(await journal.read(alpha)).entries;
    must(await journal.restore(alpha, [...held, ...(await continued(held))]));
    assert.equal(must(await journal.state(alpha)).head.seq, 2);
  });
  withJournal("takes nothing when an entry cannot be folded", async (journal) => {
    const [recorded] = await streamOf(2);
    const poisoned = await continued(recorded, { poison: true });
    await assert.rejects(journal.restore(alpha, [...recorded, ...poisoned]), /poisoned/);
    assert.deepEqual(must(await journal.read(alpha)).entries, []);
    assert.equal(must(await journal.restore(alpha, recorded)).seq, 2);
  });
  if (bench.abilities.persistent)
    withJournal("holds restored entries verbatim", async (journal) => {
      const [recorded] = await streamOf(3);
      must(await journal.restore(alpha, recorded));
      assert.deepEqual(JSON.stringify(must(await journal.read(alpha)).entries), JSON.stringify(recorded));
    });
}

/** Entries that another journal recorded, and the state it folded from them. */
async function streamOf(count: number): Promise<readonly [readonly Entry[], Tally]> {
  await using journal = openMemoryJournal(tally);
  for (let number = 1; number <= count; number += 1) {
    mustRecord(await journal.commit(alpha, attempt({ id: `m-${number}`, text: `text ${number}\nand more` })));
  }
  return [must(await journal.read(alpha)).entries, must(await journal.state(alpha)).state];
}

/** One entry that continues these, as a journal would write it that can fold anything. */
async function continued(entries: readonly Entry[], content: Entry["content"] = "more"): Promise<readonly Entry[]> {
  const lenient = { ...tally, evolve: (state: Tally): Tally => state };
  await using journal: Journal<Tally> = openMemoryJournal(lenient);
  must(await journal.restore(alpha, entries));
  return [mustRecord(await journal.commit(alpha, attempt({ content })))];
}
