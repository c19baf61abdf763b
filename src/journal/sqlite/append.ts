/**
 * The writer: operations of one process queue up and run together in one write transaction, each decided on the state
 * that its predecessors left; their promises resolve only after the transaction is durable. The lock is waited for
 * without stopping the event loop. When a transaction does not end well, nothing of it happened and memory is dropped.
 *
 *   queue -> BEGIN IMMEDIATE -> move the anchor if due -> operation, operation ... -> COMMIT -> settle all
 */
import { nextTurn } from "../../base/clock.ts";
import type { TeamName } from "../../base/ids.ts";
import type { Problem } from "../../base/problem.ts";
import { anchorPath, readAnchors, temporaryOf } from "../anchor-file.ts";
import { type AnchorKeeper, findRegressions } from "./anchor.ts";
import { deadlineFromNow, isOverdue, waitBeforeTry } from "./connection.ts";
import { keepDues } from "./deadlines.ts";
import { type OpenedFiles, openedFiles } from "./files/opened-files.ts";
import { newerProblem, schemaVersion } from "./migrate.ts";
import { foldToHead } from "./read.ts";
import { busyProblem, isBusy, isSqliteError, movedProblem } from "./sqlite-errors.ts";
import { dataVersion, failStop, forget, noteError, type Store, writingRefused } from "./store.ts";

/** Most acts in one transaction, so that others get the lock and the event loop its turn. */
const actsMax = 256;
/** A transaction takes no further act once it has written this much. */
const bytesMax = 4 * 1024 * 1024;

/** Something that writes. Exactly one of `settle`, `refuse` and `abandon` is called, once. */
export interface Act {
  /** The team whose fold it needs at the head; null when it needs none. */
  readonly team: TeamName | null;
  /** Whether it runs although the journal is regressed. */
  readonly isRepair?: boolean;
  /** Whether it must not share a transaction: its failure shall not be another's. */
  readonly isAlone?: boolean;
  /** Runs inside the transaction; returns how many bytes it wrote. May run again when the transaction was undone. */
  perform(): number;
  settle(): void;
  refuse(reason: Problem): void;
  /** `error` is a bug, not caused by the outside. */
  abandon(error: unknown): void;
}

/** The one writer of an open journal. */
export interface Writer {
  add(act: Act): void;
  /** Resolves when nothing is queued or running. */
  idle(): Promise<void>;
}

interface Queued {
  readonly act: Act;
  readonly deadline: number;
}

/** What the writer works on. `anchor` and `afterCommit` are the care around it. */
interface Desk {
  readonly store: Store<unknown>;
  readonly anchor: AnchorKeeper;
  readonly afterCommit: () => void;
  queue: Queued[];
  /** The connection's `data_version` at which the file's form was last looked at. */
  formSeenAt: number;
  readonly files: OpenedFiles;
}

/** The writer of `store`. `afterCommit` runs after each transaction that ended well. */
export function newWriter<State>(store: Store<State>, anchor: AnchorKeeper, afterCommit: () => void): Writer {
  const files = openedFiles(store.path, temporaryOf(anchorPath(store.path)));
  const desk: Desk = { store, anchor, afterCommit, queue: [], formSeenAt: -1, files };
  let draining: Promise<void> | null = null;
  // Acts that are added in one go join the first transaction by waiting for a microtask. Requests that arrive together do
  // not: microtasks run after each socket that is read, so it takes a turn of the event loop to gather them.
  const drainSoon = () => (store.gathers ? nextTurn() : Promise.resolve()).then(drainAll);
  const drainAll = async () => {
    try {
      await drain(desk);
    } catch (error) {
      // A bug that is not one operation's own: everything queued is answered with it, so nothing hangs.
      if (desk.queue.length === 0) throw error;
      for (const { act } of desk.queue.splice(0)) act.abandon(error);
    } finally {
      // An operation may have come between the last look at the queue and now.
      draining = desk.queue.length > 0 ? drainSoon() : null;
    }
  };
  return {
    add(act) {
      desk.queue.push({ act, deadline: deadlineFromNow(store.waitMs) });
      draining ??= drainSoon();
    },
    async idle() {
      while (draining !== null) await draining;
    },
  };
}

async function drain(desk: Desk): Promise<void> {
  let tries = 0;
  while (desk.queue.length > 0) {
    const isAnyNew = desk.store.failure === null && desk.queue.some(({ act }) => isNewTeam(desk, act.team));
    if (isAnyNew) await foldNewTeams(desk);
    // No await from here to the end of the transaction.
    if (!takeLock(desk)) {
      if (desk.queue.length > 0) await waitBeforeTry(tries++);
      continue;
    }
    tries = 0;
    const reason = prepare(desk);
    const done = transact(desk.store, takeBatch(desk), reason);
    desk.store.lockedVersion = null;
    desk.queue.unshift(...done.again);
    for (const { act } of done.settled) act.settle();
    if (done.settled.length > 0) desk.afterCommit();
    // A due anchor is moved before anyone sees the receipts; otherwise others get their turn between transactions.
    if (desk.queue.length > 0 && !desk.anchor.isDue()) await nextTurn();
  }
}

