/**
 * The journal's contract: one ordered, durable, hash-chained stream of entries a team, with one writing call.
 * Implementations: `memory.ts` (the model) and a folder for each engine; `engines.ts` opens them. One conformance suite
 * (`tests/journal/journal-suite.ts`) runs on all; what an engine cannot do it declares in `abilities`.
 * Source: docs/protocol/record.md, section 1.
 */
import type { Clock } from "../base/clock.ts";
import type { MessageId, TeamName } from "../base/ids.ts";
import type { Problem } from "../base/problem.ts";
import type { Result } from "../base/result.ts";
import type { Deadlines, DueTeams } from "./deadlines.ts";
import type { Durability, Entry, EntryDraft, Head, Page, Receipt } from "./entry.ts";
import type { SearchIndexing, SearchStats } from "./searching.ts";
import type { FoldDropping } from "./unused-folds.ts";

/**
 * How the journal keeps its committer's state: folded over every entry in order, once, in place.
 * `evolve` owns the state it is given and may change it; nothing else may. `encode` and `decode` carry the state
 * through JSON text for snapshots; a snapshot of another `version` is ignored and the state folded afresh.
 */
export interface Projection<State> {
  readonly version: string;
  initial(): State;
  evolve(state: State, entry: Entry): State;
  encode(state: State): string;
  decode(text: string): State;
  /** The text of an entry in which `search` looks; absent: its content as JSON. An index is built from it. */
  searched?(entry: Entry): string;
  /** When something is due by time alone; absent: never. The journal keeps an index of it. */
  readonly deadlines?: Deadlines<State>;
}

/** What `decide` may know in addition to the state. */
export interface Moment {
  readonly team: TeamName;
  /** The seq that the entry will have if one is recorded; a grant uses it as its fencing token. */
  readonly seq: number;
  /** Set when the attempt's id is recorded for this principal with another digest: the entry that holds it. */
  readonly earlier: Entry | null;
  /** The same of the attempt's other id; null also where it has none. */
  readonly orEarlier: Entry | null;
  /**
   * When the agent last sent a heartbeat, as `signsOfLife` would say at this place in the order; null: never. Decisions
   * about an agent's silence use this and no earlier read.
   */
  heartbeat(agent: string): number | null;
}

/**
 * What identifies a repeated attempt: the caller, the id and the digest. `orId` is set if only the state decides which
 * of two ids the entry will have; the operation may then be recorded under either.
 */
export interface Once {
  readonly principal: string;
  readonly id: string;
  readonly orId?: string;
  readonly digest: string;
}

/**
 * One attempt to record something. When `id` or `orId` is recorded for `principal` with the same `digest`, the first
 * receipt is returned and `decide` is not asked. Otherwise `decide` is called with the state at the head, under the
 * write lock or again after a lost race: it must be synchronous and pure, and must not change the state.
 */
export interface Attempt<State> {
  readonly once: Once | null;
  decide(state: State, moment: Moment): EntryDraft | Decline;
}

/** A decision to record nothing. What it has in addition comes back with the outcome. */
export interface Decline extends Aside {
  readonly decline: readonly Problem[];
}

interface Aside {
  /** What has to be done first, outside the lock. */
  readonly remedy?: Remedy;
  /** What would have been recorded. */
  readonly draft?: EntryDraft;
}

/** Clears the way for another attempt ("again"), or leaves the outcome as it is ("done"). */
export type Remedy = () => Promise<Result<"again" | "done", Problem>>;

export type Committed =
  | { readonly outcome: "recorded"; readonly receipt: Receipt; readonly entry: Entry }
  | { readonly outcome: "duplicate"; readonly receipt: Receipt }
  | ({ readonly outcome: "declined"; readonly problems: readonly Problem[] } & Aside);

export interface ReadOptions {
  /** Entries with a seq above this; 0 or absent: from the start. */
  readonly after?: number;
  /** At most this many, 1 to `pageRowsMax`. */
  readonly limit?: number;
  /** Only entries addressed to this agent. */
  readonly receiver?: string;
}

export interface SearchOptions extends Pick<ReadOptions, "after"> {
  /** What the searched text holds, in any case: plain text, never a pattern. */
  readonly text: string;
  /** Only entries with a seq below this. */
  readonly before?: number;
  /** From the newest to the oldest; absent: from the oldest. */
  readonly newestFirst?: boolean;
}

/** What one step of a search found. */
export interface Found {
  /** Entries that hold the text, in the order asked for; perhaps none. */
  readonly entries: readonly Entry[];
  /** Search on with `after: next`, or `before: next` where the newest come first; null: everything was searched. */
  readonly next: number | null;
  /** How many entries the step took the work of. */
  readonly examined: number;
}

