/**
 * A fold: everything a journal derives from a team's entries, at one head. The committer's state, per agent the
 * sequence numbers addressed to it, and who holds which id. All of it can be thrown away and folded again. Held ids are
 * complete up to the head by themselves; an engine that keeps the ids of older entries elsewhere moves their boundary
 * up.
 * Source: docs/protocol/record.md, section 4.
 */

import { takesId } from "./attempt.ts";
import { emptyHead, headAfter } from "./chain.ts";
import type { Entry, Head } from "./entry.ts";
import type { Projection } from "./journal.ts";

/** What is known at `head`. `inboxes`: per agent the seqs addressed to it, ascending. `held`: the ids taken. */
export interface Fold<State> {
  head: Head;
  state: State;
  readonly inboxes: Map<string, number[]>;
  readonly held: HeldIds;
}

/** One entry that holds an id. `before`: the entry that held the same id, for another principal, before it. */
interface Holding {
  readonly agent: string;
  readonly seq: number;
  readonly before: Holding | null;
}

/** The holders of every id taken above `above`. `latest` is in the order of the latest holders' seqs. */
interface HeldIds {
  above: number;
  readonly latest: Map<string, Holding>;
}

/** An id with its holder. */
interface HeldId {
  readonly id: string;
  readonly agent: string;
  readonly seq: number;
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

/** Nothing held yet; entries up to `above` will be passed over. */
export function noHeldIds(above: number): HeldIds {
  return { above, latest: new Map() };
}

/** Notes the id that `entry` holds, if it holds one. */
export function holdId(held: HeldIds, entry: Entry): void {
  if (!takesId(entry) || entry.seq <= held.above) return;
  const before = held.latest.get(entry.id) ?? null;
  // A key that is set again keeps its old turn, so it is taken out first.
  if (before !== null) held.latest.delete(entry.id);
  held.latest.set(entry.id, { agent: entry.principal.agent, seq: entry.seq, before });
}

/** The seq of the entry that holds `id` for `agent`; null: none above the boundary does. */
export function heldBy(held: HeldIds, agent: string, id: string): number | null {
  let holding = held.latest.get(id) ?? null;
  while (holding !== null && holding.agent !== agent) holding = holding.before;
  return holding?.seq ?? null;
}

/** Most entries of one id that are looked up together. */
export const holdersMax = 20;

/** The seqs of the entries that hold `id` for anyone, the latest first, at most `holdersMax` of them. */
export function holdersOf(held: HeldIds, id: string): readonly number[] {
  const seqs: number[] = [];
  let holding = held.latest.get(id) ?? null;
  for (; holding !== null && seqs.length < holdersMax; holding = holding.before) seqs.push(holding.seq);
  return seqs;
}

/** Every id held by an entry above `seq`, with its holder. */
export function heldAbove(held: HeldIds, seq: number): readonly HeldId[] {
  const found: HeldId[] = [];
  for (const [id, latest] of held.latest) {
    for (let holding: Holding | null = latest; holding !== null && holding.seq > seq; holding = holding.before) {
      found.push({ id, agent: holding.agent, seq: holding.seq });
    }
  }
  return found;
}

/** Moves the boundary up: ids whose latest holder is not above `above` are dropped. */
export function dropHeld(held: HeldIds, above: number): void {
  if (above <= held.above) return;
  held.above = above;
  for (const [id, latest] of held.latest) {
    if (latest.seq > above) return;
    held.latest.delete(id);
  }
}

/** Inboxes as text: differences instead of sequence numbers are a third of the text, and JSON reads small numbers fast. */
export function encodeInboxes(inboxes: ReadonlyMap<string, readonly number[]>): string {
  return JSON.stringify(
    [...inboxes].map(([agent, seqs]) => [agent, seqs.map((seq, index) => seq - (seqs[index - 1] ?? 0))]),
  );
}

/** The inboxes of the text that `encodeInboxes` wrote. */
export function decodeInboxes(text: string): Map<string, number[]> {
  const inboxes = new Map<string, number[]>();
  for (const [agent, steps] of JSON.parse(text) as [string, number[]][]) {
    let seq = 0;
    inboxes.set(
      agent,
      steps.map((step) => (seq += step)),
    );
  }
  return inboxes;
}
