/** What tests of each engine in a server ask of a journal: what it holds, and that its index finds what reading finds. */
import assert from "node:assert/strict";
import type { Entry } from "../../src/journal/entry.ts";
import type { Found, Journal } from "../../src/journal/journal.ts";
import { must, type Tally, team } from "../journal/journal-subject.ts";

export const alpha = team("alpha");

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

/** Searches in the journal `other`, and compares what it finds with what is read from `one`. */
export function searching(one: Journal<Tally>, other: Journal<Tally>) {
  /** What a search finds, and how many entries it looked at. */
  const search = async (text: string, newestFirst: boolean) => {
    const seqs: number[] = [];
    let examined = 0;
    for (let at: number | null = null; ; ) {
      const from: { readonly before?: number; readonly after?: number } =
        at === null ? {} : newestFirst ? { before: at } : { after: at };
      const step: Found = must(await other.search(alpha, { text, newestFirst, ...from }));
      seqs.push(...step.entries.map(({ seq }) => seq));
      examined += step.examined;
      if (step.next === null) return { seqs, examined };
      at = step.next;
    }
  };
  const agrees = async () => {
    const { entries } = must(await one.read(alpha, { limit: 1_000 }));
    for (const text of ["ALPHA", "beta alpha", "δέλ", "x%_y", "gamma delta 2", "nowhere", "et"]) {
      const lower = text.toLowerCase();
      const seqs = entries
        .filter(({ content }) => JSON.stringify(content).toLowerCase().includes(lower))
        .map(({ seq }) => seq);
      assert.deepEqual((await search(text, false)).seqs, seqs, text);
      assert.deepEqual((await search(text, true)).seqs, seqs.toReversed(), text);
    }
  };
  return { search, agrees };
}
