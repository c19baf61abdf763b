/**
 * The conformance suite of journals: what the contract promises of every engine. An engine is skipped only for an
 * ability that it does not declare, never by its name. Runs under `node:test`.
 * Source: docs/protocol/record.md.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { anchorPath, readAnchors } from "../../src/journal/anchor-file.ts";
import { copyJournal, openJournal } from "../../src/journal/engines.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { failureTests, idempotencyTests, orderTests, twoIdTests } from "./journal-commits.ts";
import { deadlineTests } from "./journal-deadlines.ts";
import { foldDroppingTests } from "./journal-folds.ts";
import { followTests, readingTests, restoreTests, searchingTests } from "./journal-reading.ts";
import {
  attempt,
  type JournalBench,
  journalModelTest,
  must,
  mustRecord,
  type Tally,
  take,
  tally,
  team,
  type WithJournal,
} from "./journal-subject.ts";

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
    searchingTests(withJournal);
    presenceTests(withJournal);
    deadlineTests(bench);
    foldDroppingTests(bench);
    followTests(withJournal);
    healthTests(bench, withJournal);
    copyTests(withJournal);
    persistenceTests(bench);
    journalModelTest(bench);
  });
}

function copyTests(withJournal: WithJournal): void {
  withJournal(
    "has a copy in one file that holds everything and is anchored, and overwrites nothing",
    async (journal) => {
      const folder = mkdtempSync(join(tmpdir(), "baton-copy-"));
      try {
        for (const id of ["m-1", "m-2", "m-3"]) mustRecord(await journal.commit(alpha, attempt({ id })));
        mustRecord(await journal.commit(beta, attempt({ id: "m-1" })));
        must(await journal.mark(alpha, "lead-1", { offered: 3, seen: 2 }));
        must(await journal.heartbeat(alpha, "dev-1", () => 1_000));
        must(await journal.note(alpha, "dev-1", () => "noted"));
        const file = join(folder, "copy.db");
        must(await copyJournal(journal, file));
        assert.deepEqual(readdirSync(folder).toSorted(), ["copy.db", "copy.db.head"]);
        const again = await copyJournal(journal, file);
        assert.equal(!again.ok && again.error.code, "already-exists");
        const anchors = must(readAnchors(anchorPath(file)));
        await using copy = must(await openJournal(file, tally, { create: false }));
        for (const team of [alpha, beta]) {
          assert.deepEqual(must(await copy.read(team)).entries, must(await journal.read(team)).entries);
          assert.deepEqual(must(await copy.state(team)), must(await journal.state(team)));
          assert.deepEqual(anchors.get(team), must(await journal.state(team)).head);
        }
        assert.deepEqual(must(await copy.marks(alpha, "lead-1")), { offered: 3, seen: 2 });
        assert.deepEqual([...must(await copy.heartbeats(alpha))], [["dev-1", 1_000]]);
        assert.deepEqual([...must(await copy.notes(alpha))], [["dev-1", "noted"]]);
        assert.ok((await copy.verify()).ok);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
}

function healthTests(bench: JournalBench, withJournal: WithJournal): void {
  withJournal("verifies, and reports a receipt that it cannot confirm", async (journal) => {
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
  withJournal(
    "tells its sizes and heads, and whether a write would succeed, without recording anything",
    async (journal) => {
      for (const team of [beta, alpha]) mustRecord(await journal.commit(team, attempt()));
      must(await journal.probe());
      const stats = must(await journal.stats());
      assert.equal(stats.place, journal.place);
      const teams = await Promise.all([alpha, beta].map(async (team) => [team, must(await journal.state(team)).head]));
      assert.deepEqual(
        stats.teams.map(({ team, head }) => [team, head]),
        teams,
      );
      assert.deepEqual(
        stats.teams.map(({ entries }) => entries),
        [1, 1],
      );
      // Reports put these facts next to the sizes, in one JSON object.
      const taken = ["path", "place", "bytes", "teams", "search", "condition", "abilities"];
      for (const name of Object.keys(stats.engine)) assert.ok(!taken.includes(name), name);
    },
  );
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
  const { persistent, reach } = bench.abilities;
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
  it("shows two openers one stream", {
    skip: reach === "process" && "only one process may open it",
  }, async (context) => {
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

/** What is kept next to the entries: the last heartbeat of each agent, and marks. */
function presenceTests(withJournal: WithJournal): void {
  withJournal("keeps the last heartbeat of each agent", async (journal) => {
    must(await journal.heartbeat(alpha, "a", () => 5));
    assert.deepEqual(must(await journal.heartbeats(alpha)), new Map(), "a team without entries has nobody");
    mustRecord(await journal.commit(alpha, attempt()));
    must(await journal.heartbeat(alpha, "a", () => 7));
    must(await journal.heartbeat(alpha, "b", () => 9));
    must(await journal.heartbeat(alpha, "a", () => 6));
    assert.deepEqual(
      must(await journal.heartbeats(alpha)),
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
    const kept = await Promise.all([journal.heartbeat(alpha, "a", at), journal.heartbeat(alpha, "a", at)]);
    for (const each of kept) must(each);
    assert.deepEqual(must(await journal.heartbeats(alpha)), new Map([["a", 2]]));
    assert.equal(now, 3, "each once");
  });

  withJournal("gives an attempt the last heartbeat at its place in the order", async (journal) => {
    const told: unknown[] = [];
    const look = () => {
      const { once, decide } = attempt();
      return journal.commit(alpha, {
        once,
        decide: (state, moment) => {
          told.push(moment.heartbeat("a"));
          return decide(state, moment);
        },
      });
    };
    mustRecord(await look());
    must(await journal.heartbeat(alpha, "a", () => 5));
    must(await journal.heartbeat(alpha, "b", () => 9));
    mustRecord(await look());
    // Asked for at the same time, in this order: the attempt comes after the sign.
    const [signed, looked] = await Promise.all([journal.heartbeat(alpha, "a", () => 7), look()]);
    must(signed);
    mustRecord(looked);
    assert.deepEqual(told, [null, 5, 7]);
  });

  withJournal("keeps what is noted about each agent, changed in order", async (journal) => {
    const add = (text: string) => (before: string | null) => `${before ?? ""}${text}`;
    must(await journal.note(alpha, "a", add("lost")));
    assert.deepEqual(must(await journal.notes(alpha)), new Map(), "a team without entries has nobody");
    mustRecord(await journal.commit(alpha, attempt()));
    const both = await Promise.all([journal.note(alpha, "a", add("1")), journal.note(alpha, "a", add("2"))]);
    for (const each of both) must(each);
    must(await journal.note(alpha, "b", () => null));
    assert.deepEqual(must(await journal.notes(alpha)), new Map([["a", "12"]]));
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
