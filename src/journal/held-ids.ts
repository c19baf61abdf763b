/**
 * Held ids: which entry holds an id for which principal, for the entries above a boundary. Part of the fold, so it is
 * complete up to the head by itself; an engine that keeps the ids of older entries elsewhere moves the boundary up.
 * Source: docs/protocol/journal.md, section 4.
 */
import { takesId } from "./attempt.ts";
import type { Entry } from "./entry.ts";

/** One entry that holds an id. `before`: the entry that held the same id, for another principal, before it. */
interface Holding {
  readonly agent: string;
  readonly seq: number;
  readonly before: Holding | null;
}

/** The holders of every id taken above `above`. `latest` is in the order of the latest holders' seqs. */
export interface HeldIds {
  above: number;
  readonly latest: Map<string, Holding>;
}

/** An id with its holder. */
export interface HeldId {
  readonly id: string;
  readonly agent: string;
  readonly seq: number;
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
