/**
 * Folds of teams that nobody uses are dropped from memory: the next call folds the team again, from a snapshot where there
 * is one, to the same state. A call on a team costs nothing for that: it only clears a mark that the look sets.
 * Source: docs/protocol/record.md, section 10.
 */
import type { Clock } from "../base/clock.ts";

/** The call of a journal that keeps folds apart from its entries; absent: there is nothing to drop. */
export interface FoldDropping {
  /**
   * Drops the folds that no call has used for `unusedMs`, as far as looks tell: a fold counts as used until the first look
   * after its last use. Answers how many were dropped.
   */
  dropUnused?(unusedMs: number): number;
}

/** Whether a fold was used since the last look. */
export interface FoldUse {
  /** When a look first found it unused, by the monotonic clock; null: it was used since the last look. */
  unusedSince: number | null;
}

/** As `FoldDropping.dropUnused`; answers the keys of what was dropped. */
export function dropUnusedFolds<Key>(
  folds: Map<Key, FoldUse>,
  clock: Pick<Clock, "monotonic">,
  unusedMs: number,
): readonly Key[] {
  const now = clock.monotonic();
  const dropped: Key[] = [];
  for (const [key, use] of folds) {
    use.unusedSince ??= now;
    if (now - use.unusedSince < unusedMs) continue;
    folds.delete(key);
    dropped.push(key);
  }
  return dropped;
}

/** How long a hub keeps the fold of a team that nobody uses, and how often it looks, in milliseconds. */
const unusedMsMax = 600_000;
const lookMs = 60_000;

/** Drops what nobody uses, at most once a minute however often it is called. */
export function foldDropper(journal: FoldDropping & { readonly clock: Clock }): () => void {
  let lookedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = journal.clock.monotonic();
    if (now - lookedAt < lookMs) return;
    lookedAt = now;
    journal.dropUnused?.(unusedMsMax);
  };
}
