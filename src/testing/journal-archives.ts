/**
 * What the conformance suite asks about archives: that a journal gives up what an archive has, is read and verified behind
 * it, and takes it back, in every process that has it open; and that a gap which no entry explains is found.
 * Source: docs/protocol/record.md, section 17.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Entry, Head, Page } from "../journal/entry.ts";
import type { Journal, StreamChange } from "../journal/journal.ts";
import { openMemoryJournal } from "../journal/memory.ts";
import { attempt, type JournalBench, must, mustRecord, type Tally, take, tally, team } from "./journal-subject.ts";

const alpha = team("alpha");
const beta = team("beta");
/** Entries of the team that is archived. */
const count = 1_100;

/** An attempt to record what is said about the archive that ends with `head`. */
function noticeOf(name: string, head: Head, change?: StreamChange): ReturnType<typeof attempt> {
  return {
    once: null,
    decide: () => ({
      kind: "command",
      principal: { agent: "owner", role: "owner", via: "launcher" },
      id: null,
      digest: null,
      receivers: [],
      content: { command: { name, file: "alpha.db", digest: "d".repeat(64), head: { ...head } } },
    }),
    ...(change === undefined ? {} : { change }),
  };
}

/** Restores entries that a journal in memory made, which is quicker than to record them one by one. */
async function filled(journal: Journal<Tally>): Promise<readonly Entry[]> {
  const model = openMemoryJournal(tally);
  for (let index = 1; index <= count; index += 1)
    mustRecord(await model.commit(alpha, attempt({ id: `m-${index}`, receivers: index % 100 === 0 ? ["qa-1"] : [] })));
  const entries: Entry[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: Page = must(await model.read(alpha, { after }));
    must(await journal.restore(alpha, page.entries));
    entries.push(...page.entries);
    after = page.next;
  }
  return entries;
}

async function seqsOf(journal: Journal<Tally>, receiver?: string): Promise<readonly number[]> {
  const seqs: number[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: Page = must(await journal.read(alpha, { after, ...(receiver === undefined ? {} : { receiver }) }));
    seqs.push(...page.entries.map(({ seq }) => seq));
    after = page.next;
  }
  return seqs;
}

