/**
 * The journal suite on committing: the order of entries, ids and duplicates, and commits that fail.
 * Source: docs/protocol/record.md.
 */
import assert from "node:assert/strict";
import { emptyHead } from "../../src/journal/chain.ts";
import { type AttemptParts, attempt, must, mustRecord, type Tally, team, type WithJournal } from "./journal-subject.ts";

const alpha = team("alpha");
const beta = team("beta");

/** Registers the tests. */
export function orderTests(withJournal: WithJournal): void {
  withJournal("numbers entries 1, 2, 3 and links each to the one before", async (journal) => {
    const first = mustRecord(await journal.commit(alpha, attempt({ id: "m-1" })));
    const second = must(await journal.commit(alpha, attempt({ id: "m-2" })));
    assert.equal(first.seq, 1);
    assert.equal(first.prevHash, emptyHead.hash);
    assert.ok(second.outcome === "recorded");
    const { durability } = journal.abilities;
    const { team: of, seq, id, digest, hash, prevHash, epoch } = second.entry;
    assert.deepEqual(second.receipt, {
      team: of,
      seq,
      id,
      digest,
      hash,
      prevHash,
      epoch,
      durability,
      duplicate: false,
    });
    assert.deepEqual([seq, prevHash, epoch], [2, first.hash, 1]);
  });
  withJournal("numbers each team for itself and lists the teams that have entries", async (journal) => {
    assert.deepEqual(must(await journal.teams()), []);
    mustRecord(await journal.commit(beta, attempt()));
    assert.equal(mustRecord(await journal.commit(alpha, attempt())).seq, 1);
    assert.deepEqual(must(await journal.teams()), [alpha, beta]);
  });
  withJournal("decides attempts of one moment each on the state its predecessors left", async (journal) => {
    const counts: number[] = [];
    const seqs: number[] = [];
    const asked = (state: Tally, seq: number) => {
      counts.push(state.count);
      seqs.push(seq);
    };
    const done = await Promise.all(
      Array.from({ length: 600 }, (_, index) => journal.commit(alpha, attempt({ id: `m-${index}`, asked }))),
    );
    assert.deepEqual(
      done.map((result) => mustRecord(result).seq).toSorted((a, b) => a - b),
      done.map((_, index) => index + 1),
    );
    assert.deepEqual(
      counts,
      done.map((_, index) => index),
    );
    assert.deepEqual(
      seqs,
      done.map((_, index) => index + 1),
    );
  });
}

/** Registers the tests. */
export function idempotencyTests(withJournal: WithJournal): void {
  withJournal("returns the first receipt for the same id and digest without asking again", async (journal) => {
    const first = must(await journal.commit(alpha, attempt({ id: "m-1" })));
    mustRecord(await journal.commit(alpha, attempt({ id: "m-2" })));
    const asked = () => assert.fail("decide was asked for a duplicate");
    const again = must(await journal.commit(alpha, attempt({ id: "m-1", asked })));
    assert.ok(first.outcome === "recorded");
    assert.deepEqual(again, { outcome: "duplicate", receipt: { ...first.receipt, duplicate: true } });
    assert.equal(must(await journal.state(alpha)).head.seq, 2);
  });
  withJournal("finds duplicates within one moment", async (journal) => {
    const done = await Promise.all([1, 2, 3].map(() => journal.commit(alpha, attempt({ id: "m-1" }))));
    assert.deepEqual(
      done.map((result) => must(result).outcome),
      ["recorded", "duplicate", "duplicate"],
    );
  });
  withJournal("shows decide the earlier entry for the same id with another digest", async (journal) => {
    mustRecord(await journal.commit(alpha, attempt({ id: "m-1" })));
    let earlier: number | null = null;
    const asked = (_: Tally, __: number, seq: number | null) => {
      earlier = seq;
    };
    const refusal = mustRecord(await journal.commit(alpha, attempt({ id: "m-1", content: "other", asked })));
    assert.equal(earlier, 1);
    assert.equal(refusal.kind, "refusal");
    assert.equal(must(await journal.commit(alpha, attempt({ id: "m-1" }))).outcome, "duplicate");
  });
  withJournal("keeps ids apart by principal and by team", async (journal) => {
    const attempts = [
      journal.commit(alpha, attempt({ id: "m-1" })),
      journal.commit(alpha, attempt({ id: "m-1", agent: "dev-2" })),
      journal.commit(beta, attempt({ id: "m-1" })),
    ];
    for (const done of await Promise.all(attempts)) mustRecord(done);
  });
  withJournal("lets a refusal not take the id", async (journal) => {
    mustRecord(await journal.commit(alpha, attempt({ id: "m-1", kind: "refusal" })));
    mustRecord(await journal.commit(alpha, attempt({ id: "m-1", kind: "refusal" })));
    assert.equal(mustRecord(await journal.commit(alpha, attempt({ id: "m-1" }))).seq, 3);
  });
}

