/**
 * The inside of an open journal in a server, which its parts share: the backend, what this process has folded, the highest
 * heads that it saw, and the journal's health. All of it can be dropped at any time; the truth is in the server.
 *
 * A server that does not answer makes the journal `unreachable`; from then on it is asked twice a second, and its first
 * answer makes the journal ready again.
 */
import { type Clock, systemClock, timestampOf } from "../../base/clock.ts";
import type { TeamName } from "../../base/ids.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, type Result } from "../../base/result.ts";
import { readAnchors, writeAnchors } from "../anchor-file.ts";
import { broken, checkLink, readLossNotice, sameHead, unsealEntry } from "../chain.ts";
import type { Entry, Head } from "../entry.ts";
import type { Fold } from "../fold.ts";
import { type Bell, newBell } from "../follow.ts";
import type { JournalCondition, JournalOptions, Projection } from "../journal.ts";
import type { FoldUse } from "../unused-folds.ts";
import type { Answer, Backend, Failure, Row } from "./backend.ts";

/** A fold kept between calls. */
export interface KeptFold<State> extends FoldUse {
  readonly fold: Fold<State>;
  /** The newest snapshot known of; 0: none. */
  snapshot: { readonly seq: number; readonly characters: number };
  /** Whether the highest head that this process saw is known to be in it; what it is moved over continues it. */
  isChecked: boolean;
  /** The heartbeats as this process knows them; null: not asked for yet. */
  signs: ReadonlyMap<string, number> | null;
}

/** A team that no longer has an entry that was acknowledged, or seen by this process. */
interface Regression {
  readonly head: Head;
  readonly anchor: Head;
}

export interface Store<State> {
  readonly backend: Backend;
  readonly projection: Projection<State>;
  readonly clock: Clock;
  /** Why nothing may be written; null: it may. */
  readonly refusal: Problem | null;
  readonly waitMs: number;
  readonly gathers: boolean;
  readonly folds: Map<TeamName, KeptFold<State>>;
  /** The highest head of each team that this process saw; the server must still have it. */
  readonly seen: Map<TeamName, Head>;
  /** Up to which entry of a team the server has promised this process its durability. */
  readonly confirmed: Map<TeamName, number>;
  /** Where these heads are kept on this machine; null: nowhere. */
  heads: HeadsFile | null;
  readonly regressions: Map<TeamName, Regression>;
  /** Until when a team counts as written by other processes too, by the steady clock. */
  readonly contended: Map<TeamName, number>;
  /** Wakes who follows a team; one that is null wakes all. */
  readonly bells: Map<TeamName, Bell>;
  /** Aborts when the journal closes. */
  readonly ended: AbortController;
  failure: Problem | null;
  /** Since when the server does not answer, by the steady clock and by the wall clock; null: it does. */
  down: { readonly at: number; readonly since: string; readonly problem: Problem } | null;
  /** The last time that the server did not answer, and when it answered again, by the steady clock; absent: never. */
  lastDown?: { readonly since: string; readonly until: number };
}

/** The default of `waitMs`: a server that starts again after a crash answers within it. */
export const waitingMsMax = 15_000;
/** A journal that has been unreachable for so long refuses at once, instead of letting each call wait. */
const patienceMs = 5_000;
/** Time between two tries, and between two looks whether the server is back. */
const betweenTriesMs = 100;
const betweenLooksMs = 500;
/** A server that answers for less than this is still away: one without a majority answers some questions. */
const backMs = 10_000;

/** The state of the journal, as the contract says it. */
export function conditionOf({ failure, regressions, down }: Store<unknown>): JournalCondition {
  if (failure !== null) return { condition: "failed", problem: failure };
  for (const [team, regression] of regressions) return { condition: "regressed", team, ...regression };
  return down === null
    ? { condition: "ready" }
    : { condition: "unreachable", since: down.since, problem: down.problem };
}

/** Why nothing may be written to this team, or null. A regression of one team stops all, as a file's would. */
export function writingRefused(store: Store<unknown>): Problem | null {
  if (store.refusal !== null) return store.refusal;
  if (store.failure !== null) return store.failure;
  for (const [team, { head, anchor }] of store.regressions) return regressedProblem(team, head, anchor);
  return null;
}

