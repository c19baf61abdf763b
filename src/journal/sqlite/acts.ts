/**
 * The acts that the writer runs: a commit, raised marks, an accepted loss, a snapshot, a moved anchor. Each performs
 * inside the writer's transaction and answers its promise only after the writer settled it.
 */
import { canonical } from "../../base/canonical.ts";
import { sha256 } from "../../base/digest.ts";
import type { MessageId, TeamName } from "../../base/ids.ts";
import { type Problem, problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Json } from "../../message/facts.ts";
import { decideAttempt } from "../attempt.ts";
import { noticeLoss, type Place, receiptOf, type Sealed, type Stamp, sealEntry, stampOf } from "../chain.ts";
import type { Entry, EntryDraft, Receipt } from "../entry.ts";
import { dropHeld } from "../held-ids.ts";
import type { Attempt, Committed, Marks } from "../journal.ts";
import { nothingLost, raiseMarks } from "../memory.ts";
import type { Act } from "./append.ts";
import { placeOf } from "./connection.ts";
import { isSqliteError } from "./fault.ts";
import { findHolder, idsBetweenLooks, indexIds } from "./id-index.ts";
import { readSignOfLife, writeSignOfLife } from "./life.ts";
import { readMarks, writeMarks } from "./marks.ts";
import { schemaVersion } from "./migrate.ts";
import { advanceOrForget, foldNow } from "./read.ts";
import { storeSnapshot } from "./snapshot.ts";
import { type KeptFold, noteError, type Store, teamNumber } from "./store.ts";

/** From which difference on a wall clock counts as set again, in milliseconds. */
const aheadStepMs = 100;

/** Where an act's answer goes. */
export interface Answer<Value> {
  resolve(value: Result<Value, Problem>): void;
  reject(error: unknown): void;
}

/** Told of each entry that became durable. */
export type Recorded = (entry: Entry) => unknown;

/** What an act answers when it does not come to be. */
export function answering<Value>(answer: Answer<Value>): Pick<Act, "refuse" | "abandon"> {
  return { refuse: (reason) => answer.resolve(err(reason)), abandon: (error) => answer.reject(error) };
}

/** A commit. When `decide` throws, this commit alone is rejected with what it threw. */
export function commitAct<State>(
  store: Store<State>,
  team: TeamName,
  attempt: Attempt<State>,
  answer: Answer<Committed>,
  recorded: Recorded,
): Act {
  let outcome: Result<Committed, Problem> | { readonly thrown: unknown };
  return {
    ...answering(answer),
    team,
    perform() {
      const kept = foldNow(store, team);
      if (!kept.ok) {
        outcome = kept;
        return 0;
      }
      const decided = decide(store, team, kept.value, attempt);
      if ("thrown" in decided || !decided.ok) {
        outcome = decided;
        return 0;
      }
      if ("answer" in decided.value) {
        outcome = ok(decided.value.answer);
        return 0;
      }
      const { entry, bytes } = append(store, team, kept.value, decided.value.draft);
      outcome = ok({ outcome: "recorded", receipt: receiptOf(entry, store.durability, false), entry });
      return bytes;
    },
    settle() {
      if ("thrown" in outcome) return answer.reject(outcome.thrown);
      if (outcome.ok && outcome.value.outcome === "recorded") recorded(outcome.value.entry);
      answer.resolve(outcome);
    },
  };
}

type Decided = ReturnType<typeof decideAttempt>;

function decide<State>(
  store: Store<State>,
  team: TeamName,
  kept: KeptFold<State>,
  attempt: Attempt<State>,
): Result<Decided, Problem> | { readonly thrown: unknown } {
  let fault: Problem | null = null;
  const findEarlier = (principal: string, id: string): Entry | null => {
    const number = teamNumber(store, team);
    if (number === null) return null;
    const found = findHolder(store, number, kept.fold, { team, agent: principal, id });
    if (found.ok) return found.value;
    fault = found.error;
    return null;
  };
  const { head, state } = kept.fold;
  try {
    const signOfLife = (agent: string) => {
      try {
        return readSignOfLife(store, team, agent);
      } catch (error) {
        if (!isSqliteError(error)) throw error;
        fault = noteError(store, error);
        return null;
      }
    };
    const { durability } = store;
    const decided = decideAttempt(attempt, { team, head, state, durability, findEarlier, signOfLife });
    return fault === null ? ok(decided) : err(fault);
  } catch (error) {
    return { thrown: error };
  }
}

