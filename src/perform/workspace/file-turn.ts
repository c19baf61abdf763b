/**
 * Turns at a file that several processes of this machine change: a process that reads it, changes it and writes it does so
 * under a lock, so that none loses what another has written.
 */
import { systemClock } from "../../base/clock.ts";
import { takeFileLock } from "../../journal/engines.ts";

/** How long another's change is waited for, which takes milliseconds. */
const waitMsMax = 5_000;
const lookMs = 5;

/**
 * Waits for the lock at `path`, which is freed when what is returned is disposed, or when its process ends. Null: it cannot
 * be had, and a caller that reads immediately before it writes still loses least.
 */
export async function takeTurn(path: string): Promise<Disposable | null> {
  const until = systemClock.monotonic() + waitMsMax;
  for (;;) {
    const taken = await takeFileLock(path);
    if (!taken.ok) return null;
    if (taken.value !== null || systemClock.monotonic() > until) return taken.value;
    await systemClock.wait(lookMs);
  }
}
