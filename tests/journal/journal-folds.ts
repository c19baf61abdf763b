/**
 * The journal suite on folds that nobody uses: they are dropped, and the team opens again with the same state.
 * Source: docs/protocol/record.md, section 10.
 */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Projection } from "../../src/journal/journal.ts";
import { manualClock } from "../../src/testing/fixtures.ts";
import { attempt, type JournalBench, must, mustRecord, type Tally, take, tally, team } from "./journal-subject.ts";

const alpha = team("alpha");
const beta = team("beta");
const gamma = team("gamma");
const unusedMs = 600_000;

/** Registers the tests for one journal. */
export function foldDroppingTests(bench: JournalBench): void {
  it("drops the folds that nobody used for as long as asked, and opens these teams again as they were", async (context) => {
    const place = await bench.place();
    const clock = manualClock();
    const folded: string[] = [];
    const counting: Projection<Tally> = {
      ...tally,
      evolve: (state, entry) => {
        folded.push(entry.team);
        return tally.evolve(state, entry);
      },
    };
    const journal = await place.open(counting, { clock });
    const ended = new AbortController();
    context.after(async () => {
      ended.abort();
      await journal.close();
      await place.remove();
    });
    if (journal.dropUnused === undefined) return context.skip("folds nothing apart from its entries");
    const teams = [alpha, beta, gamma];
    for (const name of teams) for (const id of ["m-1", "m-2"]) mustRecord(await journal.commit(name, attempt({ id })));
    const before = structuredClone(must(await journal.state(alpha)));
    const followed = take(journal.follow(alpha, { after: 0, signal: ended.signal }), 3);
    assert.equal(journal.dropUnused(unusedMs), 0);
    clock.advance(unusedMs - 1);
    assert.equal(journal.dropUnused(unusedMs), 0, "not before");
    must(await journal.state(beta));
    clock.advance(1);
    assert.equal(journal.dropUnused(unusedMs), 2, "one was used since the last look");
    folded.length = 0;
    must(await journal.state(beta));
    assert.deepEqual(folded, [], "what is used stays");
    assert.deepEqual(must(await journal.state(alpha)), before);
    assert.deepEqual(folded, [alpha, alpha]);
    // Nothing is asked of the third team before something is recorded there.
    const again = must(await journal.commit(gamma, attempt({ id: "m-2" })));
    assert.ok(again.outcome === "duplicate" && again.receipt.seq === 2, JSON.stringify(again));
    assert.equal(mustRecord(await journal.commit(gamma, attempt({ id: "m-3" }))).seq, 3);
    assert.equal(must(await journal.read(gamma, { receiver: "lead-1" })).entries.length, 3);
    mustRecord(await journal.commit(alpha, attempt({ id: "m-3" })));
    const seen = (await followed).map(({ id }) => id);
    assert.deepEqual(seen, ["m-1", "m-2", "m-3"], "who follows goes on");
    assert.deepEqual((await journal.verify()).problems, []);
  });
}
