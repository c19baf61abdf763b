/**
 * The conformance suite of journals: what the contract promises of every engine. An engine is skipped only for an
 * ability that it does not declare, never by its name. Runs under `node:test`.
 * Source: guarantees.md section 1.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { emptyHead } from "../journal/chain.ts";
import type { Journal } from "../journal/journal.ts";
import { journalModelTest } from "./journal-model.ts";
import { restoreTests } from "./journal-restore.ts";
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
import { twoIdTests } from "./journal-two-ids.ts";

export type { JournalBench, JournalBenchPlace } from "./journal-subject.ts";

const alpha = team("alpha");
const beta = team("beta");

/** Registers the suite for one journal. */
export function journalSuite(bench: JournalBench): void {
  const withJournal = (name: string, act: (journal: Journal<Tally>) => Promise<void>) =>
    it(name, async (context) => {
      const place = await bench.place();
      context.after(() => place.remove());
      const journal = await place.open(tally);
      try {
        await act(journal);
      } finally {
        await journal.close();
      }
    });
  describe(`${bench.name} journal`, () => {
    orderTests(withJournal);
    idempotencyTests(withJournal);
    twoIdTests(withJournal);
    restoreTests(bench, withJournal);
    failureTests(withJournal);
    readingTests(withJournal);
    standingTests(withJournal);
    followTests(withJournal);
    healthTests(bench, withJournal);
    persistenceTests(bench);
    journalModelTest(bench);
  });
}