/** The problem of a server that lost entries. */
export function regressedProblem(team: TeamName, head: Head, anchor: Head): Problem {
  return makeProblem(
    "journal-regressed",
    team,
    `The journal is at entry ${head.seq} of ${team}, but entry ${anchor.seq} had been acknowledged.`,
    {
      expected: `entry ${anchor.seq} with hash ${anchor.hash}`,
      received: `entry ${head.seq} with hash ${head.hash}`,
      hint: "Bring back the complete journal, or a newer backup of its server; if it is gone, run `baton journal accept-loss --reason TEXT`.",
    },
  );
}

/** The journal was closed by its user. */
export function closedProblem(store: Store<unknown>): Problem {
  return makeProblem("journal-failed", store.backend.place, "This journal is closed.", { hint: "Open it again." });
}

/** Notes what a call's failure says of the journal. */
export function noteFailure(store: Store<unknown>, { kind, problem }: Failure): Problem {
  if (kind === "final") store.failure ??= problem;
  if (kind === "unreachable" && store.down === null && !store.ended.signal.aborted) {
    const at = systemClock.monotonic();
    const again = store.lastDown !== undefined && at - store.lastDown.until < backMs ? store.lastDown.since : null;
    store.down = { at, since: again ?? timestampOf(systemClock.now()), problem: problem };
    void lookUntilBack(store);
  }
  return problem;
}

/** The server answered. */
export function noteAnswer(store: Store<unknown>): void {
  if (store.down === null) return;
  store.lastDown = { since: store.down.since, until: systemClock.monotonic() };
  store.down = null;
  ringAll(store);
}

async function lookUntilBack(store: Store<unknown>): Promise<void> {
  while (store.down !== null && !store.ended.signal.aborted) {
    await systemClock.wait(betweenLooksMs, store.ended.signal);
    if (store.ended.signal.aborted || store.down === null) return;
    const done = await store.backend.ping();
    if (done.ok) noteAnswer(store);
    // Why it does not answer can change: it may be back and refuse the user.
    else if (store.down !== null) store.down = { ...store.down, problem: done.error.problem };
  }
}

/** Until when a call that begins now may wait for the server, by the steady clock. */
export function deadlineOf(store: Store<unknown>): number {
  const now = systemClock.monotonic();
  const isLongDown = store.down !== null && now - store.down.at > patienceMs;
  return isLongDown ? now : now + store.waitMs;
}

/** Waits before the next try; false: the deadline has passed, or the journal closes. */
export async function mayTryAgain(store: Store<unknown>, deadline: number): Promise<boolean> {
  if (systemClock.monotonic() + betweenTriesMs > deadline || store.ended.signal.aborted) return false;
  await systemClock.wait(betweenTriesMs, store.ended.signal);
  return !store.ended.signal.aborted;
}

/** Asks the backend, again while it does not answer and there is time. */
export async function asking<Value>(
  store: Store<unknown>,
  ask: () => Answer<Value>,
  deadline = deadlineOf(store),
): Promise<Result<Value, Problem>> {
  for (;;) {
    if (store.ended.signal.aborted) return err(closedProblem(store));
    const done = await ask();
    if (done.ok) {
      noteAnswer(store);
      return done;
    }
    const problem = noteFailure(store, done.error);
    const mayPass = done.error.kind === "unreachable" || done.error.kind === "busy";
    if (!mayPass || !(await mayTryAgain(store, deadline)))
      return err(store.ended.signal.aborted ? closedProblem(store) : problem);
  }
}

/** The bell of those who follow the team. */
export function bellOf(store: Store<unknown>, team: TeamName): Bell {
  const known = store.bells.get(team);
  if (known !== undefined) return known;
  const bell = newBell();
  store.bells.set(team, bell);
  return bell;
}

/** Wakes everyone who follows. */
export function ringAll(store: Store<unknown>): void {
  for (const bell of store.bells.values()) bell.ring();
}

/** The entry of a row; one whose text does not have its hash, or that has another entry's place, stops writing. */
export function entryOf(store: Store<unknown>, team: TeamName, { seq, hash, text }: Row): Result<Entry, Problem> {
  const entry = unsealEntry(text, hash);
  if (entry?.seq === seq && entry.team === team) return { ok: true, value: entry };
  const problem =
    entry === null
      ? "This entry's bytes have changed: they no longer have the entry's hash."
      : "This entry is at another entry's place.";
  return err(noteFailure(store, { kind: "final", problem: broken(`${team}/${seq}`, problem) }));
}

