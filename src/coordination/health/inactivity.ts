/**
 * Whose silence is watched: the last recorded heartbeat of each, the longest silent first. Heartbeats outside the
 * record come in with the command that asks who is silent. `isWatched` says who is, and may say no from one event to
 * the next: who is no longer watched is dropped when it comes to the top. Source: docs/protocol/health.md;
 * docs/protocol/journal.md, section 10.
 */
import { addDeadline, type Deadlines, dropEarliest, passedDeadlines } from "../deadlines.ts";

/** The signs of those who are watched; plain JSON. */
export interface Watch {
  /** The last recorded sign of each. */
  readonly signs: Map<string, number>;
  /** Each once, by the sign it had when it was put in. */
  readonly silence: Deadlines;
}

type IsWatched = (agent: string) => boolean;

/** Those from whom nothing is recorded for that long, in no order. Looks at these and their neighbours only. */
export function silentAmong(
  watch: Watch,
  isWatched: IsWatched,
  { atMs, silentMs }: { readonly atMs: number; readonly silentMs: number },
): readonly string[] {
  // Behind the head an agent may be ordered by an older heartbeat than its last.
  const isSilent = (agent: string) => isWatched(agent) && (watch.signs.get(agent) ?? 0) + silentMs <= atMs;
  return passedDeadlines(watch.silence, atMs - silentMs).filter(isSilent);
}

/** Since when the longest silent agent is silent, by the record alone; null: nobody is watched. */
export function earliestSign(watch: Watch): number | null {
  return watch.silence[0]?.[0] ?? null;
}

/** Notes that an agent showed itself, in place. Of who is not watched no sign is kept. */
export function keepSignOf(watch: Watch, isWatched: IsWatched, agent: string, signMs: number): void {
  const known = watch.signs.get(agent);
  if (known === undefined) {
    if (!isWatched(agent)) return;
    addDeadline(watch.silence, signMs, agent);
  }
  // A clock that was set back makes nobody silent.
  watch.signs.set(agent, Math.max(known ?? 0, signMs));
  settleWatch(watch, isWatched);
}

/**
 * Repairs the head of the heap: removes an agent that is no longer watched, and reinserts one that sent a heartbeat
 * since.
 */
export function settleWatch(watch: Watch, isWatched: IsWatched): void {
  for (let first = watch.silence[0]; first !== undefined; first = watch.silence[0]) {
    const [signMs, agent] = first;
    const latest = watch.signs.get(agent) ?? signMs;
    const isStill = isWatched(agent);
    if (isStill && latest === signMs) return;
    dropEarliest(watch.silence);
    if (isStill) addDeadline(watch.silence, latest, agent);
    else watch.signs.delete(agent);
  }
}
