/** A reader of a team's stream, over a real connection, by an SSE parser of another's making. */
import assert from "node:assert/strict";
import { createParser, type EventSourceMessage } from "eventsource-parser";

export interface StreamReader {
  readonly events: readonly EventSourceMessage[];
  /** The next event that fits, from the first one on that was not given yet. */
  next(fits?: (event: EventSourceMessage) => boolean): Promise<EventSourceMessage>;
  /** Resolves when the hub has ended the stream. */
  readonly ended: Promise<void>;
  /** Seqs of all entries so far. */
  seqs(): readonly number[];
  comments(): number;
  close(): void;
}

/** Opens a stream; resolves when the hub has answered and shown that it hears. */
export async function readStream(
  url: string,
  token: string,
  options: { readonly after?: number; readonly lastEventId?: number; readonly team?: string } = {},
): Promise<StreamReader> {
  const leaving = new AbortController();
  const after = options.after === undefined ? "" : `?after=${options.after}`;
  const response = await fetch(`${url}/api/teams/${options.team ?? "web"}/events${after}`, {
    headers: {
      authorization: `Bearer ${token}`,
      ...(options.lastEventId === undefined ? {} : { "last-event-id": String(options.lastEventId) }),
    },
    signal: leaving.signal,
  });
  assert.equal(response.status, 200, await (response.ok ? "" : response.text()));
  assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
  const events: EventSourceMessage[] = [];
  let given = 0;
  let comments = 0;
  let wake: (() => void) | null = null;
  let isOver = false;
  const seen = Promise.withResolvers<void>();
  const parser = createParser({
    onEvent: (event) => {
      events.push(event);
      wake?.();
    },
    onRetry: () => seen.resolve(),
    onComment: () => {
      comments += 1;
      seen.resolve();
    },
  });
  const read = async () => {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body ?? []) parser.feed(decoder.decode(chunk, { stream: true }));
    } catch (error) {
      // The test left, or the hub was killed: either way the stream is over.
      assert.ok(error instanceof Error);
    }
    isOver = true;
    wake?.();
  };
  const ended = read();
  await seen.promise;
  return {
    events,
    ended,
    comments: () => comments,
    seqs: () => events.filter(({ event }) => event === "entry").map(({ id }) => Number(id)),
    close: () => leaving.abort(),
    async next(fits = () => true) {
      for (;;) {
        for (; given < events.length; given += 1) {
          const event = events[given];
          if (event === undefined || !fits(event)) continue;
          given += 1;
          return event;
        }
        assert.ok(!isOver, "the stream ended before the event came");
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
