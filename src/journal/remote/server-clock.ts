/**
 * The time of a server as this process knows it: what it said when it was asked, and what passed since by the monotonic
 * clock. Machines that use one journal count deadlines by it, so that none compares its own clock with another's; what
 * people see stays the machine's wall clock.
 * Rule: docs/protocol/record.md, section 10.
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
/** With more doubt than this, in milliseconds, nobody says that a deadline has passed. */
const doubtMsMax = 2_000;

/** A clock whose steady time is the server's. */
export interface ServerClock extends Clock {
  steady(): number;
  surely(): number;
  distrust(): string | null;
  /** Takes a measure, unless the one it has is still the better one, or the server's clock has jumped since. */
  learn(measure: Measure): void;
}

interface Known {
  /** The server's time less the monotonic one, and how far that may be off, when it was measured. */
  readonly offset: number;
  readonly error: number;
  readonly at: number;
  /** By the machine's wall clock. */
  readonly wallMs: number;
}

/**
 * The clock, on `machine`, which gives everything else. Until it has learned, its steady time is the wall clock's, and what
 * has passed is not known. Where the server's clock jumps, as with a failover to a machine that has another time, this one
 * goes on as before, because deadlines were counted by the time before; which of the two is right a person must say.
 */
export function serverClock(machine: Clock = systemClock): ServerClock {
  let known: Known | null = null;
  let jumpedMs: number | null = null;
  let last = Number.NEGATIVE_INFINITY;
  const doubt = (): number => (known === null ? Number.POSITIVE_INFINITY : doubtOf(known, machine.monotonic()));
  const steady = (): number => {
    if (known === null) return machine.now();
    // A better measure may say that it is a little earlier; time does not move until then instead of going back.
    last = Math.max(last, Math.round(machine.monotonic() + known.offset));
    return last;
  };
  return {
    now: () => machine.now(),
    monotonic: () => machine.monotonic(),
    wait: (durationMs, signal) => machine.wait(durationMs, signal),
    steady,
    surely() {
      const off = doubt();
      return jumpedMs !== null || off > doubtMsMax ? Number.NEGATIVE_INFINITY : Math.floor(steady() - off);
    },
    distrust() {
      if (jumpedMs !== null)
        return `the server's clock jumped by ${Math.round(jumpedMs / 1000)} s. Correct it, or start this hub again if it is right now`;
      return doubt() > doubtMsMax ? "the server's time is not known well enough" : null;
    },
    learn({ serverMs, askedAt, answeredAt }) {
      const found: Known = {
        offset: serverMs - (askedAt + answeredAt) / 2,
        error: (answeredAt - askedAt) / 2,
        at: answeredAt,
        wallMs: machine.now(),
      };
      const before = known === null ? Number.POSITIVE_INFINITY : doubtOf(known, answeredAt);
      const ahead = known === null ? 0 : found.offset - known.offset;
      // While a machine sleeps its monotonic clock stops and its wall clock does not; the server's went on, too.
      const slept = known === null ? 0 : found.wallMs - known.wallMs - (found.at - known.at);
      const apart = Math.min(Math.abs(ahead), Math.abs(ahead - Math.max(0, slept)));
      // What neither measure's error explains: the server's clock was set meanwhile.
      const unexplained = Math.max(0, apart - before - found.error);
      jumpedMs = unexplained > doubtMsMax ? ahead : null;
      if (jumpedMs === null && found.error <= before) known = found;
    },
  };
}

function doubtOf({ error, at }: Known, now: number): number {
  return error + (now - at) * driftMax;
}
