/**
 * The only place that reads time. Deciders never do: the time is in their command.
 */

/** Reads time and waits. Tests and the simulator bring their own. */
export interface Clock {
  /** Milliseconds since the Unix epoch, by this machine's wall clock. For records and people, never for order. */
  now(): number;
  /**
   * Milliseconds since the Unix epoch as they passed on this machine: setting the wall clock does not move it. Deadlines
   * are counted by it. Absent: `now` never jumps either.
   */
  steady?(): number;
  /**
   * The earliest that it may be by `steady`, for a clock that knows its time with an error: a deadline before it has surely
   * passed. `-Infinity`: nobody knows. Absent: `steady` is exact.
   */
  surely?(): number;
  /** Why `surely` knows no time, for people; null: it knows one. */
  distrust?(): string | null;
  /** Milliseconds of a clock that never jumps; only differences mean anything. */
  monotonic(): number;
  /** Resolves after `durationMs`, or at once when `signal` aborts; never rejects. */
  wait(durationMs: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's clock. A pending `wait` keeps the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic,
  wait: (durationMs, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, durationMs);
      signal?.addEventListener("abort", done, { once: true });
    }),
};

/** In Node by what is there at the start: its \`performance\` is loaded at the first use, which takes milliseconds. */
function monotonic(): number {
  if (typeof process === "undefined") return performance.now();
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}

/** The time by which deadlines are counted. */
export function steadyNow(clock: Clock): number {
  return clock.steady?.() ?? clock.now();
}

/** The time by which a deadline must have passed before anybody may record that: never early, by whatever clock. */
export function surelyNow(clock: Clock): number {
  return clock.surely?.() ?? steadyNow(clock);
}

/** Below this the wall clock and the machine's time are taken for the same, in milliseconds. */
const apartMsMin = 100;

/** How far the wall clock is ahead of the time by which deadlines are counted, in milliseconds; 0: they agree. */
export function aheadMsOf(clock: Clock): number {
  const ahead = clock.now() - steadyNow(clock);
  return Math.abs(ahead) < apartMsMin ? 0 : ahead;
}

/** Lets everything that is ready run first; for long work in Node that must not stop the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Who waits for a turn, the longest first. */
const waiting: (() => void)[] = [];

/**
 * Resolves when the next piece of the caller's long work may run. Of all works that take turns so, one piece runs in each
 * round of the event loop, in order: whatever else is ready waits for one piece at most, however many works there are. The
 * caller keeps a piece to a few milliseconds.
 */
export function ownTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(giveTurn);
  });
}

function giveTurn(): void {
  waiting.shift()?.();
  // What is scheduled from here runs after the event loop has looked for events again.
  if (waiting.length > 0) setImmediate(giveTurn);
}

/** RFC 3339 has four digits for a year. */
const lastTimestampMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * `ms` since the epoch as RFC 3339 in UTC with milliseconds, e.g. `2026-02-12T10:00:00.000Z`; what lies after the year
 * 9999, as a deadline may, as its last moment.
 */
export function timestampOf(ms: number): string {
  // Entries that are recorded together have the same time.
  if (ms !== latest.ms) latest = { ms, text: new Date(Math.min(ms, lastTimestampMs)).toISOString() };
  return latest.text;
}

let latest = { ms: Number.NaN, text: "" };
