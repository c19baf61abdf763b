/** The open journal: the contract's calls over the parts. What runs beside the calls is in care.ts. */
import type { TeamName } from "../../base/ids.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { followPages } from "../follow.ts";
import type { Journal, SearchIndexing } from "../journal.ts";
import { raiseMarks } from "../memory.ts";
import { type Answer, commitAct } from "./acts.ts";
import type { Act } from "./append.ts";
import { careFor } from "./care.ts";
import { backupTo, statsOf } from "./files/backup.ts";
import { readSignsOfLife } from "./life.ts";
import { acceptLossAct } from "./loss-act.ts";
import { readMarks } from "./marks.ts";
import { findEntries, foldToHead, readPage } from "./read.ts";
import { restoreAct } from "./restore.ts";
import { type Searcher, searcherOf } from "./search/search.ts";
import { catchUpSearchIndex } from "./search/search-filling.ts";
import { closedProblem, conditionOf, reading, type Store } from "./store.ts";
import { markAct, probeAct, signAct } from "./upkeep-acts.ts";
import { heedFaults, verifyFile } from "./verify/verify.ts";
import { watchOthers } from "./watch.ts";

/** A journal in SQLite: everything that the contract leaves to the engine is there. */
export interface SqliteJournal<State> extends Journal<State> {
  readonly searchIndex: SearchIndexing;
  copyTo(file: string): Promise<Result<void, Problem>>;
}

/** The journal over an opened store. */
export async function journalOf<State>(store: Store<State>): Promise<SqliteJournal<State>> {
  const ended = new AbortController();
  const care = await careFor(store, ended.signal);
  const watching = watchOthers(store, ended.signal);
  const searcher = searcherOf(store);
  let closing: Promise<void> | null = null;

  const close = async () => {
    await care.writer.idle();
    ended.abort();
    await care.finish();
    store.bell.close();
    searcher.close();
    store.db.close();
  };

  /** Queues an act and answers when the writer has; a closed journal takes none. */
  const write = <Value>(actOf: (answer: Answer<Value>) => Act) =>
    closing !== null
      ? Promise.resolve(err(closedProblem(store)))
      : new Promise<Result<Value, Problem>>((resolve, reject) => care.writer.add(actOf({ resolve, reject })));

  return {
    place: store.path,
    clock: store.clock,
    abilities: {
      durability: store.durability,
      persistent: true,
      reach: "machine",
      decides: "locked",
      restoresWhole: true,
    },
    commit: (team, attempt) => write((answer) => commitAct(store, team, attempt, answer, care.recorded)),
    restore: (team, entries) => write((answer) => restoreAct(store, team, entries, answer, care.recorded)),
    async state(team) {
      const kept = await foldToHead(store, team);
      if (!kept.ok) return kept;
      if (closing === null) care.takeSnapshotIfDue(team);
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
    signOfLife: (team, agent, at) => write((answer) => signAct(store, team, agent, at, answer)),
    acceptLoss: (team, by, reason, id) =>
      write((answer) => acceptLossAct(store, team, { by, reason, id: id ?? null }, answer, care.recorded)),
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
  | "signsOfLife"
  | "condition"
  | "verify"
  | "copyTo"
  | "stats"
  | "heed"
  | "searchIndex";

/** The calls that write nothing. */
function readingCalls<State>(store: Store<State>, searcher: Searcher): Pick<SqliteJournal<State>, ReadingCalls> {
  return {
    teams: () => reading(store, () => ok(store.statements.teams.all().map((row) => String(row.name) as TeamName))),
    read: (team, options = {}) => readPage(store, team, options),
    search: (team, options) => searcher.step(team, options),
    find: (team, id) => findEntries(store, team, id),
    marks: (team, agent) => reading(store, () => readMarks(store, team, agent)),
    signsOfLife: (team) => reading(store, () => readSignsOfLife(store, team)),
    condition: () => conditionOf(store),
    verify: (options = {}) => verifyFile(store, options),
    copyTo: (file) => backupTo(store, file),
    stats: () => reading(store, () => statsOf(store, searcher.position)),
    heed: ({ problems }) => heedFaults(store, problems),
    searchIndex: {
      indexed: (team) => searcher.position(team),
      catchUp: (signal) => catchUpSearchIndex(store.path, store.projection, signal),
    },
  };
}
