/**
 * The journal suite on what is kept next to the entries: the last heartbeat of each agent, and marks. Source:
 * docs/protocol/journal.md.
 */
import assert from "node:assert/strict";
import { attempt, must, mustRecord, team, type WithJournal } from "./journal-subject.ts";

const alpha = team("alpha");

/** Registers the tests. */
export function presenceTests(withJournal: WithJournal): void {
  withJournal("keeps the last heartbeat of each agent", async (journal) => {
    must(await journal.signOfLife(alpha, "a", () => 5));
    assert.deepEqual(must(await journal.signsOfLife(alpha)), new Map(), "a team without entries has nobody");
    mustRecord(await journal.commit(alpha, attempt()));
    must(await journal.signOfLife(alpha, "a", () => 7));
    must(await journal.signOfLife(alpha, "b", () => 9));
    must(await journal.signOfLife(alpha, "a", () => 6));
    assert.deepEqual(
      must(await journal.signsOfLife(alpha)),
      new Map([
        ["a", 6],
        ["b", 9],
      ]),
    );
  });

  withJournal("asks for the time of a heartbeat where it is written", async (journal) => {
    mustRecord(await journal.commit(alpha, attempt()));
    let now = 1;
    const at = () => now++;
    const kept = await Promise.all([journal.signOfLife(alpha, "a", at), journal.signOfLife(alpha, "a", at)]);
    for (const each of kept) must(each);
    assert.deepEqual(must(await journal.signsOfLife(alpha)), new Map([["a", 2]]));
    assert.equal(now, 3, "each once");
  });

  withJournal("gives an attempt the last heartbeat at its place in the order", async (journal) => {
    const told: unknown[] = [];
    const look = () => {
      const { once, decide } = attempt();
      return journal.commit(alpha, {
        once,
        decide: (state, moment) => {
          told.push(moment.signOfLife("a"));
          return decide(state, moment);
        },
      });
    };
    mustRecord(await look());
    must(await journal.signOfLife(alpha, "a", () => 5));
    must(await journal.signOfLife(alpha, "b", () => 9));
    mustRecord(await look());
    // Asked for at the same time, in this order: the attempt comes after the sign.
    const [signed, looked] = await Promise.all([journal.signOfLife(alpha, "a", () => 7), look()]);
    must(signed);
    mustRecord(looked);
    assert.deepEqual(told, [null, 5, 7]);
  });

  withJournal("only raises marks", async (journal) => {
    mustRecord(await journal.commit(alpha, attempt()));
    assert.deepEqual(must(await journal.marks(alpha, "a")), { offered: 0, seen: 0 });
    must(await journal.mark(alpha, "a", { offered: 5 }));
    must(await journal.mark(alpha, "a", { offered: 3, seen: 2 }));
    assert.deepEqual(must(await journal.marks(alpha, "a")), { offered: 5, seen: 2 });
    assert.deepEqual(must(await journal.marks(alpha, "b")), { offered: 0, seen: 0 });
  });
}
