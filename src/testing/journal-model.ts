/**
 * The model test of the journal suite: random operations give the same answers on the journal under test as on the
 * journal in memory. The seed is in the test's name and replays.
 */
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import type { Clock } from "../base/clock.ts";
import type { Problem } from "../base/problem.ts";
import type { Result } from "../base/result.ts";
import type { Committed, Journal } from "../journal/journal.ts";
import { openMemoryJournal } from "../journal/memory.ts";
import { type AttemptParts, attempt, type JournalBench, must, type Tally, tally, team } from "./journal-subject.ts";

const seed = 20_260_212;

/** A stopped clock, so that both journals stamp alike. */
const stillClock: Clock = { now: () => 1_770_000_000_000, monotonic: () => 0, wait: async () => undefined };

const agents = ["dev-1", "dev-2", "a b"] as const;
const arbitraryParts: fc.Arbitrary<AttemptParts> = fc.record({
  agent: fc.constantFrom(...agents),
  id: fc.option(fc.constantFrom("m-1", "m-2", "m-3", "x/y:z@1"), { nil: null }),
  or: fc.option(fc.record({ id: fc.constantFrom("m-1", "m-2", "or-1"), isUsed: fc.boolean() }), { nil: null }),
  kind: fc.constantFrom("message", "command", "refusal", "ack"),
  receivers: fc.uniqueArray(fc.constantFrom("lead-1", "qa-1", "__proto__"), { maxLength: 3 }),
  content: fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value))),
});
const arbitraryTeam = fc.constantFrom(team("alpha"), team("beta"));
const position = fc.integer({ min: 0, max: 12 });

/** One random act: what it does to a journal, and the answer to compare. */
type Act = (journal: Journal<Tally>) => Promise<unknown>;

const arbitraryAct: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(arbitraryTeam, fc.array(arbitraryParts, { minLength: 1, maxLength: 6 })).map(commits),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        arbitraryTeam,
        position,
        fc.integer({ min: 1, max: 4 }),
        fc.option(fc.constantFrom("lead-1", "qa-1", "__proto__", "none")),
      )
      .map(reads),
  },
  { weight: 1, arbitrary: fc.tuple(arbitraryTeam, fc.constantFrom(...agents), position, position).map(marking) },
  { weight: 1, arbitrary: arbitraryTeam.map(states) },
);

/** Registers the model test. */
export function journalModelTest(bench: JournalBench): void {
  it(`answers random acts as the model does (seed ${seed})`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryAct, { maxLength: 25 }), (acts) => compare(bench, acts)),
      { seed, numRuns: 40 },
    );
  });
}

async function compare(bench: JournalBench, acts: readonly Act[]): Promise<void> {
  const place = await bench.place();
  const subject = await place.open(tally, { clock: stillClock });
  const model = openMemoryJournal(tally, { clock: stillClock });
  try {
    for (const act of acts) assert.deepEqual(await act(subject), await act(model));
    assert.deepEqual(await subject.teams(), await model.teams());
    assert.deepEqual(await subject.verify(), await model.verify());
  } finally {
    await subject.close();
    await place.remove();
  }
}

function commits([of, parts]: readonly [ReturnType<typeof team>, readonly AttemptParts[]]): Act {
  return async (journal) => {
    const results = await Promise.allSettled(parts.map((part) => journal.commit(of, attempt(part))));
    return results.map((result) => (result.status === "fulfilled" ? comparable(result.value) : String(result.reason)));
  };
}

/** Everything but the durability, which engines may differ in. */
function comparable(result: Result<Committed, Problem>): unknown {
  const committed = must(result);
  if (committed.outcome === "declined") return committed;
  return { ...committed, receipt: { ...committed.receipt, durability: null } };
}

function reads([of, after, limit, receiver]: readonly [ReturnType<typeof team>, number, number, string | null]): Act {
  return (journal) => journal.read(of, receiver === null ? { after, limit } : { after, limit, receiver });
}

function marking([of, agent, offered, seen]: readonly [ReturnType<typeof team>, string, number, number]): Act {
  return async (journal) => {
    must(await journal.mark(of, agent, { offered, seen }));
    return journal.marks(of, agent);
  };
}

function states(of: ReturnType<typeof team>): Act {
  return async (journal) => {
    const { state, head } = must(await journal.state(of));
    return { state: structuredClone(state), head };
  };
}
