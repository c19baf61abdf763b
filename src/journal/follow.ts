/**
 * Following a stream: pages read one after another, and a bell that wakes the reader when there may be more.
 * The bell counts; a reader that looks after the count it last saw can never miss a ring.
 */
import type { Entry, Page } from "./entry.ts";

/** Wakes everyone who waits. */
export interface Bell {
  /** How often it rang. */
  count(): number;
  ring(): void;
  /** Rings a last time; nobody waits any more. */
  close(): void;
  isClosed(): boolean;
  /** Resolves once the count differs from `heard`, the bell closes, or `signal` aborts; never rejects. */
  after(seen: number, signal: AbortSignal): Promise<void>;
  /** How many wait. */
  listeners(): number;
}

/** A new bell. */
export function newBell(): Bell {
  let count = 0;
  let closed = false;
  const waiting = new Set<() => void>();
  const wake = () => {
    count += 1;
    for (const resume of waiting) resume();
  };
  return {
    count: () => count,
    ring: wake,
    close: () => {
      closed = true;
      wake();
    },
    isClosed: () => closed,
    listeners: () => waiting.size,
    after: (seen, signal) =>
      new Promise((resolve) => {
        if (count !== seen || closed || signal.aborted) return resolve();
        const resume = () => {
          waiting.delete(resume);
          signal.removeEventListener("abort", resume);
          resolve();
        };
        waiting.add(resume);
        signal.addEventListener("abort", resume, { once: true });
      }),
  };
}

/**
 * Entries after `after` as `readPage` gives them, each once, in order, until `signal` aborts, the bell closes, or
 * `readPage` answers null because the journal can no longer be read.
 */
export async function* followPages(
  readPage: (after: number) => Promise<Page | null>,
  bell: Bell,
  options: { readonly after: number; readonly signal: AbortSignal },
): AsyncGenerator<Entry, void, undefined> {
  let after = options.after;
  while (!options.signal.aborted && !bell.isClosed()) {
    const seen = bell.count();
    const page = await readPage(after);
    if (page === null) return;
    for (const entry of page.entries) {
      if (options.signal.aborted) return;
      yield entry;
      after = entry.seq;
    }
    if (page.next === null) await bell.after(seen, options.signal);
  }
}
