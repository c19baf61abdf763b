/**
 * When snapshots are taken: in the first quiet moment after one is due, at the latest 3,000 entries later or on closing.
 * Taking one in the midst of a burst would make those wait who send.
 */
import { systemClock } from "../../base/clock.ts";
import type { TeamName } from "../../base/ids.ts";
import type { Act } from "./append.ts";
import { snapshotNeed } from "./snapshot.ts";
import { type Store, writingRefused } from "./store.ts";
import { snapshotAct } from "./upkeep-acts.ts";

/** After a snapshot was tried, the next is not tried before this many further entries: the disk may be full. */
const entriesBetweenTries = 1_000;
/** A moment without a commit of this process in which a snapshot that is due is taken. */
const quietMs = 25;

/** Keeps the snapshots of an open journal near the head. */
export interface SnapshotKeeper {
  /** Told of each transaction that recorded something. */
  noteCommit(): void;
  /** Sees to it that a snapshot that is due is taken: now, when quiet, or at the latest by `takeAllDue`. */
  takeIfDue(team: TeamName): void;
  takeAllDue(): void;
}

/** The keeper of an open journal's snapshots; `add` queues an act of the writer. It waits no longer once `signal` aborts. */
export function snapshotKeeper<State>(
  store: Store<State>,
  add: (act: Act) => void,
  signal: AbortSignal,
): SnapshotKeeper {
  const nextTry = new Map<TeamName, number>();
  let commits = 0;
  let isQuietAwaited = false;

  const needOf = (team: TeamName) => {
    const kept = store.folds.get(team);
    if (kept === undefined || writingRefused(store) !== null) return "none";
    return kept.fold.head.seq < (nextTry.get(team) ?? 0) ? "none" : snapshotNeed(kept);
  };

  const take = (team: TeamName) => {
    nextTry.set(team, (store.folds.get(team)?.fold.head.seq ?? 0) + entriesBetweenTries);
    add(snapshotAct(store, team));
  };

  const takeAllDue = () => {
    for (const team of store.folds.keys()) if (needOf(team) !== "none") take(team);
  };

  const takeWhenQuiet = async () => {
    if (isQuietAwaited) return;
    isQuietAwaited = true;
    for (let seen = -1; seen !== commits && !signal.aborted; ) {
      seen = commits;
      await systemClock.wait(quietMs, signal);
    }
    isQuietAwaited = false;
    if (!signal.aborted) takeAllDue();
  };

  return {
    noteCommit() {
      commits += 1;
    },
    takeIfDue(team) {
      const need = needOf(team);
      if (need === "overdue") take(team);
      else if (need === "due") void takeWhenQuiet();
    },
    takeAllDue,
  };
}
