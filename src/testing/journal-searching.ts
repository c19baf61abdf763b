/** The journal suite on searching: the same is found with an index and without. */
import assert from "node:assert/strict";
import type { SearchOptions } from "../journal/journal.ts";
import { attempt, must, mustRecord, team, type WithJournal } from "./journal-subject.ts";

const alpha = team("alpha");
const beta = team("beta");

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
