/**
 * The journal suite on reading: pages, receivers, ids, strings verbatim, and following what comes; and on entries that
 * come from another journal: the same stream again, or none of it.
 * Source: docs/protocol/record.md.
 */

import assert from "node:assert/strict";
import { ok } from "../../src/base/result.ts";
import type { Entry, EntryDraft } from "../../src/journal/entry.ts";
import type { Journal, SearchOptions } from "../../src/journal/journal.ts";
import { openMemoryJournal } from "../../src/journal/memory.ts";
import {
  attempt,
  type JournalBench,
  must,
  mustRecord,
  type Tally,
  take,
  tally,
  team,
  type WithJournal,
} from "./journal-subject.ts";

const alpha = team("alpha");
const beta = team("beta");

/** Registers the tests. */
export function readingTests(withJournal: WithJournal): void {
  withJournal("reads pages in order and says where the next begins", async (journal) => {
    for (let index = 0; index < 5; index += 1) mustRecord(await journal.commit(alpha, attempt({ content: index })));
    const first = must(await journal.read(alpha, { limit: 2 }));
    const rest = must(await journal.read(alpha, { after: first.next ?? 0, limit: 3 }));
    assert.deepEqual(
      first.entries.map(({ content }) => content),
      [0, 1],
    );
    assert.deepEqual([first.next, rest.next], [2, null]);
    assert.deepEqual(
      rest.entries.map(({ seq }) => seq),
      [3, 4, 5],
    );
    assert.deepEqual(must(await journal.read(beta)), { entries: [], next: null });
  });
  withJournal("reads what is addressed to one agent", async (journal) => {
    const receivers = [["a"], ["b"], ["a", "b"], [], ["constructor"], ["a"]];
    for (const names of receivers) mustRecord(await journal.commit(alpha, attempt({ receivers: names })));
    const page = must(await journal.read(alpha, { receiver: "a", limit: 2 }));
    assert.deepEqual(
      page.entries.map(({ seq }) => seq),
      [1, 3],
    );
    assert.equal(page.next, 3);
    assert.deepEqual(
      must(await journal.read(alpha, { receiver: "a", after: 3 })).entries.map(({ seq }) => seq),
      [6],
    );
    assert.deepEqual(
      must(await journal.read(alpha, { receiver: "constructor" })).entries.map(({ seq }) => seq),
      [5],
    );
    assert.deepEqual(must(await journal.read(alpha, { receiver: "nobody" })), { entries: [], next: null });
  });
  withJournal("finds the entries of an id, by any principal, the latest first, but no refusal", async (journal) => {
    const first = mustRecord(await journal.commit(alpha, attempt({ id: "m-1" })));
    const latest = mustRecord(await journal.commit(alpha, attempt({ id: "m-1", agent: "a b" })));
    mustRecord(await journal.commit(alpha, attempt({ id: "m-1", kind: "refusal", agent: "dev-3" })));
    mustRecord(await journal.commit(alpha, attempt({ id: "m-10" })));
    assert.deepEqual(must(await journal.find(alpha, "m-1")), [latest, first]);
    for (const id of ["m", "m-1 a", "m-2", ""]) assert.deepEqual(must(await journal.find(alpha, id)), []);
    assert.deepEqual(must(await journal.find(beta, "m-1")), []);
  });
  withJournal("gives entries back as they were committed", async (journal) => {
    const content = { text: "ü \u0000 \u2028 𝄞", list: [1, -0.5, null, true], __proto__x: { deep: [] } };
    const entry = mustRecord(await journal.commit(alpha, attempt({ id: "m-1", content })));
    assert.deepEqual(must(await journal.read(alpha)).entries, [entry]);
    assert.deepEqual(entry.content, content);
  });
  withJournal("keeps the text next to the content verbatim", async (journal) => {
    for (const [index, text] of ["", "\n", '{"a": "ü\\n𝄞"}\r\n\n', "\u2028 {\n}", "words"].entries()) {
      const entry = mustRecord(await journal.commit(alpha, attempt({ id: `m-${index}`, text })));
      assert.equal(entry.text, text);
      assert.deepEqual(must(await journal.read(alpha, { after: entry.seq - 1 })).entries, [entry]);
    }
    assert.ok((await journal.verify()).ok);
    for (const text of ["half \ud800", "nul \0"])
      await assert.rejects(journal.commit(alpha, attempt({ id: "m-9", text })), { name: "InvariantError" });
  });
}

/** Registers the tests. */
export function followTests(withJournal: WithJournal): void {
  withJournal("follows what is there and what comes, each once, in order", async (journal) => {
    for (let index = 0; index < 3; index += 1) mustRecord(await journal.commit(alpha, attempt()));
    const followed = take(journal.follow(alpha, { after: 1, signal: new AbortController().signal }), 2 + 1_200);
    const attempts = Array.from({ length: 1_200 }, () => journal.commit(alpha, attempt()));
    for (const done of await Promise.all(attempts)) mustRecord(done);
    assert.deepEqual(
      (await followed).map(({ seq }) => seq),
      Array.from({ length: 1_202 }, (_, index) => index + 2),
    );
  });
  withJournal("stops following when asked to, and when the journal closes", async (journal) => {
    mustRecord(await journal.commit(alpha, attempt()));
    const stop = new AbortController();
    const stopped = take(journal.follow(alpha, { after: 0, signal: stop.signal }), 2);
    const closed = take(journal.follow(alpha, { after: 0, signal: new AbortController().signal }), 2);
    mustRecord(await journal.commit(beta, attempt()));
    stop.abort();
    assert.ok((await stopped).length <= 1);
    await journal.close();
    assert.ok((await closed).length <= 1);
  });
}

