/** The end of the npm that runs a command: it does not hand on that it was asked to stop. */
import { systemClock } from "../base/clock.ts";

/** How often the parent is looked at, in milliseconds. */
const lookMs = 250;

/** The process that started this one, asked for before anybody can have ended it because of what this one said. */
const parent = process.ppid;

/** A signal that aborts once the npm that started this process is gone; where none did, never. Watched until disposed. */
export function endOfNpm({
  isRunByNpm,
}: {
  readonly isRunByNpm: boolean;
}): Disposable & { readonly signal: AbortSignal } {
  const [gone, over] = [new AbortController(), new AbortController()];
  const watch = async () => {
    while (!over.signal.aborted && process.ppid === parent) await systemClock.wait(lookMs, over.signal);
    if (!over.signal.aborted) gone.abort();
  };
  if (isRunByNpm) void watch();
  return { signal: gone.signal, [Symbol.dispose]: () => over.abort() };
}