/** Writes the entry behind the fold's head and moves the fold. */
function append<State>(
  store: Store<State>,
  team: TeamName,
  kept: KeptFold<State>,
  draft: EntryDraft,
  place?: Place,
): { readonly entry: Entry; readonly bytes: number } {
  const sealed = sealEntry(team, kept.fold.head, draft, stampOfNow(store), place);
  keepAhead(store, sealed.entry.aheadMs ?? 0);
  return addSealed(store, team, kept, sealed);
}

/** Writes an entry with its text behind the fold's head and moves the fold. */
export function addSealed<State>(
  store: Store<State>,
  team: TeamName,
  kept: KeptFold<State>,
  { entry, text }: Sealed,
): { readonly entry: Entry; readonly bytes: number } {
  const number = teamNumber(store, team) ?? addTeam(store, team, kept);
  const bytes = Buffer.from(text);
  store.statements.addEntry.run(placeOf(number, entry.seq), entry.hash, bytes);
  advanceOrForget(store, team, kept, entry);
  return { entry, bytes: bytes.length };
}

/** The time as text; a grouped transaction asks many times within one millisecond. */
function stampOfNow(store: Store<unknown>): Stamp {
  const now = store.clock.now();
  if (store.stamp?.at !== now) store.stamp = { at: now, stamp: stampOf(store.clock) };
  return store.stamp.stamp;
}

/** A wall clock that was set is remembered, for the time after the machine's next start. */
function keepAhead(store: Store<unknown>, aheadMs: number): void {
  if (store.aheadMs === null || store.aheadMs === aheadMs) return;
  // What two clocks read one after the other differ by a few milliseconds each time.
  if (aheadMs !== 0 && Math.abs(store.aheadMs - aheadMs) < aheadStepMs) return;
  store.statements.putAhead.run(aheadMs);
  store.aheadMs = aheadMs;
}

function addTeam<State>(store: Store<State>, team: TeamName, kept: KeptFold<State>): number {
  const number = Number(store.statements.addTeam.get(team)?.number);
  store.numbers.set(team, number);
  store.folds.set(team, kept);
  return number;
}

/** Raises an agent's marks. */
export function markAct(
  store: Store<unknown>,
  team: TeamName,
  agent: string,
  marks: Partial<Marks>,
  answer: Answer<void>,
): Act {
  let outcome: Result<void, Problem> = ok(undefined);
  return {
    ...answering(answer),
    team: null,
    perform() {
      const known = readMarks(store, team, agent);
      if (!known.ok) outcome = known;
      else outcome = writeMarks(store, team, agent, raiseMarks(known.value, marks));
      return 0;
    },
    settle: () => answer.resolve(outcome),
  };
}

/** Keeps an agent's sign of life. */
export function signAct(
  store: Store<unknown>,
  team: TeamName,
  agent: string,
  at: () => number,
  answer: Answer<void>,
): Act {
  return {
    ...answering(answer),
    team: null,
    perform() {
      writeSignOfLife(store, team, agent, at());
      return 0;
    },
    settle: () => answer.resolve(ok(undefined)),
  };
}

/** Writes the file's header as it is: a page of the log reaches the disk, and no table changes. */
export function probeAct(store: Store<unknown>, answer: Answer<void>): Act {
  return {
    ...answering(answer),
    team: null,
    perform() {
      store.db.exec(`PRAGMA user_version = ${schemaVersion}`);
      return 0;
    },
    settle: () => answer.resolve(ok(undefined)),
  };
}

