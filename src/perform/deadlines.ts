/**
 * Deadlines of things that wait, the earliest first: a binary heap of `[due, key]` as plain JSON. What no longer waits
 * is dropped when it comes to the top, so that adding and ending cost the logarithm of what waits, never all of it. And
 * whose silence is watched.
 */

/** `[dueMs, key]`; an entry is never later than those at twice its index plus one and plus two. */
export type Deadlines = [dueMs: number, key: string][];

/** Adds a deadline, in place. */
export function addDeadline(heap: Deadlines, dueMs: number, key: string): void {
  heap.push([dueMs, key]);
  for (let at = heap.length - 1; at > 0; ) {
    const above = (at - 1) >> 1;
    if (!swapIfLater(heap, above, at)) return;
    at = above;
  }
}

/** Drops from the top, in place, what no longer waits. */
export function dropEnded(heap: Deadlines, waits: (key: string) => boolean): void {
  for (let top = heap[0]; top !== undefined && !waits(top[1]); top = heap[0]) dropEarliest(heap);
}

/** Drops the earliest deadline, in place. */
export function dropEarliest(heap: Deadlines): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  heap[0] = last;
  sink(heap);
}

/** Keys whose deadline is at `atMs` or before, in no order; looks at these and their neighbours only. */
export function passedDeadlines(heap: Deadlines, atMs: number): readonly string[] {
  const passed: string[] = [];
  const waiting = [0];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const entry = heap[at];
    if (entry === undefined || entry[0] > atMs) continue;
    passed.push(entry[1]);
    waiting.push(2 * at + 1, 2 * at + 2);
  }
  return passed;
}

function sink(heap: Deadlines): void {
  for (let at = 0; ; ) {
    const [left, right] = [2 * at + 1, 2 * at + 2];
    const earlier =
      (heap[right]?.[0] ?? Number.POSITIVE_INFINITY) < (heap[left]?.[0] ?? Number.POSITIVE_INFINITY) ? right : left;
    if (!swapIfLater(heap, at, earlier)) return;
    at = earlier;
  }
}

/** Swaps two entries when the upper one is later; says whether it did. */
function swapIfLater(heap: Deadlines, upper: number, lower: number): boolean {
  const [above, below] = [heap[upper], heap[lower]];
  if (above === undefined || below === undefined || above[0] <= below[0]) return false;
  heap[upper] = below;
  heap[lower] = above;
  return true;
}

/*
 * Durations written by agents: the distance between two timestamps of one sender. Only the distance is taken, so
 * that a sender's wrong clock does no harm. Source: docs/protocol/messages.md, section 3; docs/protocol/asking.md,
 * sections 1 to 4.
 */
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2}))?$/;

/**
 * Milliseconds from `start` to `end`, negative when `end` lies before; null when either is neither an RFC 3339
 * date-time nor a full date (read as its midnight in UTC).
 */
export function durationBetween(start: string, end: string): number | null {
  const startMs = millisecondsOf(start);
  const endMs = millisecondsOf(end);
  return startMs === null || endMs === null ? null : endMs - startMs;
}

function millisecondsOf(timestamp: string): number | null {
  if (!TIMESTAMP.test(timestamp)) return null;
  const ms = Date.parse(timestamp.toUpperCase().replace(" ", "T"));
  return Number.isNaN(ms) ? null : ms;
}

/*
 * Whose silence is watched: the last recorded heartbeat of each, the longest silent first. Heartbeats outside the
 * record come in with the command that asks who is silent. `isWatched` says who is, and may say no from one event to
 * the next: who is no longer watched is dropped when it comes to the top. Source: docs/protocol/asking.md, sections 17
 * to 19; docs/protocol/record.md, section 10.
 */

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
