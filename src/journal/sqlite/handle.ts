/** The open journal: the contract's calls over the parts. Background work is in maintenance.ts. */

import { systemClock } from "../../base/clock.ts";
import type { TeamName } from "../../base/ids.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { raiseMarks } from "../attempt.ts";
import { continuation } from "../chain.ts";
import { noneDue } from "../deadlines.ts";
import type { Entry, Head } from "../entry.ts";
import { followPages } from "../follow.ts";
import type { Abilities, Journal } from "../journal.ts";
import type { SearchIndexing } from "../searching.ts";
import { dropUnusedFolds } from "../unused-folds.ts";
import type { Act } from "./append.ts";
import {
  type Answer,
  addSealed,
  answering,
  commitAct,
  dueAct,
  markAct,
  noteAct,
  probeAct,
  type Recorded,
  signAct,
} from "./commit.ts";
import { readDue } from "./deadlines.ts";
import { startMaintenance } from "./maintenance.ts";
import { findEntries, foldNow, foldToHead, readPage } from "./read.ts";
import { type Searcher, searcherOf } from "./search/search.ts";
import { catchUpSearchIndex } from "./search/search-index.ts";
import { isSqliteError } from "./sqlite-errors.ts";
import {
  closedProblem,
  conditionOf,
  dataVersion,
  readHeartbeats,
  reading,
  readMarks,
  readNotes,
  type Store,
  stopOnCorruption,
} from "./store.ts";

/** A journal in SQLite: everything that the contract leaves to the engine is there. */
export interface SqliteJournal<State> extends Journal<State> {
  readonly searchIndex: SearchIndexing;
  copyTo(file: string): Promise<Result<void, Problem>>;
}

const sqliteAbilities = {
  persistent: true,
  reach: "machine",
  decides: "locked",
  restoresWhole: true,
} as const satisfies Partial<Abilities>;

/** The journal over an opened store. */
export async function journalOf<State>(store: Store<State>): Promise<SqliteJournal<State>> {
  const ended = new AbortController();
  const maintenance = await startMaintenance(store, ended.signal);
  const watching = watchOthers(store, ended.signal);
  const searcher = searcherOf(store);
  let closing: Promise<void> | null = null;

  const close = async () => {
    await maintenance.writer.idle();
    ended.abort();
    await maintenance.finish();
    store.bell.close();
    searcher.close();
    store.db.close();
  };

  /** Queues an operation and answers when the writer has; a closed journal takes none. */
  const write = <Value>(actOf: (answer: Answer<Value>) => Act) =>
    closing !== null
      ? Promise.resolve(err(closedProblem(store)))
      : new Promise<Result<Value, Problem>>((resolve, reject) => maintenance.writer.add(actOf({ resolve, reject })));

  return {
    place: store.path,
    clock: store.clock,
    abilities: { ...sqliteAbilities, durability: store.durability },
    commit: (team, attempt) => write((answer) => commitAct(store, team, attempt, answer, maintenance.recorded)),
    restore: (team, entries) => write((answer) => restoreAct(store, team, entries, answer, maintenance.recorded)),
    async state(team) {
      const kept = await foldToHead(store, team);
      if (!kept.ok) return kept;
      if (closing === null) maintenance.takeSnapshotIfDue(team);
      return ok({ state: kept.value.fold.state, head: kept.value.fold.head });
    },
    ...readingCalls(store, searcher),
    async *follow(team, options) {
      const leave = watching.join();
      try {
        const page = async (after: number) => {
          const read = await readPage(store, team, { after });
          return read.ok ? read.value : null;
        };
        yield* followPages(page, store.bell, options);
      } finally {
        leave();
      }
    },
    async mark(team, agent, marks) {
      const known = await reading(store, () => readMarks(store, team, agent));
      if (!known.ok) return known;
      const raised = raiseMarks(known.value, marks);
      if (raised.offered === known.value.offered && raised.seen === known.value.seen) return ok(undefined);
      return write((answer) => markAct(store, team, agent, marks, answer));
    },
    heartbeat: (team, agent, at) => write((answer) => signAct(store, team, agent, at, answer)),
    note: (team, agent, change) => write((answer) => noteAct(store, team, agent, change, answer)),
    async acceptLoss(team, by, reason, id) {
      const { acceptLossAct } = await import("./accept-loss.ts");
      return write((answer) =>
        acceptLossAct(store, team, { by, reason, id: id ?? null }, answer, maintenance.recorded),
      );
    },
    noteDue: async (team) => (store.readOnly ? ok(undefined) : write((answer) => dueAct(store, team, answer))),
    dropUnused: (unusedMs) => dropUnusedFolds(store.folds, store.clock, unusedMs).length,
    probe: () => write((answer) => probeAct(store, answer)),
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]: () => (closing ??= close()),
  };
}