/** Outside the chain: how far an agent was offered and has seen its messages. Marks only move forward. */
export interface Marks {
  readonly offered: number;
  readonly seen: number;
}

/** What a verification is given. `looked` learns how many entries were looked at so far. */
export interface VerifyOptions {
  readonly presented?: readonly Receipt[];
  readonly signal?: AbortSignal;
  readonly looked?: (entries: number) => void;
}

/** What an engine promises; the conformance suite skips by these and never by an engine's name. */
export interface Abilities {
  readonly durability: Durability;
  /** Whether it outlives the process. */
  readonly persistent: boolean;
  /** Who may have it open at once: one process, the processes of one machine, or those of several machines. */
  readonly reach: "process" | "machine" | "network";
  /**
   * Whether `decide` runs once, under the write lock, or may run again after another process recorded first. Then it may
   * also be asked for what turns out to be a duplicate, and its result is dropped.
   */
  readonly decides: "locked" | "again";
  /** Whether `restore` takes all or nothing. False: a crash may leave the first entries, and asking again continues. */
  readonly restoresWhole: boolean;
}

/** How a journal is opened, whichever engine keeps it. */
export interface JournalOptions {
  /** Stamps `recordedAt`; absent: the engine's own, by which deadlines count steadily. */
  readonly clock?: Clock;
  /** `fsync` (default) survives power loss; `os` survives killed processes only, and a loss is reported. */
  readonly durability?: "fsync" | "os";
  /** Whether a journal that does not exist is created; default true. */
  readonly create?: boolean;
  /** Opens for reading only; commits are refused with `journal-read-only`. */
  readonly readOnly?: boolean;
  /** Opens for reading only, too; commits are refused with this. */
  readonly refusal?: Problem;
  /**
   * A file of this machine in which an engine keeps the highest heads that it saw, outside of the server that holds the
   * entries; absent: in memory only. A journal in a file has its own.
   */
  readonly headsFile?: string;
  /** How long a call waits for other processes' locks before it is refused as busy; default 45 s. */
  readonly waitMs?: number;
  /**
   * Whether a writer that was idle waits for what the same turn of the event loop brings, so that requests of many
   * clients become durable together; default false, which is a few microseconds quicker for one caller alone.
   */
  readonly gathers?: boolean;
}

/** Facts that only one kind of engine has, by name: versions, sizes, settings that were read back. */
export type EngineFacts = Readonly<Record<string, string | number | boolean>>;

/** Sizes and counts. */
export interface JournalStats {
  /** The journal's address, without credentials. */
  readonly place: string;
  /** Null where the engine does not know. */
  readonly bytes: number | null;
  readonly teams: readonly { readonly team: TeamName; readonly entries: number; readonly head: Head }[];
  /** The index of searches: its size, and up to which entry each team is in it; absent: the engine keeps none. */
  readonly search?: SearchStats;
  readonly engine: EngineFacts;
}

/**
 * A journal's health: writable, or readable only because it is behind its anchor or failed. One whose server does not
 * answer is `unreachable` since then, an RFC 3339 time, and ready again by itself once the server answers.
 */
export type JournalCondition =
  | { readonly condition: "ready" }
  | { readonly condition: "unreachable"; readonly since: string; readonly problem: Problem }
  | { readonly condition: "regressed"; readonly team: TeamName; readonly head: Head; readonly anchor: Head }
  | { readonly condition: "failed"; readonly problem: Problem };

export interface VerifyReport {
  readonly ok: boolean;
  readonly teams: readonly { readonly team: TeamName; readonly entries: number; readonly head: Head }[];
  readonly problems: readonly Problem[];
}

