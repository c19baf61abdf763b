/**
 * The turn of the operations that run in one transaction: what they see of the team under its lock, and what they change.
 * The fold moves with each entry that they append; it is dropped where these are not recorded in the end. `performAll` runs
 * what waits in the lane.
 */

import { systemClock } from "../../base/clock.ts";
import type { TeamName } from "../../base/ids.ts";
import type { Problem } from "../../base/problem.ts";
import { takesId } from "../attempt.ts";
import type { Sealed } from "../chain.ts";
import { dueMarkOf } from "../deadlines.ts";
import type { Entry, Head } from "../entry.ts";
import { heldBy } from "../fold.ts";
import type { Changes, Expected, HeldPair, Locked, Row } from "./backend.ts";
import { advanceOrForget } from "./fold-cache.ts";
import { entryOf, type KeptFold, noteFailure, type Store, writingRefused } from "./store.ts";

/** What an operation sees and changes while it runs. */
export interface Turn<State> {
  readonly kept: KeptFold<State>;
  readonly head: Head;
  /** The agent's last heartbeat; null: it sent none. */
  signOf(agent: string): number | null;
  readonly notes: Map<string, string>;
  /** The entry that holds the id for the agent, or null. */
  holder(pair: HeldPair): Entry | null;
  /** Appends an entry and moves the fold. */
  add(sealed: Sealed): void;
  sign(agent: string, at: number): void;
  note(agent: string, text: string): void;
}

/** Thrown where an operation asks for an id that was not read: it is decided again once the id is. */
export class Unread extends Error {
  readonly pair: HeldPair;
  constructor(pair: HeldPair) {
    super("an id that was not read yet");
    this.pair = pair;
  }
}

/** A turn as the lane has it. */
export interface OpenTurn<State> extends Turn<State> {
  readonly team: TeamName;
  bytes(): number;
  /** Takes in who holds these ids; answers what is wrong with an entry that does. */
  learn(pairs: readonly HeldPair[], holders: Locked["holders"]): Problem | null;
  changes(): Changes | null;
  /** What the decisions rest on. */
  expected(): Expected;
  /** The heartbeats afterwards. */
  signsAfter(): ReadonlyMap<string, number>;
  /** The fold holds what is not recorded: it is dropped. */
  spoil(): void;
  isSpoilt(): boolean;
}

/** What is known of a team when a turn begins. */
export interface Known extends Pick<Locked, "signs" | "notes"> {
  /**
   * Under the team's lock an id that was not read is asked for. Without it such an id is taken to be free, which must be so
   * when the changes are written.
   */
  readonly isLocked: boolean;
}

/** A new turn. Who holds the ids that were asked for with the lock must still be learned. */
export function newTurn<State>(
  store: Store<State>,
  team: TeamName,
  kept: KeptFold<State>,
  { signs: signsBefore, notes: notesBefore, isLocked }: Known,
): OpenTurn<State> {
  const { fold } = kept;
  const before = fold.head;
  const rows: Row[] = [];
  const ids: (HeldPair & { readonly seq: number })[] = [];
  const added = new Map<number, Entry>();
  const signs = new Map<string, number>();
  const notes = new Map<string, string>();
  const holders = new Map<string, Entry | null>();
  const absent: HeldPair[] = [];
  const told = new Map<string, number | null>();
  let bytes = 0;
  const turn: OpenTurn<State> = {
    team,
    kept,
    get head() {
      return fold.head;
    },
    notes: new Map(notesBefore),
    bytes: () => bytes,
    spoil: () => store.folds.delete(team),
    isSpoilt: () => store.folds.get(team) !== kept,
    learn: (pairs, found) => learnHolders(store, team, holders, pairs, found),
    holder(pair) {
      const seq = heldBy(fold.held, pair.agent, pair.id);
      const entry = (seq === null ? undefined : added.get(seq)) ?? holders.get(keyOf(pair.id, pair.agent));
      if (entry !== undefined) return entry;
      if (isLocked || seq !== null) throw new Unread(pair);
      absent.push(pair);
      holders.set(keyOf(pair.id, pair.agent), null);
      return null;
    },
    signOf(agent) {
      const own = signs.get(agent);
      if (own !== undefined) return own;
      const at = signsBefore.get(agent) ?? null;
      told.set(agent, at);
      return at;
    },
    add({ entry, text }) {
      advanceOrForget(store, team, fold, entry);
      rows.push({ seq: entry.seq, hash: entry.hash, text });
      ids.push(...heldIdOf(entry));
      added.set(entry.seq, entry);
      bytes += text.length;
    },
    sign: (agent, at) => void signs.set(agent, at),
    note(agent, text) {
      notes.set(agent, text);
      turn.notes.set(agent, text);
    },
    changes() {
      if (rows.length === 0 && signs.size === 0 && notes.size === 0) return null;
      return { head: fold.head, rows, ids, signs, notes, due: dueMarkOf(store.projection, fold.state) };
    },
    expected: () => ({ head: before, absent, signs: told }),
    signsAfter: () => new Map([...signsBefore, ...signs]),
  };
  return turn;
}

