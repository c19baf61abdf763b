/** What tests of each engine in a server ask of a journal: what it holds. */
import assert from "node:assert/strict";
import type { Entry } from "../../src/journal/entry.ts";
import type { Journal } from "../../src/journal/journal.ts";
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
