/**
 * The operation of recording: a commit, decided inside the writer's transaction, which answers its promise only after
 * the writer settled it. Also what the writer does outside the record: marks,
 * heartbeats, notes. An accepted loss in `accept-loss.ts`.
 */
import type { TeamName } from "../../base/ids.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { decideAttempt, raiseMarks } from "../attempt.ts";
import { type Place, receiptOf, type Sealed, type Stamp, sealEntry, stampOf } from "../chain.ts";
import type { Entry, EntryDraft } from "../entry.ts";
import type { Attempt, Committed, Marks } from "../journal.ts";
import type { Act } from "./append.ts";
import { placeOf } from "./connection.ts";
import { noteDue } from "./deadlines.ts";
import { findHolder } from "./id-index.ts";
import { schemaVersion } from "./migrate.ts";
import { advanceOrForget, foldNow } from "./read.ts";
import { isSqliteError } from "./sqlite-errors.ts";
import {
  changeNote,
  type KeptFold,
  noteError,
  readHeartbeat,
  readMarks,
  type Store,
  teamNumber,
  writeHeartbeat,
  writeMarks,
} from "./store.ts";

/** From which difference on a wall clock counts as set again, in milliseconds. */
const aheadStepMs = 100;

/** Where an operation's answer goes. */
export interface Answer<Value> {
  resolve(value: Result<Value, Problem>): void;
  reject(error: unknown): void;
}

/** Called for each entry that became durable. */
export type Recorded = (entry: Entry) => unknown;

/** The answer of an operation that is not recorded. */
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
  let problem: Problem | null = null;
  const findEarlier = (principal: string, id: string): Entry | null => {
    const number = teamNumber(store, team);
    if (number === null) return null;
    const found = findHolder(store, number, kept.fold, { team, agent: principal, id });
    if (found.ok) return found.value;
    problem = found.error;
    return null;
  };
  const { head, state } = kept.fold;
  try {
    const heartbeat = (agent: string) => {
      try {
        return readHeartbeat(store, team, agent);
      } catch (error) {
        if (!isSqliteError(error)) throw error;
        problem = noteError(store, error);
        return null;
      }
    };
    const { durability } = store;
    const decided = decideAttempt(attempt, { team, head, state, durability, findEarlier, heartbeat });
    return problem === null ? ok(decided) : err(problem);
  } catch (error) {
    return { thrown: error };
  }
}

/** Writes the entry behind the fold's head and moves the fold, inside the writer's transaction. */
export function append<State>(
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
  store.statements.addEntry.run(placeOf(number, entry.seq), entry.hash, text);
  advanceOrForget(store, team, kept, entry);
  store.moved.add(team);
  return { entry, bytes: Buffer.byteLength(text) };
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

/** An operation that writes no entry and has nothing to answer. */
function plainAct(answer: Answer<void>, write: () => unknown): Act {
  return {
    ...answering(answer),
    team: null,
    perform() {
      write();
      return 0;
    },
    settle: () => answer.resolve(ok(undefined)),
  };
}

/** Keeps an agent's heartbeat. */
export function signAct(
  store: Store<unknown>,
  team: TeamName,
  agent: string,
  at: () => number,
  answer: Answer<void>,
): Act {
  return plainAct(answer, () => writeHeartbeat(store, team, agent, at()));
}

/** Changes what is noted about an agent. */
export function noteAct(
  store: Store<unknown>,
  team: TeamName,
  agent: string,
  change: (before: string | null) => string | null,
  answer: Answer<void>,
): Act {
  return plainAct(answer, () => changeNote(store, team, agent, change));
}

/** Puts the team's next deadline into the index. */
export function dueAct(store: Store<unknown>, team: TeamName, answer: Answer<void>): Act {
  let outcome: Result<void, Problem> = ok(undefined);
  return {
    ...answering(answer),
    team,
    perform() {
      const kept = foldNow(store, team);
      if (kept.ok) noteDue(store, team, "exactly");
      else outcome = kept;
      return 0;
    },
    settle: () => answer.resolve(outcome),
  };
}

/** Writes the file's header as it is: a page of the log reaches the disk, and no table changes. */
export function probeAct(store: Store<unknown>, answer: Answer<void>): Act {
  return plainAct(answer, () => store.db.exec(`PRAGMA user_version = ${schemaVersion}`));
}