/** Registers the tests. */
export function archiveTests(bench: JournalBench): void {
  const skip = bench.abilities.givesUp ? false : "it gives up no entries";
  describe("archives", () => {
    it("gives up archived entries and takes them back, for everyone who has it open", { skip }, async (context) => {
      const place = await bench.place();
      context.after(() => place.remove());
      await using journal = await place.open(tally);
      // The other one has folded everything, in the same process where no other can.
      await using other = bench.abilities.reach === "process" ? null : await place.open(tally);
      const all: readonly Journal<Tally>[] = other === null ? [journal] : [journal, other];
      const entries = await filled(journal);
      mustRecord(await journal.commit(beta, attempt({ id: "b-1" })));
      const { head } = must(await journal.state(alpha));
      for (const each of all) assert.equal(must(await each.find(alpha, "m-7"))[0]?.seq, 7);
      const start = mustRecord(await journal.commit(alpha, noticeOf("archive-team", head)));
      for (const each of all.slice(1)) must(await each.state(alpha));
      mustRecord(await journal.commit(alpha, noticeOf("drop-archived", head, { giveUpBefore: start.seq })));
      for (const each of all) await checkGivenUp(each);
      const receipt = { ...entries[4], durability: "fsync", duplicate: false } as const;
      const asked = await journal.verify({ presented: [receipt as never] });
      assert.deepEqual(
        asked.problems.map(({ code, path }) => [code, path]),
        [["team-archived", "receipt alpha/5"]],
      );
      // Other entries, fewer of them, and changed ones are not taken back, and nothing is recorded with them.
      for (const wrong of [entries.slice(1), entries.slice(0, -1), changed(entries, 9)]) {
        const refused = await journal.commit(alpha, noticeOf("restore-team", head, { putBack: wrong, start }));
        assert.ok(!refused.ok && refused.error.code === "wrong-value", JSON.stringify(refused));
      }
      const signal = AbortSignal.timeout(60_000);
      const followed = take((other ?? journal).follow(alpha, { after: count + 2, signal }), 1);
      mustRecord(await journal.commit(alpha, noticeOf("restore-team", head, { putBack: entries, start })));
      assert.equal((await followed)[0]?.seq, count + 3);
      for (const each of all) await checkPutBack(each);
    });

    it("finds a stream whose first entries are gone without an entry that gave them up", async (context) => {
      const place = await bench.place();
      context.after(() => place.remove());
      const model = openMemoryJournal(tally);
      for (const id of ["m-1", "m-2", "m-3"]) mustRecord(await model.commit(alpha, attempt({ id })));
      const { head } = must(await model.state(alpha));
      const start = mustRecord(await model.commit(alpha, noticeOf("archive-team", head)));
      const next = mustRecord(await model.commit(alpha, attempt({ id: "m-5" })));
      const dropped = mustRecord(await model.commit(alpha, noticeOf("drop-archived", head)));
      await using journal = await place.open(tally);
      const refused = await journal.restore(alpha, [next, dropped]);
      assert.ok(
        !refused.ok && refused.error.code === "wrong-value",
        "only an entry that names an archive can be first",
      );
      must(await journal.restore(alpha, [start, next]));
      const report = await journal.verify();
      assert.deepEqual(
        report.problems.map(({ code, path }) => [code, path]),
        [["journal-corrupt", `alpha/${start.seq}`]],
      );
      // With the entry that gave them up the same stream is sound, also where it was brought from another journal.
      const another = await bench.place();
      context.after(() => another.remove());
      await using copy = await another.open(tally);
      must(await copy.restore(alpha, [start, next, dropped]));
      assert.deepEqual((await copy.verify()).problems, []);
      assert.equal(must(await copy.state(alpha)).state.count, 3);
      assert.deepEqual(await seqsOf(copy), [4, 5, 6]);
      assert.equal(mustRecord(await copy.commit(alpha, attempt({ id: "m-7" }))).seq, 7);
    });
  });
}

/** The journal begins with the entry that names the archive. */
async function checkGivenUp(journal: Journal<Tally>): Promise<void> {
  assert.equal(must(await journal.state(alpha)).state.count, 2, "folded from the entry that names the archive");
  assert.deepEqual(await seqsOf(journal), [count + 1, count + 2]);
  assert.deepEqual(must(await journal.find(alpha, "m-7")), []);
  assert.deepEqual(must(await journal.search(alpha, { text: "hello" })).entries, []);
  assert.equal(must(await journal.stats()).teams[0]?.entries, 2);
  const report = await journal.verify();
  assert.deepEqual(report.problems, []);
  assert.deepEqual(
    report.archives?.map(({ seq, head, isHere }) => [seq, head.seq, isHere]),
    [[count + 1, count, false]],
  );
  assert.equal(journal.condition().condition, "ready");
}

/** The journal has everything again. */
async function checkPutBack(journal: Journal<Tally>): Promise<void> {
  assert.equal(must(await journal.state(alpha)).state.count, count + 3);
  assert.deepEqual((await seqsOf(journal)).slice(0, 3), [1, 2, 3]);
  assert.equal((await seqsOf(journal)).length, count + 3);
  assert.equal((await seqsOf(journal, "qa-1")).length, count / 100);
  const again = must(await journal.commit(alpha, attempt({ id: "m-9", receivers: [] })));
  assert.equal(again.outcome, "duplicate", "its ids are held again");
  const report = await journal.verify();
  assert.deepEqual(report.problems, []);
  assert.equal(report.archives?.[0]?.isHere, true);
}

function changed(entries: readonly Entry[], index: number): readonly Entry[] {
  return entries.map((entry, at) => (at === index ? { ...entry, recordedAt: "2026-01-01T00:00:00.000Z" } : entry));
}