function orderTests(withJournal: WithJournal): void {
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

function idempotencyTests(withJournal: WithJournal): void {
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

function failureTests(withJournal: WithJournal): void {
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
  withJournal("refuses drafts that may not be: an epoch, an id that stands recorded", async (journal) => {
    await assert.rejects(journal.commit(alpha, attempt({ kind: "epoch" })), { name: "InvariantError" });
    mustRecord(await journal.commit(alpha, attempt({ id: "m-1" })));
    const blind = { ...attempt({ id: "m-1" }), once: null };
    await assert.rejects(journal.commit(alpha, blind), { name: "InvariantError" });
  });
}

function readingTests(withJournal: WithJournal): void {
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
  withJournal("finds the latest entry of an id, whoever used it, but no refusal", async (journal) => {
    mustRecord(await journal.commit(alpha, attempt({ id: "m-1" })));
    const latest = mustRecord(await journal.commit(alpha, attempt({ id: "m-1", agent: "a b" })));
    mustRecord(await journal.commit(alpha, attempt({ id: "m-1", kind: "refusal", agent: "dev-3" })));
    mustRecord(await journal.commit(alpha, attempt({ id: "m-10" })));
    assert.deepEqual(must(await journal.find(alpha, "m-1")), latest);
    for (const id of ["m", "m-1 a", "m-2", ""]) assert.equal(must(await journal.find(alpha, id)), null);
    assert.equal(must(await journal.find(beta, "m-1")), null);
  });
  withJournal("gives entries back as they were committed", async (journal) => {
    const content = { text: "ü \u0000 \u2028 𝄞", list: [1, -0.5, null, true], __proto__x: { deep: [] } };
    const entry = mustRecord(await journal.commit(alpha, attempt({ id: "m-1", content })));
    assert.deepEqual(must(await journal.read(alpha)).entries, [entry]);
    assert.deepEqual(entry.content, content);
  });
  withJournal("keeps a text beside the content to the letter", async (journal) => {
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

function standingTests(withJournal: WithJournal): void {
  withJournal("keeps the last sign of life of each agent", async (journal) => {
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

  withJournal("asks for the time of a sign of life where it is written", async (journal) => {
    mustRecord(await journal.commit(alpha, attempt()));
    let now = 1;
    const at = () => now++;
    const kept = await Promise.all([journal.signOfLife(alpha, "a", at), journal.signOfLife(alpha, "a", at)]);
    for (const each of kept) must(each);
    assert.deepEqual(must(await journal.signsOfLife(alpha)), new Map([["a", 2]]));
    assert.equal(now, 3, "each once");
  });

  withJournal("tells an attempt the last sign of life at its place in the order", async (journal) => {
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

function followTests(withJournal: WithJournal): void {
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

function healthTests(bench: JournalBench, withJournal: WithJournal): void {
  withJournal("verifies, and reports a receipt that it cannot bear out", async (journal) => {
    const done = must(await journal.commit(alpha, attempt({ id: "m-1" })));
    assert.ok(done.outcome === "recorded");
    const good = await journal.verify({ presented: [done.receipt] });
    assert.deepEqual([good.ok, good.problems], [true, []]);
    assert.equal(good.teams[0]?.head.hash, done.receipt.hash);
    const forged = [
      { ...done.receipt, seq: 2 },
      { ...done.receipt, hash: "f".repeat(64) },
      { ...done.receipt, team: beta },
    ];
    for (const receipt of forged) assert.equal((await journal.verify({ presented: [receipt] })).ok, false);
    assert.deepEqual(journal.condition(), { condition: "ready" });
  });
  withJournal("refuses to accept a loss where nothing is lost", async (journal) => {
    mustRecord(await journal.commit(alpha, attempt()));
    const refused = await journal.acceptLoss(alpha, { agent: "owner", role: "owner", via: "launcher" }, "no reason");
    assert.equal(!refused.ok && refused.error.code, "wrong-usage");
  });
  it("answers with a problem once it is closed", async (context) => {
    const place = await bench.place();
    context.after(() => place.remove());
    const journal = await place.open(tally);
    await journal.close();
    await journal.close();
    const answers = [
      await journal.commit(alpha, attempt()),
      await journal.state(alpha),
      await journal.read(alpha),
      await journal.teams(),
    ];
    for (const answer of answers) assert.equal(!answer.ok && answer.error.code, "journal-failed");
  });
}

function persistenceTests(bench: JournalBench): void {
  const { persistent, shared } = bench.abilities;
  it("holds everything after it was closed and opened again", {
    skip: !persistent && "not persistent",
  }, async (context) => {
    const place = await bench.place();
    context.after(() => place.remove());
    const before = await place.open(tally);
    for (let index = 0; index < 30; index += 1) mustRecord(await before.commit(alpha, attempt({ id: `m-${index}` })));
    must(await before.mark(alpha, "lead-1", { offered: 7 }));
    const { entries } = must(await before.read(alpha));
    const digest = must(await before.state(alpha)).state.digest;
    await before.close();
    for (const version of ["tally-1", "tally-2"]) {
      const after = await place.open({ ...tally, version });
      assert.deepEqual(must(await after.read(alpha)).entries, entries);
      assert.equal(must(await after.state(alpha)).state.digest, digest);
      assert.equal(must(await after.read(alpha, { receiver: "lead-1" })).entries.length, 30);
      assert.deepEqual(must(await after.marks(alpha, "lead-1")), { offered: 7, seen: 0 });
      assert.equal(must(await after.commit(alpha, attempt({ id: "m-3" }))).outcome, "duplicate");
      assert.ok((await after.verify()).ok);
      await after.close();
    }
  });
  it("shows two openers one stream", { skip: !shared && "not shared" }, async (context) => {
    const place = await bench.place();
    context.after(() => place.remove());
    const [one, other] = await Promise.all([place.open(tally), place.open(tally)]);
    const followed = take(other.follow(alpha, { after: 0, signal: new AbortController().signal }), 40);
    const attempts = Array.from({ length: 20 }, (_, index) =>
      [one, other].map((journal) =>
        journal.commit(alpha, attempt({ id: `${index}`, agent: journal === one ? "dev-1" : "dev-2" })),
      ),
    );
    for (const done of await Promise.all(attempts.flat())) mustRecord(done);
    assert.deepEqual(
      (await followed).map(({ seq }) => seq),
      Array.from({ length: 40 }, (_, index) => index + 1),
    );
    assert.equal(must(await one.commit(alpha, attempt({ id: "3", agent: "dev-2" }))).outcome, "duplicate");
    assert.equal(must(await one.state(alpha)).state.digest, must(await other.state(alpha)).state.digest);
    await Promise.all([one.close(), other.close()]);
  });
}
