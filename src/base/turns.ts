/**
 * Turns for long work that shares a process with others: one piece of one work runs in each round of the event loop, so
 * whatever else is ready waits for one piece at most, however many works there are. Works take turns in order.
 */

const waiting: (() => void)[] = [];

/** Resolves when the next piece of the caller's work may run. The caller keeps a piece to a few milliseconds. */
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
