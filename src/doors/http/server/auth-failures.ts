/**
 * Counting wrong credentials by address, so that guessing is slow. A caller with a valid credential is never delayed:
 * on a loopback hub all callers share one address.
 */
import type { Clock } from "../../../base/clock.ts";

export interface AuthFailures {
  /** How many seconds until this address sends heartbeats again without a valid credential; 0: now. */
  secondsLeft(address: string): number;
  count(address: string): void;
  readonly total: () => number;
}

const windowMs = 60_000;
/** More addresses than a loopback hub sees; the oldest are forgotten. */
const addressesMax = 1_000;

/** The counter of one hub: `max` failures within a minute close an address. */
export function newAuthFailures(clock: Clock, max: number): AuthFailures {
  const failures = new Map<string, number[]>();
  let total = 0;
  const recent = (address: string): number[] => {
    const since = clock.monotonic() - windowMs;
    return (failures.get(address) ?? []).filter((at) => at > since);
  };
  return {
    secondsLeft(address) {
      const times = recent(address);
      const first = times[0];
      if (times.length < max || first === undefined) return 0;
      return Math.max(1, Math.ceil((first + windowMs - clock.monotonic()) / 1000));
    },
    count(address) {
      total += 1;
      const times = [...recent(address), clock.monotonic()].slice(-max);
      failures.delete(address);
      failures.set(address, times);
      const [oldest] = failures.keys();
      if (failures.size > addressesMax && oldest !== undefined) failures.delete(oldest);
    },
    total: () => total,
  };
}