type ReadingCalls =
  | "teams"
  | "read"
  | "search"
  | "find"
  | "marks"
  | "heartbeats"
  | "notes"
  | "due"
  | "condition"
  | "verify"
  | "copyTo"
  | "stats"
  | "heed"
  | "searchIndex";

/** The calls that write nothing. What a command seldom asks for is loaded when it is asked for. */
function readingCalls<State>(store: Store<State>, searcher: Searcher): Pick<SqliteJournal<State>, ReadingCalls> {
  return {
    teams: () => reading(store, () => ok(store.statements.teams.all().map((row) => String(row.name) as TeamName))),
    read: (team, options = {}) => readPage(store, team, options),
    search: (team, options) => searcher.step(team, options),
    find: (team, id) => findEntries(store, team, id),
    marks: (team, agent) => reading(store, () => readMarks(store, team, agent)),
    heartbeats: (team) => reading(store, () => readHeartbeats(store, team)),
    notes: (team) => reading(store, () => readNotes(store, team)),
    // Where nothing may be recorded, nothing is due.
    due: (atMs) => reading(store, () => (store.readOnly ? ok(noneDue) : readDue(store, atMs))),
    condition: () => conditionOf(store),
    verify: async (options = {}) => (await import("./verify/verify.ts")).verifyFile(store, options),
    copyTo: async (file) => (await import("./files/backup.ts")).backupTo(store, file),
    async stats() {
      const { statsOf } = await import("./files/backup.ts");
      return reading(store, () => statsOf(store, searcher.position));
    },
    heed: ({ problems }) => stopOnCorruption(store, problems),
    searchIndex: {
      indexed: (team) => searcher.position(team),
      catchUp: (signal) => catchUpSearchIndex(store.path, store.projection, signal),
    },
  };
}

/* The operation that appends entries of another journal as they are: one transaction, all or none. */

/** Appends what of `entries` the team's stream does not hold yet. Refuses as `continuation` does. */
function restoreAct<State>(
  store: Store<State>,
  team: TeamName,
  entries: readonly Entry[],
  answer: Answer<Head>,
  recorded: Recorded,
): Act {
  let outcome: Result<Head, Problem>;
  const written: Entry[] = [];
  return {
    ...answering(answer),
    team,
    perform() {
      written.length = 0;
      const kept = foldNow(store, team);
      if (!kept.ok) {
        outcome = kept;
        return 0;
      }
      const more = continuation(team, kept.value.fold.head, entries);
      if (!more.ok) {
        outcome = more;
        return 0;
      }
      let bytes = 0;
      for (const sealed of more.value) {
        bytes += addSealed(store, team, kept.value, sealed).bytes;
        written.push(sealed.entry);
      }
      outcome = ok(kept.value.fold.head);
      return bytes;
    },
    settle() {
      for (const entry of written) recorded(entry);
      answer.resolve(outcome);
    },
  };
}

/*
 * Noticing what other processes append: the connection's `data_version` is asked every few milliseconds while anyone
 * follows, oftener while things happen. What this process appends rings the bell by itself.
 */

/** Time between two looks while entries come, and while nothing happens; both well below the promised 50 ms. */
const busyMs = 8;
const quietMs = 20;
/** How many looks without news make it quiet. */
const looksUntilQuiet = 50;

/** Keeps looking while somebody has joined. */
export interface Watch {
  /** Joins the followers; the returned function leaves again. */
  join(): () => void;
}

/** The watch of an open journal; ends with `signal`. */
function watchOthers(store: Store<unknown>, signal: AbortSignal): Watch {
  let followers = 0;
  let isLooking = false;
  let seen = -1;

  const look = (): boolean => {
    try {
      const version = dataVersion(store);
      const isNew = version !== seen;
      seen = version;
      return isNew;
    } catch (error) {
      // Busy for a moment, or unreadable: the followers' own reads will tell which; waking them costs nothing.
      if (isSqliteError(error)) return true;
      throw error;
    }
  };

  const keepLooking = async () => {
    for (let quietLooks = 0; followers > 0 && !signal.aborted; quietLooks += 1) {
      await systemClock.wait(quietLooks < looksUntilQuiet ? busyMs : quietMs, signal);
      if (signal.aborted || !look()) continue;
      quietLooks = -1;
      store.bell.ring();
    }
    isLooking = false;
  };

  return {
    join() {
      followers += 1;
      if (!isLooking && !signal.aborted) {
        isLooking = true;
        look();
        void keepLooking();
      }
      return () => {
        followers -= 1;
      };
    },
  };
}
