/**
 * The time of a server as this process knows it: what it said when it was asked, and what passed since by the monotonic
 * clock. Machines that use one journal count deadlines by it, so that none compares its own clock with another's; what
 * people see stays the machine's wall clock.
 * Rule: docs/protocol/journal.md, section 10.
 */
import { type Clock, systemClock } from "../../base/clock.ts";

/** What the server's clock said: at some moment between asking and the answer. */
export interface Measure {
  readonly serverMs: number;
  readonly askedAt: number;
  readonly answeredAt: number;
}

/** How fast two clocks may drift apart, as a part of the time that passes: far more than they do. */
const driftMax = 0.0005;

/** A clock whose steady time is the server's. */
export interface ServerClock extends Clock {
  steady(): number;
  /** Takes a measure, unless the one it has is still the better one. */
  learn(measure: Measure): void;
}

/** The clock, on `machine`, which gives everything else. Until it has learned, its steady time is the wall clock's. */
export function serverClock(machine: Clock = systemClock): ServerClock {
  let known: { readonly offset: number; readonly error: number; readonly at: number } | null = null;
  let last = Number.NEGATIVE_INFINITY;
  return {
    now: () => machine.now(),
    monotonic: () => machine.monotonic(),
    wait: (durationMs, signal) => machine.wait(durationMs, signal),
    steady() {
      if (known === null) return machine.now();
      // A better measure may say that it is a little earlier; time does not move until then instead of going back.
      last = Math.max(last, Math.round(machine.monotonic() + known.offset));
      return last;
    },
    learn({ serverMs, askedAt, answeredAt }) {
      const error = (answeredAt - askedAt) / 2;
      const before = known === null ? Number.POSITIVE_INFINITY : known.error + (answeredAt - known.at) * driftMax;
      if (error <= before) known = { offset: serverMs - (askedAt + answeredAt) / 2, error, at: answeredAt };
    },
  };
}