/** The id that the entry takes, if it takes one. */
function heldIdOf(entry: Entry): Changes["ids"] {
  return takesId(entry) ? [{ id: entry.id, agent: entry.principal.agent, seq: entry.seq }] : [];
}

function learnHolders(
  store: Store<unknown>,
  team: TeamName,
  holders: Map<string, Entry | null>,
  pairs: readonly HeldPair[],
  found: Locked["holders"],
): Problem | null {
  for (const { id, agent } of pairs) holders.set(keyOf(id, agent), null);
  for (const { id, agent, row } of found) {
    const entry = entryOf(store, team, row);
    if (!entry.ok) return entry.error;
    holders.set(keyOf(id, agent), entry.value);
  }
  return null;
}

function keyOf(id: string, agent: string): string {
  return `${id} ${agent}`;
}

/** A transaction takes no further act once it has written this many characters; with the last act it fits a message. */
const bytesMax = 1024 * 1024;

/** Something that is asked of a team. Exactly one of `settle`, `refuse` and `abandon` is called, once. */
export interface Act<State> {
  /** Absent: it only looks at the fold. Runs under the lock, and again where the transaction could not be written. */
  readonly perform?: (turn: Turn<State>) => void;
  /** Which ids it asks for, as far as is known before. */
  readonly pairs?: readonly HeldPair[];
  /** Whether it changes notes. */
  readonly isNote?: boolean;
  /** Whether it runs although the journal is regressed. */
  readonly isRepair?: boolean;
  /** Whether it shares no transaction: its failure shall not be another's. */
  readonly isAlone?: boolean;
  /** Once it has run: whether it answers with entries that were there before, so that it acknowledges them. */
  readonly repeats?: () => boolean;
  settle(kept: KeptFold<State>): void;
  refuse(reason: Problem): void;
  /** `error` is a bug, not caused by the outside. */
  abandon(error: unknown): void;
}

export interface Queued<State> {
  readonly act: Act<State>;
  readonly deadline: number;
  /** Whether it lost a race before: then it is decided under the lock, however long ago that was. */
  readonly hasLost?: boolean;
}

/** How long after another process wrote, or may have, a team is only written under its lock. */
const contendedMs = 2_000;

/** Notes that others write to the team: each lost race costs a fold, and the lock is served in turn. */
export function noteContention(store: Store<unknown>, team: TeamName): void {
  store.contended.set(team, systemClock.monotonic() + contendedMs);
}

export type Performed<State> =
  | { readonly damage: Problem }
  | { readonly again: readonly Queued<State>[] }
  | {
      /** Null: there is nothing to write. */
      readonly changes: Changes | null;
      readonly settled: readonly Queued<State>[];
      readonly rest: readonly Queued<State>[];
      /** The heartbeats afterwards. */
      readonly signs: ReadonlyMap<string, number>;
    };

/** Runs all operations on the fold; one that asks for an id that was not read runs again once it is. */
export async function performAll<State>(
  store: Store<State>,
  turn: OpenTurn<State>,
  locked: Locked | null,
  batch: readonly Queued<State>[],
): Promise<Performed<State>> {
  const settled: Queued<State>[] = [];
  let taken = 0;
  for (; taken < batch.length && turn.bytes() < bytesMax; taken += 1) {
    const queued = batch[taken];
    if (queued === undefined) break;
    const { act } = queued;
    const reason = act.perform === undefined ? null : writingRefused(store);
    if (reason !== null && !(reason.code === "journal-regressed" && act.isRepair === true)) {
      act.refuse(reason);
      continue;
    }
    try {
      act.perform?.(turn);
      settled.push(queued);
    } catch (error) {
      if (error instanceof Unread && locked === null) {
        // Under the lock it can be read.
        noteContention(store, turn.team);
        turn.spoil();
        return { again: [...settled, ...batch.slice(taken)] };
      }
      if (error instanceof Unread && locked !== null) {
        const more = await locked.ask({ from: turn.head.seq, pairs: [error.pair], notes: false });
        const damage = more.ok ? turn.learn([error.pair], more.value.holders) : noteFailure(store, more.error);
        if (damage !== null) {
          turn.spoil();
          return more.ok ? { damage } : { again: [...settled, ...batch.slice(taken)] };
        }
        taken -= 1;
        continue;
      }
      act.abandon(error);
      // What `evolve` throws leaves a fold that is half changed: the others are decided again on a new one.
      if (turn.isSpoilt()) return { again: [...settled, ...batch.slice(taken + 1)] };
    }
  }
  return { changes: turn.changes(), settled, rest: batch.slice(taken), signs: turn.signsAfter() };
}
