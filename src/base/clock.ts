/**
 * The only place that reads time. Deciders never do: the time is in their command.
 */

/** Reads time and waits. Tests and the simulator bring their own. */
export interface Clock {
  /** Milliseconds since the Unix epoch, by this machine's wall clock. For records and people, never for order. */
  now(): number;
  /** Milliseconds of a clock that never jumps; only differences mean anything. */
  monotonic(): number;
  /** Resolves after `durationMs`, or at once when `signal` aborts; never rejects. */
  wait(durationMs: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's clock. A pending `wait` keeps the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
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

/** Lets everything that is ready run first; for long work in Node that must not stop the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** `ms` since the epoch as RFC 3339 in UTC with milliseconds, e.g. `2026-02-12T10:00:00.000Z`. */
export function timestampOf(ms: number): string {
  return new Date(ms).toISOString();
}
