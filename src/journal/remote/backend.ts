/**
 * What the shared core of journals in a server (`journal/remote`) needs of one server. A backend stores rows and answers
 * questions; order, decisions, folds and repeated ids are the core's. What the server or the network causes comes back as
 * a `Failure`, never as an exception.
 */

import type { TeamName } from "../../base/ids.ts";
import type { Problem } from "../../base/problem.ts";
import type { Result } from "../../base/result.ts";
import type { DueMark, DueTeams } from "../deadlines.ts";
import type { Durability, Head } from "../entry.ts";
import type { EngineFacts, Marks } from "../journal.ts";

/**
 * Why a call has no answer. `unreachable`: the server did not answer, so a later try may succeed, and what was being
 * written may be written. `busy`: another held the lock. `refused`: nothing was recorded. `final`: the journal is damaged.
 */
export interface Failure {
  readonly kind: "unreachable" | "busy" | "refused" | "final";
  readonly problem: Problem;
  /** Whether nothing was sent, so that nothing can have been written. */
  readonly isUnsent?: boolean;
  /** The server's own number of the error, for the engine. */
  readonly code?: number;
}

export type Answer<Value> = Promise<Result<Value, Failure>>;

/** An entry as the server keeps it. */
export interface Row {
  readonly seq: number;
  readonly hash: string;
  readonly text: string;
}

/** An id and the agent who used it: together they are recorded once. */
export interface HeldPair {
  readonly id: string;
  readonly agent: string;
}

/** The entry that holds an id for an agent. */
export interface Holder extends HeldPair {
  readonly row: Row;
}

/** What is read of a team in one round trip, once its lock is held. */
export interface Question {
  /** Entries from this seq on, the entry itself included, at most `pageRowsMax`. */
  readonly from: number;
  /** Which entries hold these. */
  readonly pairs: readonly HeldPair[];
  /** Whether the agents' notes are read, too. */
  readonly notes: boolean;
}

export interface Facts {
  readonly rows: readonly Row[];
  readonly holders: readonly Holder[];
  /** The last heartbeat of each agent. */
  readonly signs: ReadonlyMap<string, number>;
  /** Empty where they were not asked for. */
  readonly notes: ReadonlyMap<string, string>;
}

/** What one transaction writes for one team. */
export interface Changes {
  readonly head: Head;
  readonly rows: readonly Row[];
  /** The ids that these rows take. */
  readonly ids: readonly (HeldPair & { readonly seq: number })[];
  readonly signs: ReadonlyMap<string, number>;
  readonly notes: ReadonlyMap<string, string>;
  /** The team's next deadline at this head; null: the committer has none. */
  readonly due: DueMark | null;
}

/** What must be so of a team that nobody has locked, for what was decided on it to be right. */
export interface Expected {
  readonly head: Head;
  /** Ids that no entry may hold. */
  readonly absent: readonly HeldPair[];
  /** The heartbeats on which decisions rest; null: the agent sent none. */
  readonly signs: ReadonlyMap<string, number | null>;
}

/** A team whose lock this process holds, on one connection, inside one transaction. */
export interface Locked extends Facts {
  /** The head as the server has it. */
  readonly head: Head;
  /** Asks again under the same lock. */
  ask(question: Question): Answer<Facts>;
  /** Writes everything and commits, and the lock is free; after `unreachable` it is unknown whether it was written. */
  write(changes: Changes): Answer<void>;
  /** Ends the transaction without a change. */
  release(): void;
}

/** Which entries are read: numbers `from` to `to`, in ascending order, at most `limit`. */
export interface Range {
  readonly from: number;
  readonly to?: number;
  readonly limit: number;
}

/** A snapshot as it is kept: opaque to the server. */
export interface KeptSnapshot {
  readonly seq: number;
  readonly text: string;
}

/** Sizes and facts of the server, for `stats`. */
export interface ServerFacts {
  readonly bytes: number | null;
  readonly teams: readonly { readonly team: TeamName; readonly entries: number; readonly head: Head }[];
  readonly engine: EngineFacts;
}

export interface Backend {
  /** The journal's address, without credentials. */
  readonly place: string;
  /** What the server promises of an entry that it acknowledged. */
  readonly durability: Durability;
  /** Whether `write` takes all rows or none, however many they are. One transaction of commits is always taken whole. */
  readonly restoresWhole: boolean;
  /** The teams that have entries, sorted by name. */
  teams(): Answer<readonly TeamName[]>;
  /** The team's head; null: it has no entries. */
  head(team: TeamName): Answer<Head | null>;
  rows(team: TeamName, range: Range): Answer<readonly Row[]>;
  /** Those of the entries that are there, ascending. */
  rowsAt(team: TeamName, seqs: readonly number[]): Answer<readonly Row[]>;
  /** The entries that hold the id for anyone, the latest first, at most `limit`. */
  holdersOf(team: TeamName, id: string, limit: number): Answer<readonly Row[]>;
  /** How many ids are held by entries up to `seq`. */
  countIds(team: TeamName, seq: number): Answer<number>;
  /** Waits for the team's lock and begins a transaction, in which `question` is answered. */
  lock(team: TeamName, question: Question): Answer<Locked>;
  /**
   * Writes the changes in one round trip where everything is as expected; null changes nothing and only compares. False:
   * something is not, and nothing was written. After `unreachable` it is unknown whether it was written.
   */
  writeAt(team: TeamName, expected: Expected, changes: Changes | null): Answer<boolean>;
  /** Nobody uses the team's fold any more: what the backend keeps in memory of the team can go, too. */
  forget?(team: TeamName): void;
  marks(team: TeamName, agent: string): Answer<Marks>;
  /** Raises marks; a team without entries keeps none. */
  raiseMarks(team: TeamName, agent: string, marks: Partial<Marks>): Answer<void>;
  signs(team: TeamName): Answer<ReadonlyMap<string, number>>;
  notes(team: TeamName): Answer<ReadonlyMap<string, string>>;
  snapshot(team: TeamName): Answer<KeptSnapshot | null>;
  /** Keeps the snapshot unless a later one is kept. */
  keepSnapshot(team: TeamName, snapshot: KeptSnapshot): Answer<void>;
  /** As of the journal's contract, for marks of this rule. */
  due(rule: string, atMs: number): Answer<DueTeams>;
  /** Puts the mark of the team into the index where this is its head. */
  noteDue(team: TeamName, head: Head, mark: DueMark): Answer<void>;
  facts(): Answer<ServerFacts>;
  /** Writes durably, outside the entries. */
  probe(): Answer<void>;
  /**
   * Resolves once every entry that could be read before the call is as durable as an acknowledged one: a server that waits
   * for a replica shows entries after a crash that no replica has. Absent: what can be read is that durable.
   */
  confirm?(): Answer<void>;
  /** One question without effect: tells whether the server answers. */
  ping(): Answer<void>;
  /** Calls `ring` for each team that may have new entries (null: any), until `signal` aborts. Notices may be lost. */
  watch(ring: (team: string | null) => void, signal: AbortSignal): void;
  /** Calls `tell` where another process lost a race for the team, so that this one uses the lock, too. */
  onContention?(tell: (team: TeamName) => void): void;
  close(): Promise<void>;
}