export interface Journal<State> extends AsyncDisposable, FoldDropping {
  readonly abilities: Abilities;
  /** The journal's address, without credentials: for a journal in a file, the file's real path. */
  readonly place: string;
  /** The clock that it stamps by; `steady` counts the deadlines of what it records. */
  readonly clock: Clock;
  /** Names of the teams that have entries, sorted. */
  teams(): Promise<Result<readonly TeamName[], Problem>>;
  /**
   * The one writing call. Attempts made at the same time by one process share a transaction; each is decided on the
   * state its predecessors left. Resolves after the entry is durable. Fails with a `journal-*` problem, and then the
   * outcome is unknown only for `journal-failed`: retry with the same id. With `journal-unreachable` nothing was sent.
   */
  commit(team: TeamName, attempt: Attempt<State>): Promise<Result<Committed, Problem>>;
  /**
   * Appends entries that a journal recorded elsewhere, as they are: their numbers, times and hashes, nothing decided
   * again. All of them or none. Those up to the head are skipped; what follows must continue the stream, else
   * `wrong-value`. The caller has checked that they can be folded: what `evolve` throws comes back as a rejection, and
   * nothing is kept.
   */
  restore(team: TeamName, entries: readonly Entry[]): Promise<Result<Head, Problem>>;
  /** The state at the head, folded up to now. The caller must not change it nor keep it across an await. */
  state(team: TeamName): Promise<Result<{ readonly state: State; readonly head: Head }, Problem>>;
  read(team: TeamName, options?: ReadOptions): Promise<Result<Page, Problem>>;
  /**
   * One step of a search, a few milliseconds of work: entries whose text holds `text`, found by an index as far as there is
   * one and by reading beyond it. Finds the same with and without an index.
   */
  search(team: TeamName, options: SearchOptions): Promise<Result<Found, Problem>>;
  /**
   * The entries recorded under this id (not refusals), one for each principal that used it, the latest first, at most
   * `holdersMax`. By an index: costs the principals that used the id, not the journal's length.
   */
  find(team: TeamName, id: string): Promise<Result<readonly Entry[], Problem>>;
  /**
   * Entries after `after` as they come, from any process, within 50 ms; in order, each once. Ends when `signal`
   * aborts or the journal closes.
   */
  follow(team: TeamName, options: { readonly after: number; readonly signal: AbortSignal }): AsyncIterable<Entry>;
  marks(team: TeamName, agent: string): Promise<Result<Marks, Problem>>;
  /** Raises marks; lower values change nothing. */
  mark(team: TeamName, agent: string, marks: Partial<Marks>): Promise<Result<void, Problem>>;
  /** When each agent last sent a heartbeat, in milliseconds since 1970 by the clock of the machine that stored it. */
  heartbeats(team: TeamName): Promise<Result<ReadonlyMap<string, number>, Problem>>;
  /**
   * Keeps a heartbeat in place of the one before; outside the chain, like marks. `at` is asked where the sign is
   * written, so that of two concurrent ones the later is kept, however long the other took.
   */
  heartbeat(team: TeamName, agent: string, at: () => number): Promise<Result<void, Problem>>;
  /** What is noted about each agent outside the chain, as `note` wrote it; agents without a note are missing. */
  notes(team: TeamName): Promise<Result<ReadonlyMap<string, string>, Problem>>;
  /**
   * Replaces what is noted about an agent: facts that are overwritten all the time, that no receipt speaks of, and that
   * the engine does not read. `change` runs under the write lock with the note so far; null leaves it as it is.
   */
  note(team: TeamName, agent: string, change: (before: string | null) => string | null): Promise<Result<void, Problem>>;
  /**
   * The teams of which a deadline may have passed at `atMs`, by the index of deadlines: costs these teams, not all, and no
   * fold. A team whose deadlines the index does not have is among them.
   */
  due(atMs: number): Promise<Result<DueTeams, Problem>>;
  /** Puts the next deadline of the team into the index, after a look that found none passed. */
  noteDue(team: TeamName): Promise<Result<void, Problem>>;
  condition(): JournalCondition;
  stats(): Promise<Result<JournalStats, Problem>>;
  /** Writes durably, outside the chain, and changes nothing that can be read: tells whether a commit could succeed. */
  probe(): Promise<Result<void, Problem>>;
  /** Recomputes everything that can be recomputed. `presented`: receipts that clients hold. */
  verify(options?: VerifyOptions): Promise<VerifyReport>;
  /** Takes the report of a verification over another connection: where the journal itself is damaged, writing stops. */
  heed(report: VerifyReport): void;
  /**
   * Accepts that entries up to the anchor are lost: appends an epoch entry that names the range. Refuses `wrong-usage`
   * where nothing is. Asked again with the same `id` and reason it answers with the first receipt; the id of anything
   * else is `id-conflict`.
   */
  acceptLoss(
    team: TeamName,
    by: EntryDraft["principal"],
    reason: string,
    id?: MessageId,
  ): Promise<Result<Receipt, Problem>>;
  /** Absent: searches need no index. */
  readonly searchIndex?: SearchIndexing;
  /**
   * A quicker copy than `copyJournal` makes in general: writes a whole copy with its anchor to `file`, an absolute path on
   * this machine. Refuses with `already-exists` where a file is there.
   */
  copyTo?(file: string): Promise<Result<void, Problem>>;
  close(): Promise<void>;
}
