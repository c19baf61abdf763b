/**
 * One client's stream of events. While it catches up it is as slow as its reader, but a reader that takes nothing for a
 * while loses its place; once it is live, what its reader does not take waits in a bounded buffer, and a reader that
 * falls further behind loses its place too. Either gets its position: it comes back with `Last-Event-ID` and has lost
 * nothing. The credential is checked for every page, and a reader without one gets nothing more.
 *
 *   record, page by page -> live: feed -> buffer (bounded) -> socket
 */
import { ownTurn } from "../../../base/clock.ts";
import type { Team } from "../../../perform/team.ts";
import type { Feed, Frame, Listener } from "../server/feed.ts";
import type { HubServices } from "./operation.ts";

export interface StreamOptions {
  readonly services: Pick<HubServices, "clock" | "feeds" | "limits" | "metrics" | "stopping">;
  readonly team: Team;
  /** Entries after this; null: from the head on. */
  readonly after: number | null;
  isStillWelcome(): Promise<boolean>;
  /** Cuts the connection of a reader that does not even take the farewell. */
  hangUp(): void;
  /** The stream is over, for whatever reason; called once. */
  closed(): void;
}

/** The stream as the body of an answer. */
export function eventStream(options: StreamOptions): ReadableStream<Uint8Array> {
  let client: Client | null = null;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      client = new Client(options, controller);
      void client.run();
    },
    pull: () => client?.pull(),
    cancel: () => client?.leave(),
  });
}

const encoder = new TextEncoder();
const beatFrame = encoder.encode(":\n\n");
/** Said first: a browser comes back a second after a break instead of after some. */
const helloFrame = encoder.encode("retry: 1000\n\n");
/** How many bytes wait for a reader that catches up at most. */
const catchUpBytes = 64 * 1024;
/** Bytes that go to the connection at once. */
const pieceBytes = 16 * 1024;

class Client implements Listener {
  readonly #options: StreamOptions;
  readonly #controller: ReadableStreamDefaultController<Uint8Array>;
  readonly #gone = new AbortController();
  #feed: Feed | null = null;
  /** Whether the reader waits for more; else frames go to the buffer. */
  #isWaiting = false;
  #isEnding = false;
  #buffer: Uint8Array[] = [];
  #bufferBytes = 0;
  /** The last entry in the buffer or beyond, and the last that went to the connection. */
  #last: number;
  #lastHanded: number;
  #onTaken: (() => void) | null = null;

  constructor(options: StreamOptions, controller: ReadableStreamDefaultController<Uint8Array>) {
    this.#options = options;
    this.#controller = controller;
    this.#last = this.#lastHanded = options.after ?? 0;
  }

