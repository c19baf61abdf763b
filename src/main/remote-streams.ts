/**
 * The streams by which a hub follows tasks of remotes. A stream only brings news earlier: whatever ends it, the task is
 * looked at instead, and followed again after a pause. There are never more than the bounds below.
 * Rules: docs/protocol/doors.md, section 17.
 */
import type { Clock } from "../base/clock.ts";
import type { RemoteCard, RemotePlace } from "../doors/a2a/client.ts";
import { followRemoteTask, streamLimits } from "../doors/a2a/client-stream.ts";
import { type RemoteTask, reportOf } from "../doors/a2a/remote-task.ts";
import type { HubLog } from "../doors/http/index.ts";
import type { RemoteDelivery } from "../runtime/remotes/remotes.ts";

/** Streams of one hub, and of one remote, which gives a caller only so many. */
const streamsMax = 32;
const streamsPerRemoteMax = 8;
/** How long a task is not followed after its stream broke, the longer the more often it did. */
const pauseMsMin = 1_000;
const pauseMsMax = 60_000;
/** How often a change is recorded at most; of several in between, the last one. */
const recordMsMin = 500;

/** What is followed, and how to ask for it. */
export interface StreamOrder {
  readonly team: RemoteDelivery;
  readonly place: RemotePlace;
  readonly card: RemoteCard;
  readonly ask: string;
  readonly remote: string;
  /** The id of the task at the remote. */
  readonly remoteTask: string;
}

export interface RemoteStreams {
  /** Whether the task of an ask is followed now. */
  isFollowed(ask: string): boolean;
  /** Follows a task from now on. False: the remote has no streams, there are too many, or the last one just broke. */
  begin(order: StreamOrder): boolean;
  /** Ends the stream of an ask; afterwards nothing of it is recorded. */
  end(ask: string): Promise<void>;
  /** Ends the streams of all other asks. */
  keepOnly(asks: ReadonlySet<string>): void;
  /** Resolves when no stream is open; the signals of their places end them. */
  ended(): Promise<void>;
}

interface Stream {
  readonly remote: string;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

/** `changed` is called with the ask whose stream has ended. */
export function remoteStreams(clock: Clock, log: HubLog, changed: (ask: string) => void): RemoteStreams {
  const open = new Map<string, Stream>();
  const pauses = new Map<string, { readonly failures: number; readonly until: number }>();

  const follow = async (order: StreamOrder, signal: AbortSignal): Promise<void> => {
    const { place, card, remoteTask: id, ask, remote } = order;
    const begun = clock.monotonic();
    const recorder = newRecorder(order, clock, signal);
    const why = await followRemoteTask({ place: { ...place, signal }, card, id, seen: recorder.seen, clock });
    await recorder.done();
    if (why === null || signal.aborted) return;
    log.debug({ remote, ask, code: why.code, why: why.message }, "a stream of the remote ended; its task is looked at");
    const now = clock.monotonic();
    // One that was only silent for long did what it could.
    const failures = now - begun >= streamLimits.silenceMs ? 0 : (pauses.get(ask)?.failures ?? 0) + 1;
    const pauseMs = failures === 0 ? 0 : Math.min(pauseMsMax, pauseMsMin * 2 ** Math.min(10, failures - 1));
    pauses.set(ask, { failures, until: now + pauseMs });
  };

  return {
    isFollowed: (ask) => open.has(ask),
    begin(order) {
      const { ask, remote, card, place } = order;
      const ofRemote = [...open.values()].filter((each) => each.remote === remote);
      const isFull = open.size >= streamsMax || ofRemote.length >= streamsPerRemoteMax;
      const isPaused = clock.monotonic() < (pauses.get(ask)?.until ?? 0);
      if (!card.isStreaming || isFull || isPaused || open.has(ask)) return false;
      const stop = new AbortController();
      const done = follow(order, AbortSignal.any([place.signal, stop.signal])).finally(() => {
        open.delete(ask);
        changed(ask);
      });
      open.set(ask, { remote, stop, done });
      return true;
    },
    async end(ask) {
      const stream = open.get(ask);
      stream?.stop.abort();
      await stream?.done;
    },
    keepOnly(asks) {
      for (const [ask, { stop }] of open) if (!asks.has(ask)) stop.abort();
      for (const ask of pauses.keys()) if (!asks.has(ask)) pauses.delete(ask);
    },
    async ended() {
      await Promise.all([...open.values()].map(({ done }) => done));
    },
  };
}

/** Records what a stream shows: at once, and then the last change of each while. */
function newRecorder({ team, ask }: StreamOrder, clock: Clock, signal: AbortSignal) {
  let latest: RemoteTask | null = null;
  let running: Promise<void> | null = null;
  const record = async () => {
    while (latest !== null && !signal.aborted) {
      const task: RemoteTask = latest;
      latest = null;
      const work = await team.remoteWork();
      // As it is now: whether something is news depends on what was recorded last.
      const known = work.ok ? work.value.find(({ ask: each }) => each.ask === ask)?.ask : undefined;
      if (known === undefined || known.isWithdrawn || signal.aborted) return;
      await team.reportRemote(known, reportOf(known, null, task));
      await clock.wait(recordMsMin, signal);
    }
  };
  return {
    seen(task: RemoteTask) {
      latest = task;
      running ??= record().finally(() => {
        running = null;
      });
    },
    async done() {
      await running;
    },
  };
}