/** Appends the epoch entry that accepts what the anchor shows to be lost. */
export function acceptLossAct<State>(
  store: Store<State>,
  team: TeamName,
  asked: AcceptedLoss,
  answer: Answer<Receipt>,
  recorded: Recorded,
): Act {
  const { by, reason, id } = asked;
  const digest = id === null ? null : sha256(canonical({ acceptLoss: reason }));
  let outcome: Result<{ readonly entry: Entry; readonly isRepeated: boolean }, Problem>;
  return {
    ...answering(answer),
    team,
    isRepair: true,
    perform() {
      const regression = store.regressions.get(team);
      const kept = foldNow(store, team);
      const earlier = kept.ok ? entryUnder(store, team, kept.value, by.agent, id) : kept;
      if (!kept.ok || !earlier.ok || earlier.value !== null || regression === undefined) {
        outcome = !earlier.ok ? earlier : repeatedLoss(team, earlier.value, digest);
        return 0;
      }
      const { notice, place } = noticeLoss(kept.value.fold.head, regression.anchor, reason);
      // A notice is plain JSON; an interface just lacks the index signature.
      const content = notice as unknown as Json;
      const draft: EntryDraft = { kind: "epoch", principal: by, id, digest, receivers: [], content };
      const { entry, bytes } = append(store, team, kept.value, draft, place);
      outcome = ok({ entry, isRepeated: false });
      return bytes;
    },
    settle() {
      if (!outcome.ok) return answer.resolve(outcome);
      const { entry, isRepeated } = outcome.value;
      if (!isRepeated) {
        store.regressions.delete(team);
        recorded(entry);
      }
      answer.resolve(ok(receiptOf(entry, store.durability, isRepeated)));
    },
  };
}

/** Who accepts a loss, why, and under which id. */
interface AcceptedLoss {
  readonly by: EntryDraft["principal"];
  readonly reason: string;
  readonly id: MessageId | null;
}

function entryUnder<State>(
  store: Store<State>,
  team: TeamName,
  kept: KeptFold<State>,
  agent: string,
  id: MessageId | null,
): Result<Entry | null, Problem> {
  const number = id === null ? null : teamNumber(store, team);
  return id === null || number === null ? ok(null) : findHolder(store, number, kept.fold, { team, agent, id });
}

/** What becomes of an accepted loss where nothing is left to accept, or where its id stands recorded. */
function repeatedLoss(
  team: TeamName,
  earlier: Entry | null,
  digest: string | null,
): Result<{ readonly entry: Entry; readonly isRepeated: true }, Problem> {
  if (earlier === null) return err(nothingLost(team));
  if (earlier.digest === digest) return ok({ entry: earlier, isRepeated: true });
  const hint = "To repeat an act, give the same reason as then. Something new needs a new id.";
  return err(
    problem("id-conflict", "--id", `This id was used before, for something else: it is entry ${earlier.seq}.`, {
      hint,
    }),
  );
}

/**
 * Stores a snapshot of the team's fold, and takes its ids into the table. Both are derived data: when they cannot be
 * stored, the journal is as good without.
 */
export function snapshotAct<State>(store: Store<State>, team: TeamName): Act {
  let stored: { readonly kept: KeptFold<State>; readonly seq: number; readonly indexed: number } | null = null;
  return {
    team: null,
    isAlone: true,
    perform() {
      const kept = store.folds.get(team);
      const number = teamNumber(store, team);
      if (kept === undefined || number === null) return 0;
      const indexed = indexIds(store, number, kept.fold);
      if (indexed === null) return 0;
      storeSnapshot(store, number, kept);
      stored = { kept, seq: kept.fold.head.seq, indexed };
      return 0;
    },
    settle() {
      if (stored === null) return;
      stored.kept.snapshotSeq = stored.seq;
      dropHeld(stored.kept.fold.held, stored.indexed);
      stored.kept.lookAtIds = idsBetweenLooks;
    },
    refuse: () => undefined,
    abandon(error) {
      throw error;
    },
  };
}

/** Writes nothing; the writer moves a due anchor before any act. `done` is called whatever happens. */
export function anchorAct(done: () => void, move: () => Problem | null): Act {
  return {
    team: null,
    isRepair: true,
    perform() {
      move();
      return 0;
    },
    settle: done,
    refuse: done,
    abandon(error) {
      throw error;
    },
  };
}
