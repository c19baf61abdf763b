/**
 * The live streams: one follower a team reads the journal, however many listen, and hands each entry to all of them as
 * the same bytes. A listener that comes late first reads the record by itself, and joins when it has caught up; one
 * that does not keep up is let go with the number of the last entry it got.
 */
import type { Problem } from "../../../base/problem.ts";
import { ok, type Result } from "../../../base/result.ts";
import { ownerName } from "../../../message/principal.ts";
import type { LogLine } from "../../../operations/entries.ts";
import type { Hub } from "../../../runtime/hub.ts";
import type { Team } from "../../../runtime/team/team.ts";

/** Somebody who listens to a team. */
export interface Listener {
  /** Takes an entry as the bytes of an event. */
  take(seq: number, frame: Uint8Array): void;
  /** A heartbeat on a quiet line. */
  beat(): void;
  /** Whether the listener's credential still holds. */
  isStillWelcome(): Promise<boolean>;
  /** There will be no more. */
  end(): void;
  /** The credential no longer holds: what was not handed over yet is dropped. */
  dismiss(): void;
}

/** A listener's place in a feed. */
export interface Feed {
  /** The last entry that was handed out. */
  position(): number;
  /**
   * Registers a listener that still catches up: it gets no entries yet, but it loses its place with its credential like
   * every other. False: the feed has ended; get it again.
   */
  attend(listener: Listener): boolean;
  /** Hands entries to the listener from now on. False: the feed has ended meanwhile; ask for it again. */
  join(listener: Listener): boolean;
  leave(listener: Listener): void;
}

export interface Feeds {
  /** The feed of a team, begun when the first asks for it. */
  of(team: string): Promise<Result<Feed, Problem>>;
  listeners(): number;
  /** Shows every listener a heartbeat, and lets go those whose credential no longer holds. */
  beat(): Promise<void>;
  /** Ends every stream. */
  close(): void;
}

/** Entries after which a credential may have ended. */
const endingTypes = new Set(["revoke-token", "retire-agent", "register-agent"]);

interface RunningFeed extends Feed {
  readonly listeners: ReadonlySet<Listener>;
  /** Listeners that catch up. */
  readonly late: ReadonlySet<Listener>;
  stop(): void;
}

/** The feeds of a hub. */
export function newFeeds(hub: Hub): Feeds {
  const feeds = new Map<string, Promise<Result<RunningFeed, Problem>>>();
  const running = new Set<RunningFeed>();
  let isClosed = false;

  const begin = async (name: string): Promise<Result<RunningFeed, Problem>> => {
    const team = await hub.team(name, { agent: ownerName, via: "launcher" });
    if (!team.ok) return team;
    const status = await team.value.status();
    if (!status.ok) return status;
    const feed = runFeed(team.value, status.value.head.seq, () => {
      running.delete(feed);
      feeds.delete(name);
    });
    running.add(feed);
    if (isClosed) feed.stop();
    return ok(feed);
  };

  return {
    async of(name) {
      const known = feeds.get(name) ?? begin(name);
      feeds.set(name, known);
      const feed = await known;
      if (!feed.ok) feeds.delete(name);
      return feed;
    },
    listeners: () => [...running].reduce((count, feed) => count + feed.listeners.size + feed.late.size, 0),
    async beat() {
      for (const feed of running) {
        for (const listener of feed.listeners) listener.beat();
        await dismiss(feed);
      }
    },
    close() {
      isClosed = true;
      for (const feed of running) feed.stop();
    },
  };
}

/** A feed that runs until it is stopped or the journal can no longer be followed; `ended` is called once. */
function runFeed(team: Team, head: number, ended: () => void): RunningFeed {
  const listeners = new Set<Listener>();
  const late = new Set<Listener>();
  const stopping = new AbortController();
  let position = head;

  const run = async () => {
    for await (const line of team.follow({ after: head, signal: stopping.signal })) {
      const frame = eventOf(line);
      position = line.seq;
      for (const listener of listeners) listener.take(line.seq, frame);
      if (line.type !== null && endingTypes.has(line.type)) void dismiss({ listeners, late });
    }
  };
  void run().finally(() => {
    stopping.abort();
    ended();
    for (const listener of listeners) listener.end();
  });

  return {
    listeners,
    late,
    position: () => position,
    attend(listener) {
      if (stopping.signal.aborted) return false;
      late.add(listener);
      return true;
    },
    join(listener) {
      late.delete(listener);
      if (stopping.signal.aborted) return false;
      listeners.add(listener);
      return true;
    },
    leave: (listener) => {
      late.delete(listener);
      listeners.delete(listener);
      if (listeners.size + late.size === 0) stopping.abort();
    },
    stop: () => stopping.abort(),
  };
}

async function dismiss({ listeners, late }: Pick<RunningFeed, "listeners" | "late">): Promise<void> {
  for (const listener of [...listeners, ...late]) if (!(await listener.isStillWelcome())) listener.dismiss();
}

const encoder = new TextEncoder();

/** An entry as a server-sent event. JSON has no line breaks, so the data is one line. */
export function eventOf(line: LogLine): Uint8Array {
  return encoder.encode(`id: ${line.seq}\nevent: entry\ndata: ${JSON.stringify(line)}\n\n`);
}

/** How many streams, or waits, one principal may hold at a time. */
export interface ConcurrencyLimit {
  /** A place for this principal, given back by calling it; null: all are taken. */
  take(principal: string): (() => void) | null;
}

/** `max` places for each principal. */
export function newConcurrencyLimit(max: number): ConcurrencyLimit {
  const taken = new Map<string, number>();
  return {
    take(principal) {
      const count = taken.get(principal) ?? 0;
      if (count >= max) return null;
      taken.set(principal, count + 1);
      let isBack = false;
      return () => {
        if (isBack) return;
        isBack = true;
        const left = (taken.get(principal) ?? 1) - 1;
        if (left === 0) taken.delete(principal);
        else taken.set(principal, left);
      };
    },
  };
}
