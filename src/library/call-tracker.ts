/**
 * Tracks the calls of a team: they run while it is open. Closing ends those that wait, lets those that are running
 * finish, and then closes what is below.
 */
import { type Problem, problem } from "../base/problem.ts";

/** What runs, and whether anything may still begin. */
export interface CallTracker {
  /** Why nothing begins any more; null: the team is open. */
  readonly closed: Problem | null;
  /** What `begin` answers; once the team is closed, what `otherwise` makes of the reason. */
  run<Value>(begin: () => Promise<Value>, otherwise: (closed: Problem) => Value): Promise<Value>;
  /** Ends with `signal`, if there is one, and with the team. */
  signalWith(signal: AbortSignal | undefined): AbortSignal;
  /** The same items; closing the team waits for the one that is being asked for. */
  pulled<Value>(source: AsyncGenerator<Value, void>): AsyncIterable<Value>;
  close(): Promise<void>;
}

/** A tracker of an open team. Closing it calls `stop` at once and, when no call runs any more, `end`. */
export function trackCalls({
  stop,
  end,
}: {
  readonly stop?: (() => void) | undefined;
  end(): Promise<void>;
}): CallTracker {
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  let closed: Promise<void> | null = null;
  const tracked = async <Value>(answer: Promise<Value>): Promise<Value> => {
    running.add(answer);
    try {
      return await answer;
    } finally {
      running.delete(answer);
    }
  };
  const finish = async () => {
    closing.abort();
    stop?.();
    await Promise.allSettled(running);
    await end();
  };
  return {
    get closed() {
      return closing.signal.aborted ? teamClosed : null;
    },
    run: (begin, otherwise) => (closing.signal.aborted ? Promise.resolve(otherwise(teamClosed)) : tracked(begin())),
    signalWith: (signal) => (signal === undefined ? closing.signal : AbortSignal.any([closing.signal, signal])),
    pulled: (source) => ({
      [Symbol.asyncIterator]: () => ({
        next: () => tracked(source.next()),
        return: async () => await source.return(),
      }),
    }),
    close: () => (closed ??= finish()),
  };
}

const teamClosed: Problem = problem("wrong-usage", "team", "This team is closed.", {
  hint: "Open it again with openTeam or connectHub.",
});
