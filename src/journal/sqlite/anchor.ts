/**
 * How an open journal keeps its anchor (`../anchor-file.ts`): it compares the anchor with the database when it opens, and
 * moves it forward behind the entries that are durable.
 * Source: docs/protocol/record.md, section 7.
 */
import { systemClock } from "../../base/clock.ts";
import type { TeamName } from "../../base/ids.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type Anchors, anchorPath, readAnchors, writeAnchors } from "../anchor-file.ts";
import { isArchived } from "../archive-notice.ts";
import { readLossNotice, sameHead } from "../chain.ts";
import type { Head } from "../entry.ts";
import { placeEnd, placeOf } from "./connection.ts";
import { checkAscent, entryOf, entryRow, failStop, type Store, teamNumber } from "./store.ts";

/** The anchor is moved once it is this many entries behind, and the last move is not just done ... */
const entriesBehindMax = 100;
/** Moving costs a synchronised write, so a burst of entries moves the anchor no more often than this. */
const betweenMovesMs = 100;
/** ... or this long; half of the second that is promised, so that a busy process keeps the promise. */
export const behindMsMax = 500;

/** Compares the file with the database and notes each team that is behind, or on another history. */
export function findRegressions(store: Store<unknown>, anchors: Anchors): Problem | null {
  store.regressions.clear();
  for (const [team, anchor] of anchors) {
    const checked = isBorneOut(store, team, anchor);
    if (!checked.ok) return checked.error;
    if (checked.value) continue;
    const head = headInFile(store, team);
    if (!head.ok) return head.error;
    store.regressions.set(team, { head: head.value, anchor });
  }
  return null;
}

/** Whether the database holds the anchored entry, an epoch entry that accepted its loss, or the name of its archive. */
export function isBorneOut(store: Store<unknown>, team: TeamName, anchor: Head): Result<boolean, Problem> {
  const number = teamNumber(store, team);
  if (number === null) return ok(false);
  const row = store.statements.entryAt.get(placeOf(number, anchor.seq));
  if (row?.hash === anchor.hash) return ok(true);
  if (row === undefined) {
    const first = store.statements.entriesAfter.get(placeOf(number, 0), placeEnd(number), 1);
    const entry = first === undefined ? ok(undefined) : entryOf(store, entryRow(first));
    if (!entry.ok) return entry;
    if (isArchived(entry.value, anchor)) return ok(true);
  }
  let before = anchor.seq;
  for (const later of store.statements.entriesAfter.iterate(placeOf(number, anchor.seq), placeEnd(number), -1)) {
    const entry = entryOf(store, entryRow(later));
    if (!entry.ok) return entry;
    const circle = checkAscent(store, before, entry.value);
    if (circle !== null) return err(circle);
    before = entry.value.seq;
    const notice = entry.value.kind === "epoch" ? readLossNotice(entry.value.content) : null;
    if (notice !== null && sameHead(notice.anchor, anchor)) return ok(true);
  }
  return ok(false);
}

/** The last entry's head as the database has it now. */
export function headInFile(store: Store<unknown>, team: TeamName): Result<Head, Problem> {
  const none: Head = { seq: 0, hash: "0".repeat(64), epoch: 1 };
  const number = teamNumber(store, team);
  const row = number === null ? undefined : store.statements.lastEntry.get(placeOf(number, 0), placeEnd(number));
  if (row === undefined) return ok(none);
  const entry = entryOf(store, entryRow(row));
  return entry.ok ? ok({ seq: entry.value.seq, hash: entry.value.hash, epoch: entry.value.epoch }) : entry;
}

/** Keeps the anchor near the head. */
export interface AnchorKeeper {
  /** A head of this process that is durable now, `entries` entries further than the last one noted. */
  note(team: TeamName, head: Head, entries: number): void;
  /** Makes the next move due at once. */
  hurry(): void;
  /** Whether the anchor is behind at all. */
  isBehind(): boolean;
  /** Whether it is so far behind that it must be moved now. */
  isDue(): boolean;
  /** Moves the anchor file forward. The caller holds the write lock, so no other process moves it meanwhile. */
  move(): Problem | null;
}

/** The keeper of an open journal's anchor. */
export function anchorKeeper(store: Store<unknown>): AnchorKeeper {
  const path = anchorPath(store.path);
  const noted = new Map<TeamName, Head>();
  let entriesBehind = 0;
  let behindSince = 0;
  let isHurried = false;
  return {
    note(team, head, entries) {
      if (noted.size === 0) behindSince = systemClock.monotonic();
      noted.set(team, head);
      entriesBehind += entries;
    },
    hurry() {
      isHurried = true;
    },
    isBehind: () => noted.size > 0,
    isDue() {
      if (noted.size === 0 || isHurried) return noted.size > 0;
      const behindMs = systemClock.monotonic() - behindSince;
      return behindMs >= (entriesBehind >= entriesBehindMax ? betweenMovesMs : behindMsMax);
    },
    move() {
      const anchors = readAnchors(path);
      if (!anchors.ok) return failStop(store, anchors.error);
      const moved = new Map(anchors.value);
      for (const [team, head] of noted) {
        const anchor = anchors.value.get(team);
        if (anchor === undefined || head.seq > anchor.seq) moved.set(team, head);
        else if (!sameHead(anchor, head)) {
          const checked = isBorneOut(store, team, anchor);
          if (!checked.ok) return checked.error;
          if (!checked.value) store.regressions.set(team, { head, anchor });
        }
      }
      const written = [...moved].some(([team, head]) => anchors.value.get(team) !== head)
        ? writeAnchors(path, moved)
        : ok(undefined);
      if (!written.ok) return written.error;
      noted.clear();
      entriesBehind = 0;
      isHurried = false;
      return null;
    },
  };
}