  /** Catches up and joins the feed. */
  async run(): Promise<void> {
    const { services, team, after } = this.#options;
    services.stopping.addEventListener("abort", () => this.end(), { once: true, signal: this.#gone.signal });
    // Shows the reader immediately that the stream works.
    this.#push(helloFrame);
    // A browser comes back at once when its stream ends, also while the hub is stopping.
    if (services.stopping.aborted) return this.end();
    let isFresh = after === null;
    while (!this.#isOver()) {
      const feed = await services.feeds.of(team.name);
      if (!feed.ok) return this.end();
      // The reader may have gone meanwhile, and nobody would take it out of the feed.
      if (this.#isOver()) return;
      if (isFresh) this.#last = this.#lastHanded = feed.value.position();
      isFresh = false;
      this.#feed = feed.value;
      if (!feed.value.attend(this)) {
        // However soon feeds end, asking for the next leaves room for everything else.
        await ownTurn();
        continue;
      }
      if (!(await this.#catchUp(feed.value))) return this.end();
      // No await between the last look at the position and joining, so nothing falls between.
      if (feed.value.join(this)) return;
    }
  }

  pull(): void {
    this.#isWaiting = true;
    this.#flush();
    this.#onTaken?.();
    this.#onTaken = null;
  }

  /** The reader went away, or everything is said. */
  leave(): void {
    if (this.#gone.signal.aborted) return;
    this.#gone.abort();
    this.#feed?.leave(this);
    this.#buffer = [];
    this.#onTaken?.();
    this.#options.closed();
  }

  take({ seq, bytes }: Frame): void {
    if (this.#isOver() || seq <= this.#last) return;
    if (this.#bufferBytes + bytes.byteLength > this.#options.services.limits.streamBufferBytesMax) {
      this.#letGo();
      return;
    }
    this.#last = seq;
    this.#push(bytes);
  }

  /** Ends the stream of a reader that is too slow. */
  #letGo(): void {
    this.#options.services.metrics.overflow();
    const farewell = `event: overflow\ndata: ${JSON.stringify({ lastSeq: this.#lastHanded })}\n\n`;
    this.#last = this.#lastHanded;
    this.#buffer = [encoder.encode(farewell)];
    this.end();
  }

  beat(): void {
    if (!this.#isOver() && this.#isWaiting) this.#push(beatFrame);
  }

  isStillWelcome(): Promise<boolean> {
    return this.#options.isStillWelcome();
  }

  /** Ends after what waits has been taken; a reader that takes nothing is cut off. */
  end(): void {
    if (this.#isOver()) return;
    this.#isEnding = true;
    this.#feed?.leave(this);
    if (this.#isWaiting) this.#flush();
    else void this.#cutOffLater();
  }

  dismiss(): void {
    this.#buffer = [];
    this.#bufferBytes = 0;
    this.end();
    // What the connection holds already could reach a reader that takes nothing at any later time.
    if (this.#gone.signal.aborted) return;
    this.leave();
    this.#options.hangUp();
  }

  async #cutOffLater(): Promise<void> {
    const { clock, limits } = this.#options.services;
    await clock.wait(limits.streamFarewellMs, this.#gone.signal);
    if (this.#gone.signal.aborted) return;
    this.leave();
    this.#options.hangUp();
  }

  #isOver(): boolean {
    return this.#isEnding || this.#gone.signal.aborted;
  }

  /**
   * Reads the record up to where the feed is, no faster than the reader takes it. False: the stream is over, or the reader
   * may not have more.
   */
  async #catchUp(feed: Feed): Promise<boolean> {
    while (!this.#isOver() && this.#last < feed.position()) {
      if (!(await this.#options.isStillWelcome())) {
        this.dismiss();
        return false;
      }
      await ownTurn();
      const frames = await feed.page(this.#last);
      if (frames === null || !(await this.#handOver(frames))) return false;
    }
    return !this.#isOver();
  }

  /** Gives the reader some entries, in pieces that it has room for. */
  async #handOver(frames: readonly Frame[]): Promise<boolean> {
    let piece: Uint8Array[] = [];
    let length = 0;
    for (const [index, { seq, bytes }] of frames.entries()) {
      piece.push(bytes);
      length += bytes.byteLength;
      if (length < pieceBytes && index < frames.length - 1) continue;
      if (!(await this.#hasRoom())) return false;
      this.#last = seq;
      this.#push(Buffer.concat(piece));
      piece = [];
      length = 0;
    }
    return true;
  }

  /** Waits until the reader took enough to get more; a reader that takes nothing in time loses its place. */
  async #hasRoom(): Promise<boolean> {
    const { clock, limits } = this.#options.services;
    while (this.#bufferBytes >= catchUpBytes && !this.#isOver()) {
      const taken = new AbortController();
      const isLate = await Promise.race([
        this.#taken().then(() => false),
        clock.wait(limits.streamIdleMs, taken.signal).then(() => true),
      ]);
      taken.abort();
      if (isLate && !this.#isOver()) this.#letGo();
    }
    return !this.#isOver();
  }

  /** Resolves when the reader has taken what was given to it, or is gone. */
  #taken(): Promise<void> {
    return new Promise((resolve) => {
      this.#onTaken = resolve;
    });
  }

  #push(frame: Uint8Array): void {
    this.#buffer.push(frame);
    this.#bufferBytes += frame.byteLength;
    if (this.#isWaiting) this.#flush();
  }

  #flush(): void {
    if (this.#gone.signal.aborted) return;
    const [first, ...others] = this.#buffer;
    if (first !== undefined) {
      const bytes = others.length === 0 ? first : Buffer.concat(this.#buffer);
      this.#buffer = [];
      this.#bufferBytes = 0;
      this.#lastHanded = this.#last;
      this.#isWaiting = false;
      this.#controller.enqueue(bytes);
    }
    if (!this.#isEnding) return;
    this.leave();
    this.#controller.close();
  }
}
