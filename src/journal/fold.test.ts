import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { attempt, must, mustRecord, tally, team } from "../../tests/journal/journal-subject.ts";
import type { Entry } from "./entry.ts";
import { dropHeld, heldAbove, heldBy, holdersOf, holdId, noHeldIds } from "./fold.ts";
import { openMemoryJournal } from "./memory.ts";

const seed = 20_817;
const agents = ["dev-1", "dev-2", "qa-1"];
const ids = ["a", "b", "c", "d"];

/** Entries as a journal records them: every agent may hold every id once, the rest are refusals. */
async function record(asked: readonly { agent: string; id: string }[]): Promise<readonly Entry[]> {
  const journal = openMemoryJournal(tally);
  const done: Entry[] = [];
  for (const [index, { agent, id }] of asked.entries())
    done.push(mustRecord(await journal.commit(team("alpha"), attempt({ agent, id, content: { index } }))));
  const { entries } = must(await journal.read(team("alpha")));
  assert.equal(entries.length, done.length);
  return entries;
}

test(`finds what a search through all entries finds, above any boundary (seed ${seed})`, async () => {
  const asks = fc.array(fc.record({ agent: fc.constantFrom(...agents), id: fc.constantFrom(...ids) }), {
    maxLength: 20,
  });
  await fc.assert(
    fc.asyncProperty(asks, fc.nat(20), fc.nat(20), async (asked, started, dropped) => {
      const entries = await record(asked);
      const held = noHeldIds(started);
      for (const entry of entries) holdId(held, entry);
      dropHeld(held, dropped);
      const holders = entries.filter(({ kind, seq }) => kind !== "refusal" && seq > Math.max(started, dropped));
      assert.equal(held.above, Math.max(started, dropped));
      for (const id of ids) {
        const ofId = holders.filter((entry) => entry.id === id).map(({ seq }) => seq);
        // Holders below the boundary may still be known through the chain of a later one.
        const known = holdersOf(held, id).filter((seq) => seq > held.above);
        assert.deepEqual(known, ofId.toReversed());
        for (const agent of agents) {
          const holder = holders.find((entry) => entry.id === id && entry.principal.agent === agent);
          if (holder !== undefined) assert.equal(heldBy(held, agent, id), holder.seq);
        }
      }
      assert.deepEqual(
        heldAbove(held, held.above).toSorted((one, other) => one.seq - other.seq),
        holders.map(({ id, principal, seq }) => ({ id, agent: principal.agent, seq })),
      );
    }),
    { seed, numRuns: 200 },
  );
});
