/**
 * What the journal suite commits: a projection that notices every entry, attempts with defaults for everything, and
 * short ways to say "this must have succeeded".
 */
import assert from "node:assert/strict";
import { sha256 } from "../base/canonical.ts";
import type { Clock } from "../base/clock.ts";
import { messageId, type TeamName, teamName } from "../base/ids.ts";
import { invariant } from "../base/invariant.ts";
import type { Problem } from "../base/problem.ts";
import type { Result } from "../base/result.ts";
import type { Entry, EntryDraft, EntryKind } from "../journal/entry.ts";
import type { Abilities, Attempt, Committed, Journal, Projection } from "../journal/journal.ts";

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
