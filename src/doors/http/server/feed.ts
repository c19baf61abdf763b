/**
 * The live streams: one follower a team reads the journal, however many listen, and hands each entry to all of them as
 * the same bytes. A listener that comes late asks for the record page by page, and joins when it has caught up. A page is
 * read once for all that ask for it at about the same time, so many that come late together cost little more than one. A
 * listener that does not keep up is let go with the number of the last entry it got.
 */
import { type Clock, systemClock } from "../../../base/clock.ts";
import type { Problem } from "../../../base/problem.ts";
import { ok, type Result } from "../../../base/result.ts";
import { ownerName } from "../../../messages/principal.ts";
import type { Hub } from "../../../perform/hub.ts";
import type { Team } from "../../../perform/team.ts";
import type { LogLine } from "../../../record/operations/entries.ts";

/** Somebody who listens to a team. */
export interface Listener {
  /** Takes an entry. */
  take(frame: Frame): void;
  /** A heartbeat on a quiet line. */
  beat(): void;
  /** Whether the listener's credential still holds. */
  isStillWelcome(): Promise<boolean>;
  /** There will be no more. */
  end(): void;
  /** The credential no longer holds: what was not handed over yet is dropped. */
  dismiss(): void;
}

/** An entry as the bytes of an event. */
export interface Frame {
  readonly seq: number;
  readonly bytes: Uint8Array;
}

/** A listener's place in a feed. */
export interface Feed {
  /** The last entry that was handed out. */
  position(): number;
  /** The next entries after this one, in order; null: they cannot be read. */
  page(after: number): Promise<readonly Frame[] | null>;
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
export function newFeeds(hub: Hub, clock: Pick<Clock, "monotonic"> = systemClock): Feeds {
  const feeds = new Map<string, Promise<Result<RunningFeed, Problem>>>();
  const running = new Set<RunningFeed>();
  let isClosed = false;

  const begin = async (name: string): Promise<Result<RunningFeed, Problem>> => {
    const team = await hub.team(name, { agent: ownerName, via: "launcher" });
    if (!team.ok) return team;
    const status = await team.value.status();
    if (!status.ok) return status;
    const ended = () => {
      running.delete(feed);
      feeds.delete(name);
    };
    const feed = runFeed(team.value, { head: status.value.head.seq, clock, ended });
    running.add(feed);
    if (isClosed) feed.stop();
    return ok(feed);
  };

  return {
    async of(name) {
      const known = feeds.get(name) ?? begin(name);
      feeds.set(name, known);
      const feed = await known;
      if (!feed.ok && feeds.get(name) === known) feeds.delete(name);
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

/** How many entries a page has, and how many pages a feed remembers while listeners catch up. */
const pageMax = 127;
const pagesMax = 4;
/** How long a page is good, in milliseconds: its lines say what has become of their entries, and that goes on. */
const pageMsMax = 1_000;

interface SharedPage {
  readonly frames: Promise<readonly Frame[] | null>;
  /** When it was asked for, by the clock that never jumps. */
  readonly sinceMs: number;
}

/** Pages of a team's record, each read once for all who ask for it at about the same time. */
class SharedPages {
  readonly #team: Team;
  readonly #signal: AbortSignal;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #pages = new Map<number, SharedPage>();

  constructor(team: Team, signal: AbortSignal, clock: Pick<Clock, "monotonic">) {
    this.#team = team;
    this.#signal = signal;
    this.#clock = clock;
  }

  after(seq: number): Promise<readonly Frame[] | null> {
    const nowMs = this.#clock.monotonic();
    const known = this.#pages.get(seq);
    const isGood = known !== undefined && nowMs - known.sinceMs < pageMsMax;
    const page = isGood ? known : { frames: this.#read(seq), sinceMs: nowMs };
    // What was asked for last is forgotten last.
    this.#pages.delete(seq);
    this.#pages.set(seq, page);
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= pagesMax) break;
      this.#pages.delete(oldest);
    }
    return page.frames;
  }

  async #read(after: number): Promise<readonly Frame[] | null> {
    const page = await this.#team.logPage({ after, limit: pageMax, signal: this.#signal });
    // A page that is not full becomes longer; one that could not be read is read again by the next who asks.
    if (!page.ok || page.value.entries.length < pageMax) this.#pages.delete(after);
    return page.ok ? page.value.entries.map(eventOf) : null;
  }

  forget(): void {
    this.#pages.clear();
  }
}

/**
 * A feed that runs until it is stopped or the journal can no longer be followed. `ended` is called once, as soon as it takes
 * no listeners any more: what it reads at that moment may take long, and who asks meanwhile needs another feed.
 */
function runFeed(
  team: Team,
  { head, clock, ended }: { readonly head: number; readonly clock: Pick<Clock, "monotonic">; ended(): void },
): RunningFeed {
  const listeners = new Set<Listener>();
  const late = new Set<Listener>();
  const stopping = new AbortController();
  stopping.signal.addEventListener("abort", ended, { once: true });
  const pages = new SharedPages(team, stopping.signal, clock);
  let position = head;

  const run = async () => {
    for await (const line of team.follow({ after: head, signal: stopping.signal })) {
      const frame = eventOf(line);
      position = line.seq;
      for (const listener of listeners) listener.take(frame);
      if (line.type !== null && endingTypes.has(line.type)) void dismiss({ listeners, late });
    }
  };
  void run().finally(() => {
    stopping.abort();
    for (const listener of listeners) listener.end();
  });

  /** The listener catches up no more; after the last one the pages are of no use. */
  const noLonger = (listener: Listener) => {
    late.delete(listener);
    if (late.size === 0) pages.forget();
  };

  return {
    listeners,
    late,
    position: () => position,
    page: (after) => pages.after(after),
    attend(listener) {
      if (stopping.signal.aborted) return false;
      late.add(listener);
      return true;
    },
    join(listener) {
      noLonger(listener);
      if (stopping.signal.aborted) return false;
      listeners.add(listener);
      return true;
    },
    leave: (listener) => {
      noLonger(listener);
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
export function eventOf(line: LogLine): Frame {
  const bytes = encoder.encode(`id: ${line.seq}\nevent: entry\ndata: ${JSON.stringify(line)}\n\n`);
  return { seq: line.seq, bytes };
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