/** Registers the tests. */
export function failureTests(withJournal: WithJournal): void {
  withJournal("records nothing when decide declines", async (journal) => {
    const declined = must(await journal.commit(alpha, { once: null, decide: () => ({ decline: [] }) }));
    assert.deepEqual(declined, { outcome: "declined", problems: [] });
    assert.deepEqual(must(await journal.teams()), []);
    assert.equal(must(await journal.state(alpha)).head.seq, 0);
  });
  withJournal("rejects only the commit whose decide throws", async (journal) => {
    const fail = () => {
      throw new Error("a bug in decide");
    };
    const [before, failed, after] = await Promise.allSettled([
      journal.commit(alpha, attempt({ id: "m-1" })),
      journal.commit(alpha, { once: null, decide: fail }),
      journal.commit(alpha, attempt({ id: "m-2" })),
    ]);
    assert.equal(before.status === "fulfilled" && mustRecord(before.value).seq, 1);
    assert.match(String(failed.status === "rejected" && failed.reason), /a bug in decide/);
    assert.equal(after.status === "fulfilled" && mustRecord(after.value).seq, 2);
  });
  withJournal("rejects only the commit that evolve throws on, and keeps the state whole", async (journal) => {
    const [before, failed, after] = await Promise.allSettled([
      journal.commit(alpha, attempt({ id: "m-1" })),
      journal.commit(alpha, attempt({ id: "m-2", content: { poison: true } })),
      journal.commit(alpha, attempt({ id: "m-3" })),
    ]);
    assert.equal(before.status === "fulfilled" && mustRecord(before.value).seq, 1);
    assert.match(String(failed.status === "rejected" && failed.reason), /poisoned/);
    assert.equal(after.status === "fulfilled" && mustRecord(after.value).seq, 2);
    assert.equal(must(await journal.state(alpha)).state.count, 2);
    assert.ok((await journal.verify()).ok);
  });
  withJournal("refuses drafts that may not be: an epoch, an id that is recorded", async (journal) => {
    await assert.rejects(journal.commit(alpha, attempt({ kind: "epoch" })), { name: "InvariantError" });
    mustRecord(await journal.commit(alpha, attempt({ id: "m-1" })));
    const blind = { ...attempt({ id: "m-1" }), once: null };
    await assert.rejects(journal.commit(alpha, blind), { name: "InvariantError" });
  });
}

/*
 * The journal suite on acts that bear two ids, because only the state tells which of them their entry will have.
 * Source: docs/protocol/record.md, section 4.
 */

/** Registers the tests. */
export function twoIdTests(withJournal: WithJournal): void {
  withJournal("finds an operation under either of its two ids, whichever its entry took", async (journal) => {
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
  withJournal(
    "finds an operation under its other id where something else has taken the first meanwhile",
    async (journal) => {
      const parts: AttemptParts = { id: "m-1", or: { id: "p-1", isUsed: true } };
      mustRecord(await journal.commit(alpha, attempt(parts)));
      mustRecord(await journal.commit(alpha, attempt({ id: "m-1", content: "other" })));
      const again = must(await journal.commit(alpha, attempt(parts)));
      assert.deepEqual([again.outcome, again.outcome === "duplicate" && again.receipt.seq], ["duplicate", 1]);
    },
  );
  withJournal("finds an operation under its other id within one moment", async (journal) => {
    const parts: AttemptParts = { id: "m-1", or: { id: "p-1", isUsed: true } };
    const done = await Promise.all([1, 2, 3].map(() => journal.commit(alpha, attempt(parts))));
    assert.deepEqual(
      done.map((result) => must(result).outcome),
      ["recorded", "duplicate", "duplicate"],
    );
  });
  withJournal("shows decide what is under the other id with another digest", async (journal) => {
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
