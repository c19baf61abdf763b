/**
 * A fold: everything a journal derives from a team's entries, at one head. The committer's state, per agent the
 * sequence numbers addressed to it, and who holds which id. All of it can be thrown away and folded again.
 */
import { emptyHead, headAfter } from "./chain.ts";
import type { Entry } from "./entry.ts";
import { type HeldIds, holdId, noHeldIds } from "./held-ids.ts";
import type { Head, Projection } from "./journal.ts";

/** What is known at `head`. `inboxes`: per agent the seqs addressed to it, ascending. `held`: the ids taken. */
export interface Fold<State> {
  head: Head;
  state: State;
  readonly inboxes: Map<string, number[]>;
  readonly held: HeldIds;
}

/** The fold of no entry. */
export function emptyFold<State>(projection: Projection<State>): Fold<State> {
  return { head: emptyHead, state: projection.initial(), inboxes: new Map(), held: noHeldIds(0) };
}

/** Moves the fold over `entry`, which must follow its head. When `evolve` throws, the fold must be discarded. */
export function advance<State>(fold: Fold<State>, projection: Projection<State>, entry: Entry): void {
  fold.state = projection.evolve(fold.state, entry);
  for (const receiver of entry.receivers) {
    const inbox = fold.inboxes.get(receiver);
    if (inbox === undefined) fold.inboxes.set(receiver, [entry.seq]);
    else if (inbox.at(-1) !== entry.seq) inbox.push(entry.seq);
  }
  holdId(fold.held, entry);
  fold.head = headAfter(entry);
}

/** At most `limit` seqs addressed to `receiver` that are above `after`, and whether more follow. */
export function inboxAfter(
  fold: Fold<unknown>,
  receiver: string,
  after: number,
  limit: number,
): { readonly seqs: readonly number[]; readonly more: boolean } {
  const inbox = fold.inboxes.get(receiver) ?? [];
  let low = 0;
  let high = inbox.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((inbox[middle] ?? 0) <= after) low = middle + 1;
    else high = middle;
  }
  return { seqs: inbox.slice(low, low + limit), more: low + limit < inbox.length };
}
