/**
 * The open journal: the contract's calls over the parts, and the care that runs beside them (the anchor kept near,
 * snapshots taken when due, other processes noticed).
 */
import { systemClock } from "../../base/clock.ts";
import { type TeamName, teamName } from "../../base/ids.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { headAfter } from "../chain.ts";
import type { Entry } from "../entry.ts";
import { followPages } from "../follow.ts";
import type { Journal } from "../journal.ts";
import { raiseMarks } from "../memory.ts";
import { acceptLossAct, anchorAct, commitAct, markAct, snapshotAct } from "./acts.ts";
import { type AnchorKeeper, anchorKeeper, anchorPath, behindMsMax, headInFile, readAnchors } from "./anchor.ts";
import { newWriter } from "./append.ts";
import { backupTo, type SqliteStats, statsOf } from "./backup.ts";
import { readMarks } from "./marks.ts";
import { foldToHead, readPage } from "./read.ts";
import { isSnapshotDue } from "./snapshot.ts";
import { closedProblem, conditionOf, failStop, reading, type Store, writingRefused } from "./store.ts";
import { verifyFile } from "./verify.ts";
import { watchOthers } from "./watch.ts";

/** A journal in SQLite: the contract, and what only a file can do. */
export interface SqliteJournal<State> extends Journal<State> {
  /** The file's real path. */
  readonly path: string;
  /**
   * Writes a complete copy with an anchor of its own to `path`. Refuses with `already-exists` where a file stands.
   */
  backup(path: string): Promise<Result<void, Problem>>;
  stats(): Promise<Result<SqliteStats, Problem>>;
}

/** The journal over an opened store. */
export async function journalOf<State>(store: Store<State>): Promise<SqliteJournal<State>> {
  const anchor = anchorKeeper(store);
  const ended = new AbortController();
  const noSnapshotBefore = new Map<TeamName, number>();
  const committed = new Map<TeamName, { entry: Entry; count: number }>();
  let isAnchorAwaited = false;
  let closing: Promise<void> | null = null;

  const writer = newWriter(store, anchor, () => {
    for (const [team, { entry, count }] of committed) anchor.note(team, headAfter(entry), count);
    if (committed.size > 0) store.bell.ring();
    for (const team of committed.keys()) takeSnapshotIfDue(team);
    const isLossAccepted = [...committed.values()].some(({ entry }) => entry.kind === "epoch");
    committed.clear();
    if (anchor.isDue() || isLossAccepted) moveAnchor();
    else if (anchor.isBehind()) void moveAnchorSoon();
  });

  const recorded = (entry: Entry) => {
    committed.set(entry.team, { entry, count: (committed.get(entry.team)?.count ?? 0) + 1 });
  };

  const moveAnchor = (done: () => void = () => undefined) => writer.add(anchorAct(done, anchor.move));

  const moveAnchorSoon = async () => {
    if (isAnchorAwaited) return;
    isAnchorAwaited = true;
    await systemClock.wait(behindMsMax, ended.signal);
    isAnchorAwaited = false;
    if (closing === null && anchor.isBehind()) moveAnchor();
  };

  const takeSnapshotIfDue = (team: TeamName) => {
    const kept = store.folds.get(team);
    if (kept === undefined || writingRefused(store) !== null || !isSnapshotDue(kept)) return;
    const { seq } = kept.fold.head;
    if (seq < (noSnapshotBefore.get(team) ?? 0)) return;
    noSnapshotBefore.set(team, seq + 1_000);
    writer.add(snapshotAct(store, team, () => undefined));
  };

  const close = async () => {
    await writer.idle();
    ended.abort();
    if (anchor.isBehind() && store.failure === null) await new Promise<void>((resolve) => moveAnchor(resolve));
    await writer.idle();
    store.bell.close();
    store.db.close();
  };

  const isClosed = () => closing !== null;
  const act = <Value>(
    add: (answer: { resolve(value: Result<Value, Problem>): void; reject(error: unknown): void }) => void,
  ) =>
    isClosed()
      ? Promise.resolve(err(closedProblem(store)))
      : new Promise<Result<Value, Problem>>((resolve, reject) => add({ resolve, reject }));

  await anchorOpened(store, anchor);
  if (anchor.isBehind()) void moveAnchorSoon();
  const watching = watchOthers(store, ended.signal);

  return {
    path: store.path,
    abilities: { durability: store.durability, shared: true, persistent: true },
    teams: () => reading(store, () => ok(store.statements.teams.all().map((row) => String(row["name"]) as TeamName))),
    commit: (team, attempt) => act((answer) => writer.add(commitAct(store, team, attempt, answer, recorded))),
    async state(team) {
      const kept = await foldToHead(store, team);
      if (!kept.ok) return kept;
      if (!isClosed()) takeSnapshotIfDue(team);
      return ok({ state: kept.value.fold.state, head: kept.value.fold.head });
    },
    read: (team, options = {}) => readPage(store, team, options),
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
    marks: (team, agent) => reading(store, () => readMarks(store, team, agent)),
    async mark(team, agent, marks) {
      const known = await reading(store, () => readMarks(store, team, agent));
      if (!known.ok) return known;
      const raised = raiseMarks(known.value, marks);
      if (raised.offered === known.value.offered && raised.seen === known.value.seen) return ok(undefined);
      return act((answer) => writer.add(markAct(store, team, agent, marks, answer)));
    },
    condition: () => conditionOf(store),
    verify: (options = {}) => verifyFile(store, options),
    acceptLoss: (team, by, reason) =>
      act((answer) => writer.add(acceptLossAct(store, team, by, reason, answer, recorded))),
    backup: (path) => backupTo(store, path),
    stats: () => reading(store, () => statsOf(store)),
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]: () => (closing ??= close()),
  };
}

/** Notes the heads that the anchor file does not name yet, such as those of a process that was killed. */
async function anchorOpened<State>(store: Store<State>, anchor: AnchorKeeper): Promise<void> {
  if (writingRefused(store) !== null) return;
  const anchors = readAnchors(anchorPath(store.path));
  if (!anchors.ok) {
    failStop(store, anchors.error);
    return;
  }
  await reading(store, () => {
    for (const row of store.statements.teams.all()) {
      const team = teamName(String(row["name"]));
      if (team === null) continue; // Damage of a name; verify reports it.
      const head = headInFile(store, team);
      if (!head.ok) return head;
      const behind = head.value.seq - (anchors.value.get(team)?.seq ?? 0);
      if (behind > 0) anchor.note(team, head.value, behind);
    }
    return ok(undefined);
  });
}
