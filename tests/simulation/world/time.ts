/**
 * Simulated time. The machine's own time only goes on; its wall clock may jump to and fro, as the ones of laptops and
 * virtual machines do. Deadlines are counted by the first, so a check for something too early uses that.
 */
import type { Clock } from "../../../src/base/clock.ts";

/** The machine's clock, moved by the simulation. Waiting moves it too. */
export interface SimulatedClock extends Clock {
  advance(durationMs: number): void;
  /** Moves the wall clock alone. */
  jump(byMs: number): void;
  /** The machine's own time, on the calendar. */
  steady(): number;
}

/** A clock that shows `startMs`. */
export function simulatedClock(startMs: number): SimulatedClock {
  let passedMs = 0;
  let aheadMs = 0;
  return {
    now: () => startMs + passedMs + aheadMs,
    steady: () => startMs + passedMs,
    monotonic: () => passedMs,
    wait: (durationMs, signal) => {
      if (signal?.aborted !== true) passedMs += durationMs;
      return Promise.resolve();
    },
    advance: (durationMs) => {
      passedMs += durationMs;
    },
    jump: (byMs) => {
      aheadMs += byMs;
    },
  };
}