/* The journal suite on searching: the same is found with an index and without. */

/** Registers the tests. */
export function searchingTests(withJournal: WithJournal): void {
  withJournal("searches in any case, step by step, in both directions", async (journal) => {
    for (let index = 0; index < 300; index += 1) {
      const content = index % 97 === 5 ? `Große ÄPFEL, ΟΔΟΣ "${index}" 𝄞 \u0000 %_` : `nothing ${index}`;
      mustRecord(await journal.commit(alpha, attempt({ content })));
      // Some of them are found by the index, where there is one, and the others by reading.
      if (index === 180) must((await journal.searchIndex?.catchUp(new AbortController().signal)) ?? ok(0));
    }
    const all = must(await journal.read(alpha)).entries;
    const found = async (text: string, range: Omit<SearchOptions, "text"> = {}) => {
      const seqs: number[] = [];
      let { after = 0, before } = range;
      for (;;) {
        const bound = before === undefined ? {} : { before };
        const step = must(await journal.search(alpha, { ...range, text, after, ...bound }));
        seqs.push(...step.entries.map(({ seq }) => seq));
        if (step.next === null) return seqs;
        if (range.newestFirst === true) before = step.next;
        else after = step.next;
      }
    };
    for (const text of [
      "große äpfel",
      "GROSSE",
      "οδος",
      "Σ",
      '5\\"',
      "𝄞",
      "𝄞 \\U0000",
      "%_",
      "nothing 29",
      "th",
      "zzzz",
      "",
      "\ud834",
    ]) {
      const expected = all.filter(({ content }) => JSON.stringify(content).toLowerCase().includes(text.toLowerCase()));
      const seqs = expected.map(({ seq }) => seq);
      assert.deepEqual(await found(text), seqs, text);
      assert.deepEqual(await found(text, { newestFirst: true }), seqs.toReversed(), text);
      const inside = seqs.filter((seq) => seq > 100 && seq < 201);
      assert.deepEqual(await found(text, { after: 100, before: 201 }), inside, text);
      assert.deepEqual(await found(text, { after: 100, before: 201, newestFirst: true }), inside.toReversed(), text);
    }
    assert.deepEqual(must(await journal.search(beta, { text: "a" })), { entries: [], next: null, examined: 0 });
  });
}

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
  withJournal("takes a stream that an older version began behind an archive", async (journal) => {
    const stream = await archived();
    must(await journal.restore(alpha, stream));
    assert.deepEqual((await journal.verify()).problems, []);
    assert.equal(must(await journal.state(alpha)).state.count, 3);
    assert.deepEqual(must(await journal.read(alpha)).entries, stream);
    assert.equal(mustRecord(await journal.commit(alpha, attempt({ id: "m-7" }))).seq, 7);
    assert.deepEqual(must(await journal.find(alpha, "m-7"))[0]?.seq, 7);
  });
  withJournal("finds a stream whose first entries are gone without an entry that gave them up", async (journal) => {
    const [start, next, dropped] = await archived();
    const refused = await journal.restore(alpha, [next, dropped]);
    assert.equal(
      refused.ok ? "" : refused.error.code,
      "wrong-value",
      "only an entry that names an archive can be first",
    );
    must(await journal.restore(alpha, [start, next]));
    const { problems } = await journal.verify();
    assert.deepEqual(
      problems.map(({ code, path }) => [code, path]),
      [["journal-corrupt", "alpha/4"]],
    );
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

/** What an older version kept of a stream: entry 4 names an archive of the ones before; entry 6 says that they are gone. */
async function archived(): Promise<readonly [Entry, Entry, Entry]> {
  await using journal: Journal<Tally> = openMemoryJournal(tally);
  const [entries] = await streamOf(3);
  must(await journal.restore(alpha, entries));
  const { head } = must(await journal.state(alpha));
  const noticeOf = (name: string) => ({
    once: null,
    decide: (): EntryDraft => ({
      kind: "command",
      principal: { agent: "owner", role: "owner", via: "launcher" },
      id: null,
      digest: null,
      receivers: [],
      content: { command: { name, file: "alpha.db", digest: "d".repeat(64), head: { ...head } } },
    }),
  });
  return [
    mustRecord(await journal.commit(alpha, noticeOf("archive-team"))),
    mustRecord(await journal.commit(alpha, attempt({ id: "m-5" }))),
    mustRecord(await journal.commit(alpha, noticeOf("drop-archived"))),
  ];
}

/** One entry that continues these, as a journal would write it that can fold anything. */
async function continued(entries: readonly Entry[], content: Entry["content"] = "more"): Promise<readonly Entry[]> {
  const lenient = { ...tally, evolve: (state: Tally): Tally => state };
  await using journal: Journal<Tally> = openMemoryJournal(lenient);
  must(await journal.restore(alpha, entries));
  return [mustRecord(await journal.commit(alpha, attempt({ content })))];
}
