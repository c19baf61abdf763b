/**
 * Waiting for a lock of SQLite without stopping the event loop. SQLite itself waits a few milliseconds at most (the
 * connection's `timeout`); in between we wait asynchronously, for jittered times so that waiting processes do not move
 * in step. Locks are the machine's, so this waits by the machine's clock, whatever clock stamps the entries.
 */
import { systemClock } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import { isBusy } from "./sqlite-errors.ts";

/** How long one call of SQLite may wait for a lock, and with it the event loop. */
export const blockingMsMax = 4;
/** How long an operation waits for locks in all before it is refused as busy. */
export const waitingMsMax = 45_000;

/** When an operation that starts now gives up waiting, by the clock of `isOverdue`. */
export function deadlineFromNow(waitMs: number = waitingMsMax): number {
  return systemClock.monotonic() + waitMs;
}

/** Whether `deadline` has passed. */
export function isOverdue(deadline: number): boolean {
  return systemClock.monotonic() >= deadline;
}

/** Waits a jittered while that grows with `tries` up to about 10 ms. */
export async function waitBeforeTry(tries: number): Promise<void> {
  const ceilingMs = Math.min(12, 1 + tries);
  await systemClock.wait(1 + systemRandom.unit() * ceilingMs);
}

/** The value of `act`, tried again while SQLite says busy, until `deadline`; then the busy error is thrown. */
export async function whenFree<Value>(act: () => Value, deadline: number = deadlineFromNow()): Promise<Value> {
  for (let tries = 0; ; tries += 1) {
    try {
      return act();
    } catch (error) {
      if (!isBusy(error) || isOverdue(deadline)) throw error;
    }
    await waitBeforeTry(tries);
  }
}
