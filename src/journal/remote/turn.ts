/**
 * The turn of the operations that run in one transaction: what they see of the team under its lock, and what they change.
 * The fold moves with each entry that they append; it is dropped where these are not recorded in the end.
 */
import type { TeamName } from "../../base/ids.ts";
import type { Problem } from "../../base/problem.ts";
import type { Sealed } from "../chain.ts";
import type { Entry } from "../entry.ts";
import { heldAbove, heldBy } from "../fold.ts";
import type { Head } from "../journal.ts";
import type { Changes, HeldPair, Locked, Row } from "./backend.ts";
import { advanceOrForget } from "./fold-cache.ts";
import { entryOf, type KeptFold, type Store } from "./store.ts";

/** What an operation sees and changes while it runs. */
export interface Turn<State> {
  readonly kept: KeptFold<State>;
  readonly head: Head;
  readonly signs: Map<string, number>;
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
  bytes(): number;
  /** Takes in who holds these ids; answers what is wrong with an entry that does. */
  learn(pairs: readonly HeldPair[], holders: Locked["holders"]): Problem | null;
  changes(): Changes | null;
  /** The fold holds what is not recorded: it is dropped. */
  spoil(): void;
  isSpoilt(): boolean;
}

/** A new turn; what was read with the lock must still be learned. */
export function newTurn<State>(
  store: Store<State>,
  team: TeamName,
  kept: KeptFold<State>,
  locked: Locked,
): OpenTurn<State> {
  const { fold } = kept;
  const before = fold.head;
  const rows: Row[] = [];
  const added = new Map<number, Entry>();
  const signs = new Map<string, number>();
  const notes = new Map<string, string>();
  const known = new Map<string, Entry | null>();
  let bytes = 0;
  const turn: OpenTurn<State> = {
    kept,
    get head() {
      return fold.head;
    },
    signs: new Map(locked.signs),
    notes: new Map(locked.notes),
    bytes: () => bytes,
    spoil: () => store.folds.delete(team),
    isSpoilt: () => store.folds.get(team) !== kept,
    learn(pairs, holders) {
      for (const { id, agent } of pairs) known.set(keyOf(id, agent), null);
      for (const { id, agent, row } of holders) {
        const entry = entryOf(store, team, row);
        if (!entry.ok) return entry.error;
        known.set(keyOf(id, agent), entry.value);
      }
      return null;
    },
    holder({ id, agent }) {
      const seq = heldBy(fold.held, agent, id);
      if (seq !== null) return added.get(seq) ?? null;
      const entry = known.get(keyOf(id, agent));
      if (entry === undefined) throw new Unread({ id, agent });
      return entry;
    },
    add({ entry, text }) {
      advanceOrForget(store, team, fold, entry);
      rows.push({ seq: entry.seq, hash: entry.hash, text });
      added.set(entry.seq, entry);
      bytes += text.length;
    },
    sign(agent, at) {
      signs.set(agent, at);
      turn.signs.set(agent, at);
    },
    note(agent, text) {
      notes.set(agent, text);
      turn.notes.set(agent, text);
    },
    changes() {
      if (rows.length === 0 && signs.size === 0 && notes.size === 0) return null;
      return { head: fold.head, rows, ids: heldAbove(fold.held, before.seq), signs, notes };
    },
  };
  return turn;
}

function keyOf(id: string, agent: string): string {
  return `${id} ${agent}`;
}
