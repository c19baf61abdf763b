/**
 * What runs in the background of an open journal: followers are woken after each commit, the anchor is kept near the
 * head, snapshots are taken when due.
 */
import { systemClock } from "../../base/clock.ts";
import { type TeamName, teamName } from "../../base/ids.ts";
import type { Problem } from "../../base/problem.ts";
import { ok } from "../../base/result.ts";
import { anchorPath, readAnchors } from "../anchor-file.ts";
import { headAfter } from "../chain.ts";
import type { Entry } from "../entry.ts";
import { dropHeld } from "../fold.ts";
import { type AnchorKeeper, anchorKeeper, behindMsMax, headInFile } from "./anchor.ts";
import { type Act, newWriter, type Writer } from "./append.ts";
import type { Recorded } from "./commit.ts";
import { idsBetweenLooks, indexIds } from "./id-index.ts";
import { snapshotNeed, storeSnapshot } from "./snapshot.ts";
import { failStop, type KeptFold, reading, type Store, teamNumber, writingRefused } from "./store.ts";

/** The writer of an open journal with what keeps it in order. */
export interface Maintenance {
  readonly writer: Writer;
  /** Called by operations for each entry that became durable. */
  readonly recorded: Recorded;
  /** Sees to it that a snapshot that is due is taken soon: now, when quiet, or at the latest by `finish`. */
  takeSnapshotIfDue(team: TeamName): void;
  /** Takes the snapshots that are due and moves the anchor to the head; the writer is idle afterwards. */
  finish(): Promise<void>;
}

/** Starts it; it ends with `signal`, after which only `finish` may be called. */
export async function startMaintenance<State>(store: Store<State>, signal: AbortSignal): Promise<Maintenance> {
  const anchor = anchorKeeper(store);
  const committed = new Map<TeamName, { readonly entry: Entry; readonly count: number }>();
  let isMoveAwaited = false;

  const moveAnchor = (done: () => void = () => undefined) => writer.add(anchorAct(done, anchor.move));

  const moveAnchorSoon = async () => {
    if (isMoveAwaited) return;
    isMoveAwaited = true;
    await systemClock.wait(behindMsMax, signal);
    isMoveAwaited = false;
    if (!signal.aborted && anchor.isBehind()) moveAnchor();
  };

  const snapshots = snapshotKeeper(store, (act) => writer.add(act), signal);

  const writer = newWriter(store, anchor, () => {
    if (committed.size === 0) return;
    snapshots.noteCommit();
    store.bell.ring();
    for (const [team, { entry, count }] of committed) {
      anchor.note(team, headAfter(entry), count);
      snapshots.takeIfDue(team);
      if (entry.kind === "epoch") anchor.hurry(); // Until it moves, the loss would be found again.
    }
    committed.clear();
    if (anchor.isDue()) moveAnchor();
    else void moveAnchorSoon();
  });

  await noteUnanchored(store, anchor);
  if (anchor.isBehind()) void moveAnchorSoon();
  return {
    writer,
    recorded: (entry) => committed.set(entry.team, { entry, count: (committed.get(entry.team)?.count ?? 0) + 1 }),
    takeSnapshotIfDue: snapshots.takeIfDue,
    async finish() {
      snapshots.takeAllDue();
      if (anchor.isBehind() && store.failure === null) await new Promise<void>((resolve) => moveAnchor(resolve));
      await writer.idle();
    },
  };
}

/** Notes the heads that the anchor file does not name yet, such as those of a process that was killed. */
async function noteUnanchored<State>(store: Store<State>, anchor: AnchorKeeper): Promise<void> {
  if (writingRefused(store) !== null) return;
  const anchors = readAnchors(anchorPath(store.path));
  if (!anchors.ok) {
    failStop(store, anchors.error);
    return;
  }
  await reading(store, () => {
    for (const row of store.statements.teams.all()) {
      const team = teamName(String(row.name));
      if (team === null) continue; // Damage of a name; verify reports it.
      const head = headInFile(store, team);
      if (!head.ok) return head;
      const behind = head.value.seq - (anchors.value.get(team)?.seq ?? 0);
      if (behind > 0) anchor.note(team, head.value, behind);
    }
    return ok(undefined);
  });
}

/*
 * When snapshots are taken: in the first quiet moment after one is due, at the latest 3,000 entries later or on closing.
 * Taking one in the midst of a burst would make those wait who send.
 */

/** After a snapshot was tried, the next is not tried before this many further entries: the disk may be full. */
const entriesBetweenTries = 1_000;
/** A moment without a commit of this process in which a snapshot that is due is taken. */
const quietMs = 25;

/** Keeps the snapshots of an open journal near the head. */
export interface SnapshotKeeper {
  /** Called for each transaction that recorded something. */
  noteCommit(): void;
  /** Sees to it that a snapshot that is due is taken: now, when quiet, or at the latest by `takeAllDue`. */
  takeIfDue(team: TeamName): void;
  takeAllDue(): void;
}

/**
 * The keeper of an open journal's snapshots; `add` queues an operation of the writer. It waits no longer once `signal`
 * aborts.
 */
function snapshotKeeper<State>(store: Store<State>, add: (act: Act) => void, signal: AbortSignal): SnapshotKeeper {
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

/* Operations outside the record: raised marks, heartbeats, a probe of the disk, a snapshot, a moved anchor. */

/**
 * Stores a snapshot of the team's fold, and takes its ids into the table. Both are derived data: when they cannot be
 * stored, the journal is as good without.
 */
function snapshotAct<State>(store: Store<State>, team: TeamName): Act {
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
function anchorAct(done: () => void, move: () => Problem | null): Act {
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
