/**
 * The journal suite on acts that bear two ids, because only the state tells which of them their entry will have.
 * Source: docs/protocol/journal.md, section 4.
 */
import assert from "node:assert/strict";
import { type AttemptParts, attempt, must, mustRecord, type Tally, team, type WithJournal } from "./journal-subject.ts";

const alpha = team("alpha");

/** Registers the tests. */
export function twoIdTests(withJournal: WithJournal): void {
  withJournal("finds an act under either of its two ids, whichever its entry took", async (journal) => {
    const first = mustRecord(await journal.commit(alpha, attempt({ id: "m-1", or: { id: "p-1", isUsed: true } })));
    const second = mustRecord(await journal.commit(alpha, attempt({ id: "m-2", or: { id: "p-2", isUsed: false } })));
    assert.deepEqual([first.id, second.id], ["p-1", "m-2"]);
    const asked = () => assert.fail("decide was asked for a duplicate");
    const again = async (parts: AttemptParts) => {
      const done = must(await journal.commit(alpha, attempt({ ...parts, asked })));
      return [done.outcome, done.outcome === "duplicate" && done.receipt.seq];
    };
    for (const isUsed of [true, false]) {
      assert.deepEqual(await again({ id: "m-1", or: { id: "p-1", isUsed } }), ["duplicate", 1]);
      assert.deepEqual(await again({ id: "m-2", or: { id: "p-2", isUsed } }), ["duplicate", 2]);
    }
    assert.equal(must(await journal.state(alpha)).head.seq, 2);
    // The control: who does not name the other id asks for a new act.
    mustRecord(await journal.commit(alpha, attempt({ id: "m-1", or: { id: "p-3", isUsed: true } })));
  });
  withJournal("finds an act under its other id where something else has taken the first meanwhile", async (journal) => {
    const parts: AttemptParts = { id: "m-1", or: { id: "p-1", isUsed: true } };
    mustRecord(await journal.commit(alpha, attempt(parts)));
    mustRecord(await journal.commit(alpha, attempt({ id: "m-1", content: "other" })));
    const again = must(await journal.commit(alpha, attempt(parts)));
    assert.deepEqual([again.outcome, again.outcome === "duplicate" && again.receipt.seq], ["duplicate", 1]);
  });
  withJournal("finds an act under its other id within one moment", async (journal) => {
    const parts: AttemptParts = { id: "m-1", or: { id: "p-1", isUsed: true } };
    const done = await Promise.all([1, 2, 3].map(() => journal.commit(alpha, attempt(parts))));
    assert.deepEqual(
      done.map((result) => must(result).outcome),
      ["recorded", "duplicate", "duplicate"],
    );
  });
  withJournal("shows decide what stands under the other id with another digest", async (journal) => {
    mustRecord(await journal.commit(alpha, attempt({ id: "p-1", content: "other" })));
    const seen: (number | null)[] = [];
    const asked = (_: Tally, __: number, earlier: number | null, orEarlier: number | null) => {
      seen.push(earlier, orEarlier);
    };
    const refusal = mustRecord(
      await journal.commit(alpha, attempt({ id: "m-1", or: { id: "p-1", isUsed: true }, asked })),
    );
    assert.deepEqual(seen, [null, 1]);
    assert.equal(refusal.kind, "refusal");
    const blind = { ...attempt({ id: "p-1" }), once: attempt({ id: "m-3", or: { id: "p-1", isUsed: true } }).once };
    await assert.rejects(journal.commit(alpha, blind), { name: "InvariantError" });
  });
}