/** Tries to take the lock, without waiting longer than one call of SQLite does. */
function takeLock(desk: Desk): boolean {
  const { store } = desk;
  try {
    store.statements.begin.run();
    return true;
  } catch (error) {
    if (!isSqliteError(error)) throw error;
    const refused = desk.queue.filter(({ deadline }) => !isBusy(error) || isOverdue(deadline));
    desk.queue = desk.queue.filter((queued) => !refused.includes(queued));
    const reason = isBusy(error) ? busyProblem(store.path) : noteError(store, error);
    for (const { act } of refused) act.refuse(reason);
    return false;
  }
}

function isNewTeam({ store }: Desk, team: TeamName | null): team is TeamName {
  return team !== null && !store.folds.has(team);
}

/** Long folds happen before the lock is taken; what is added meanwhile is folded under it. */
async function foldNewTeams(desk: Desk): Promise<void> {
  const teams = new Set(desk.queue.map(({ act }) => act.team));
  for (const team of teams) if (isNewTeam(desk, team)) await foldToHead(desk.store, team);
}

/** What must hold before anything is written; the lock is held. */
function prepare(desk: Desk): Problem | null {
  const { store, anchor } = desk;
  try {
    const version = dataVersion(store);
    store.lockedVersion = version;
    if (!desk.files.areInPlace()) return failStop(store, movedProblem(store.path));
    if (version !== desk.formSeenAt) {
      const form = Number(store.statements.userVersion.get()?.user_version);
      if (form !== schemaVersion) return newerProblem(store.path, form);
      desk.formSeenAt = version;
    }
    if (store.regressions.size > 0) {
      const anchors = readAnchors(anchorPath(store.path));
      const problem = anchors.ok ? findRegressions(store, anchors.value) : anchors.error;
      if (problem !== null) return problem;
    }
    return anchor.isDue() ? anchor.move() : null;
  } catch (error) {
    return noteError(store, error);
  }
}

function takeBatch({ queue }: Desk): readonly Queued[] {
  const alone = queue.findIndex(({ act }) => act.isAlone === true);
  return queue.splice(0, alone === 0 ? 1 : Math.min(actsMax, alone === -1 ? actsMax : alone));
}

interface Outcome {
  readonly settled: readonly Queued[];
  /** Acts to run again, in order: they shared a transaction with one that had to be undone, or found it full. */
  readonly again: readonly Queued[];
}

/** Runs the batch in the open transaction and ends it. */
function transact<State>(store: Store<State>, batch: readonly Queued[], reason: Problem | null): Outcome {
  const settled: Queued[] = [];
  let running: Queued | null = null;
  let taken = 0;
  try {
    for (let bytes = 0; taken < batch.length && bytes < bytesMax; taken += 1) {
      const queued = batch[taken];
      if (queued === undefined) break;
      const refused = reason ?? refusalOf(store, queued.act);
      if (refused !== null) {
        queued.act.refuse(refused);
        continue;
      }
      running = queued;
      bytes += queued.act.perform();
      settled.push(queued);
      running = null;
    }
    keepDues(store);
    store.statements.commit.run();
    return { settled, again: batch.slice(taken) };
  } catch (error) {
    // An operation that runs alone changes nothing in memory before it settles; the others may have moved a fold.
    undo(store, batch[0]?.act.isAlone === true);
    const rest = batch.slice(running === null ? taken : taken + 1);
    if (isSqliteError(error)) {
      const problem = noteError(store, error);
      for (const { act } of settled) act.refuse(problem);
      running?.act.refuse(problem);
      return { settled: [], again: rest };
    }
    if (running === null) throw error;
    running.act.abandon(error);
    return { settled: [], again: [...settled, ...rest] };
  }
}

function refusalOf(store: Store<unknown>, act: Act): Problem | null {
  const refused = writingRefused(store);
  return refused?.code === "journal-regressed" && act.isRepair === true ? null : refused;
}

/** Ends a transaction that did not end well. SQLite may have ended it already. */
function undo(store: Store<unknown>, isMemoryGood: boolean): void {
  store.lockedVersion = null;
  store.dues.clear();
  if (!isMemoryGood) forget(store);
  if (!store.db.isTransaction) return;
  try {
    store.statements.rollback.run();
  } catch (error) {
    noteError(store, error);
  }
}