/** The entries of rows, in their order. */
export function entriesOf(
  store: Store<unknown>,
  team: TeamName,
  rows: readonly Row[],
): Result<readonly Entry[], Problem> {
  const entries: Entry[] = [];
  for (const row of rows) {
    const entry = entryOf(store, team, row);
    if (!entry.ok) return entry;
    entries.push(entry.value);
  }
  return { ok: true, value: entries };
}

/** As `checkLink`; what does not continue the stream stops writing. */
export function linkProblem(store: Store<unknown>, team: TeamName, head: Head, entry: Entry): Problem | null {
  const problem = checkLink(team, head, entry);
  return problem === null ? null : noteFailure(store, { kind: "final", problem: problem });
}

/** Notes a head that is durable. */
export function noteHead(store: Store<unknown>, team: TeamName, head: Head): void {
  if (head.seq <= (store.seen.get(team)?.seq ?? 0)) return;
  store.seen.set(team, head);
  store.heads?.move();
}

/** Whether an epoch entry says that the loss of `head` was accepted. */
export function acceptsLossOf(entry: Entry, head: Head): boolean {
  const notice = entry.kind === "epoch" ? readLossNotice(entry.content) : null;
  if (notice === null) return false;
  const isInRange = notice.lost !== null && head.seq >= notice.lost.first && head.seq <= notice.lost.last;
  return sameHead(notice.anchor, head) || isInRange;
}

export function newStore<State>(backend: Backend, projection: Projection<State>, options: RemoteOptions): Store<State> {
  const store: Store<State> = {
    backend,
    projection,
    clock: options.clock ?? systemClock,
    refusal: options.refusal,
    waitMs: options.waitMs ?? waitingMsMax,
    gathers: options.gathers ?? false,
    folds: new Map(),
    seen: new Map(options.heads?.known),
    confirmed: new Map(),
    heads: null,
    regressions: new Map(),
    contended: new Map(),
    bells: new Map(),
    ended: new AbortController(),
    failure: options.failure,
    down: null,
  };
  // What only reads leaves no trace.
  if (options.heads !== null && store.refusal === null) store.heads = headsFileOf(options.heads.path, store);
  return store;
}

/** How a journal in a server is opened. */
export type RemoteOptions = Pick<JournalOptions, "clock" | "waitMs" | "gathers"> & {
  readonly refusal: Problem | null;
  /** The highest heads that this machine saw before, and where they are kept; null: nowhere. */
  readonly heads: { readonly known: ReadonlyMap<TeamName, Head>; readonly path: string } | null;
  /** Why nothing may be written from the start, such as a file of heads that cannot be read. */
  readonly failure: Problem | null;
};

/** The heads that this machine saw, in a file outside of the server: a server that lost entries cannot lose this, too. */
interface HeadsFile {
  /** The heads have moved: the file follows within half a second. */
  move(): void;
  /** Writes what has moved. */
  finish(): void;
}

/** How long the file may be behind. */
const behindMs = 500;

/** Keeps the heads in the file at `path`. Several processes may: each takes over what is higher. */
function headsFileOf(
  path: string,
  store: { readonly seen: ReadonlyMap<TeamName, Head>; readonly ended: AbortController },
): HeadsFile {
  let isBehind = false;
  const write = () => {
    if (!isBehind) return;
    isBehind = false;
    const known = readAnchors(path);
    // A file that cannot be read says so when a journal is opened next; nothing is written over it.
    if (!known.ok) return;
    const moved = new Map(known.value);
    for (const [team, head] of store.seen) {
      const before = known.value.get(team);
      if (before === undefined || head.epoch > before.epoch || head.seq > before.seq) moved.set(team, head);
    }
    // What it saves is a check: a folder that cannot be written keeps nobody from recording.
    writeAnchors(path, moved);
  };
  return {
    move() {
      if (isBehind) return;
      isBehind = true;
      void systemClock.wait(behindMs, store.ended.signal).then(write);
    },
    finish: write,
  };
}
