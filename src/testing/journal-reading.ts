/**
 * The journal suite on reading: pages, receivers, ids, strings verbatim, and following what comes. Source:
 * docs/protocol/journal.md.
 */
import assert from "node:assert/strict";
import type { SearchOptions } from "../journal/journal.ts";
import { attempt, must, mustRecord, take, team, type WithJournal } from "./journal-subject.ts";

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
