/**
 * What runs beside the calls of an open journal: followers are woken after each commit, the anchor is kept near the
 * head, snapshots are taken when due.
 */
import { systemClock } from "../../base/clock.ts";
import { type TeamName, teamName } from "../../base/ids.ts";
import { ok } from "../../base/result.ts";
import { anchorPath, readAnchors } from "../anchor-file.ts";
import { headAfter } from "../chain.ts";
import type { Entry } from "../entry.ts";
import type { Recorded } from "./acts.ts";
import { type AnchorKeeper, anchorKeeper, behindMsMax, headInFile } from "./anchor.ts";
import { newWriter, type Writer } from "./append.ts";
import { snapshotKeeper } from "./snapshot-keeper.ts";
import { failStop, reading, type Store, writingRefused } from "./store.ts";
import { anchorAct } from "./upkeep-acts.ts";

/** The writer of an open journal with the care around it. */
export interface Care {
  readonly writer: Writer;
  /** Told by acts of each entry that became durable. */
  readonly recorded: Recorded;
  /** Sees to it that a snapshot that is due is taken soon: now, when quiet, or at the latest by `finish`. */
  takeSnapshotIfDue(team: TeamName): void;
  /** Takes the snapshots that are due and moves the anchor to the head; the writer is idle afterwards. */
  finish(): Promise<void>;
}

/** Starts the care; it ends with `signal`, after which only `finish` may be called. */
export async function careFor<State>(store: Store<State>, signal: AbortSignal): Promise<Care> {
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
