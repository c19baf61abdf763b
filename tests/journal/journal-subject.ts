/**
 * What the journal suite commits: a projection that notices every entry, attempts with defaults for everything, and
 * short ways to say "this must have succeeded".
 */
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { sha256 } from "../../src/base/canonical.ts";
import type { Clock } from "../../src/base/clock.ts";
import { messageId, type TeamName, teamName } from "../../src/base/ids.ts";
import { invariant } from "../../src/base/invariant.ts";
import type { Problem } from "../../src/base/problem.ts";
import type { Result } from "../../src/base/result.ts";
import type { Entry, EntryDraft, EntryKind } from "../../src/journal/entry.ts";
import type { Abilities, Attempt, Committed, Journal, Projection } from "../../src/journal/journal.ts";
import { openMemoryJournal } from "../../src/journal/memory.ts";

/** A journal to be tested. */
export interface JournalBench {
  readonly name: string;
  /** Tests of an ability that is not declared are skipped. */
  readonly abilities: Abilities;
  /** An empty place for one test. */
  place(): Promise<JournalBenchPlace>;
}

/** Where one test's journal lies. */
export interface JournalBenchPlace {
  /** Opens the journal; again, or several times at once, only where the abilities say so. */
  open<State>(projection: Projection<State>, options?: { readonly clock?: Clock }): Promise<Journal<State>>;
  remove(): Promise<void>;
}

/** Registers one test on a separate journal. */
export type WithJournal = (name: string, act: (journal: Journal<Tally>) => Promise<void>) => unknown;

/** What the suite's projection keeps: how many entries, a digest over all of them, and who wrote how many. */
export interface Tally {
  count: number;
  digest: string;
  readonly byAgent: Map<string, number>;
}

/** The suite's projection. An entry whose content is `{"poison":true}` makes it throw. */
export const tally: Projection<Tally> = {
  version: "tally-1",
  initial: () => ({ count: 0, digest: "", byAgent: new Map() }),
  evolve(state, entry) {
    state.count += 1;
    state.digest = sha256(state.digest + entry.hash);
    state.byAgent.set(entry.principal.agent, (state.byAgent.get(entry.principal.agent) ?? 0) + 1);
    if (JSON.stringify(entry.content) === '{"poison":true}') throw new Error("poisoned");
    return state;
  },
  encode: (state) => JSON.stringify([state.count, state.digest, [...state.byAgent]]),
  decode(text) {
    const [count, digest, byAgent] = JSON.parse(text) as [number, string, [string, number][]]; // what encode wrote
    return { count, digest, byAgent: new Map(byAgent) };
  },
};

/** `text` as a team's name. */
export function team(text: string): TeamName {
  const name = teamName(text);
  invariant(name !== null, "a test names its team rightly");
  return name;
}

/** What a test may set of an attempt; the rest has defaults. */
export interface AttemptParts {
  readonly agent?: string;
  readonly id?: string | null;
  /** The other id that the entry may have, and whether it gets that one. */
  readonly or?: { readonly id: string; readonly isUsed: boolean } | null;
  readonly kind?: EntryKind;
  readonly receivers?: readonly string[];
  readonly content?: EntryDraft["content"];
  readonly text?: string;
  /** Called when `decide` is asked. */
  readonly asked?: (state: Tally, seq: number, earlierSeq: number | null, orEarlierSeq: number | null) => void;
}

/** An attempt to record one entry. Equal parts make equal digests. */
export function attempt(parts: AttemptParts = {}): Attempt<Tally> {
  const {
    agent = "dev-1",
    id = null,
    or = null,
    kind = "message",
    receivers = ["lead-1"],
    content = { text: "hello" },
    text,
  } = parts;
  const digest = id === null ? null : sha256(JSON.stringify([kind, receivers, content]));
  return {
    once:
      id === null || digest === null ? null : { principal: agent, id, digest, ...(or === null ? {} : { orId: or.id }) },
    decide(state, moment) {
      parts.asked?.(state, moment.seq, moment.earlier?.seq ?? null, moment.orEarlier?.seq ?? null);
      const [taken, holder] = or?.isUsed === true ? [or.id, moment.orEarlier] : [id, moment.earlier];
      const refused = holder === null ? kind : "refusal";
      const principal = { agent, role: "dev", via: "launcher" } as const;
      const draft = {
        kind: refused,
        principal,
        id: taken === null ? null : messageId(taken),
        digest,
        receivers,
        content,
      };
      return text === undefined ? draft : { ...draft, text };
    },
  };
}

/** The value of a result that must have succeeded. */
export function must<Value>(result: Result<Value, Problem>): Value {
  assert.ok(result.ok, result.ok ? "" : `unexpected problem: ${JSON.stringify(result.error)}`);
  return result.value;
}

/** The entry of a commit that must have recorded one. */
export function mustRecord(result: Result<Committed, Problem>): Entry {
  const committed = must(result);
  assert.equal(committed.outcome, "recorded");
  return committed.outcome === "recorded" ? committed.entry : assert.fail("nothing was recorded");
}

/** The first `count` entries that a follow gives. */
export async function take(entries: AsyncIterable<Entry>, count: number): Promise<readonly Entry[]> {
  const taken: Entry[] = [];
  if (count === 0) return taken;
  for await (const entry of entries) {
    taken.push(entry);
    if (taken.length === count) break;
  }
  return taken;
}

/*
 * The model test of the journal suite: random operations give the same answers on the journal under test as on the
 * journal in memory. The seed is in the test's name and replays.
 */

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
