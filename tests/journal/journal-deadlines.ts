/**
 * What the contract promises of the index of deadlines: it names the teams that are due without a fold, is never late, and
 * a team of which it has nothing counts as due.
 * Source: docs/protocol/record.md, section 10.
 */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { EntryDraft } from "../../src/journal/entry.ts";
import type { Attempt, Journal, Projection } from "../../src/journal/journal.ts";
import { type JournalBench, must, mustRecord, team } from "./journal-subject.ts";

const alpha = team("alpha");
const beta = team("beta");

/** The deadline that the team's last entry names; 0: none. */
interface Due {
  at: number | null;
}

/** How many entries were folded. */
let folded = 0;

const withDue: Projection<Due> = {
  version: "due-1",
  initial: () => ({ at: null }),
  evolve: (state, { content }) => {
    folded += 1;
    return { at: (content as { readonly due?: number }).due ?? state.at };
  },
  encode: (state) => JSON.stringify(state),
  decode: (text) => JSON.parse(text) as Due, // what encode wrote
  deadlines: { rule: "of the last entry", next: ({ at }) => (at === 0 ? null : at) },
};

function moved(due: number): Attempt<Due> {
  return { once: null, decide: () => draftOf({ due }) };
}

function draftOf(content: EntryDraft["content"]): EntryDraft {
  const principal = { agent: "dev-1", role: "dev", via: "launcher" } as const;
  return { kind: "message", principal, id: null, digest: null, receivers: [], content };
}

/** Registers the tests for one journal. */
export function deadlineTests(bench: JournalBench): void {
  findsDue(bench);
  countsUnknown(bench);
}

function findsDue(bench: JournalBench): void {
  it("names the teams of which a deadline may have passed, without a fold of any", async (context) => {
    const place = await bench.place();
    let journal = await place.open(withDue);
    context.after(async () => {
      await journal.close();
      await place.remove();
    });
    assert.deepEqual(must(await journal.due(1_000)), { teams: [], next: null });
    for (const [name, due] of [
      [beta, 20.5],
      [alpha, 10],
      [team("gamma"), 0],
    ] as const)
      mustRecord(await journal.commit(name, moved(due)));
    if (bench.abilities.persistent) {
      await journal.close();
      journal = await place.open(withDue);
      folded = 0;
    }
    assert.deepEqual(must(await journal.due(9)), { teams: [], next: 10 });
    assert.deepEqual(must(await journal.due(10)), { teams: [alpha], next: 20 }, "early by less than a millisecond");
    assert.deepEqual(must(await journal.due(30)), { teams: [alpha, beta], next: null });
    if (bench.abilities.persistent) assert.equal(folded, 0);
    // A deadline that is farther than the index says is known after a look.
    for (const due of [50, 40]) mustRecord(await journal.commit(alpha, moved(due)));
    must(await journal.noteDue(alpha));
    assert.deepEqual(must(await journal.due(39)), { teams: [beta], next: 40 });
    mustRecord(await journal.commit(alpha, moved(5)));
    assert.deepEqual(must(await journal.due(5)), { teams: [alpha], next: 20 });
    mustRecord(await journal.commit(alpha, moved(0)));
    must(await journal.noteDue(alpha));
    must(await journal.noteDue(team("nobody")));
    assert.deepEqual(must(await journal.due(5)), { teams: [], next: 20 });
  });
}

function countsUnknown(bench: JournalBench): void {
  it("counts a team as due where the index has nothing of it, or by another rule", {
    skip: !bench.abilities.persistent && "not persistent",
  }, async (context) => {
    const place = await bench.place();
    const opened: Journal<Due>[] = [];
    context.after(async () => {
      for (const journal of opened) await journal.close();
      await place.remove();
    });
    const open = async (projection: Projection<Due>) => {
      const journal = await place.open(projection);
      opened.push(journal);
      return journal;
    };
    const one = await open(withDue);
    for (const name of [alpha, beta]) mustRecord(await one.commit(name, moved(50)));
    assert.deepEqual(must(await one.due(1)), { teams: [], next: 50 });
    // It is written by a program that knows of no deadlines, as a copy is.
    const { deadlines: _, ...withoutDue } = withDue;
    const copying = await open(withoutDue);
    mustRecord(await copying.commit(alpha, moved(30)));
    assert.deepEqual(must(await copying.due(99)), { teams: [], next: null });
    const other = await open(withDue);
    assert.deepEqual(must(await other.due(1)), { teams: [alpha], next: 50 });
    must(await other.noteDue(alpha));
    assert.deepEqual(must(await other.due(1)), { teams: [], next: 30 });
    const later = await open({ ...withDue, deadlines: { rule: "another", next: () => 7 } });
    assert.deepEqual(must(await later.due(1)), { teams: [alpha, beta], next: null });
    for (const name of [alpha, beta]) must(await later.noteDue(name));
    assert.deepEqual(must(await later.due(1)), { teams: [], next: 7 });
  });
}
