/**
 * One team as the page watches it: timeline, facts and the live stream that feeds both. Opened when the team is chosen,
 * closed when another is.
 */
import type { Clock } from "../../../base/clock.ts";
import { type Connection, followEntries } from "../hub/stream.ts";
import { Facts } from "./facts.svelte.ts";
import { HandoffList } from "./handoff-list.svelte.ts";
import { Pane } from "./pane.svelte.ts";
import { Timeline } from "./timeline.svelte.ts";
import { everything } from "./timeline-entries.ts";

const tickMs = 10_000;
/** How long a connection may be lost before the hub counts as gone: longer than a restart takes. */
const goneMs = 5_000;

export class TeamView {
  readonly name: string;
  readonly timeline: Timeline;
  readonly facts: Facts;
  connection = $state<Connection>("connecting");
  /** Whether the hub has not been heard for a while. */
  isGone = $state(false);
  /** Whether what is shown may have changed meanwhile: nothing comes at present. */
  readonly isStale = $derived(this.connection === "lost" || this.connection === "refused");
  readonly handoffs: HandoffList;
  /** What is open next to the timeline. */
  readonly pane: Pane;

  readonly clock: Clock;
  readonly #onRefused: () => void;
  readonly #closing = new AbortController();
  /** Counts losses, so that the end of an earlier one says nothing of the present. */
  #losses = 0;
  /** Whether nothing was received for a while, so that more than entries may have changed. */
  #isBehind = false;

  constructor(name: string, clock: Clock, onRefused: () => void) {
    this.name = name;
    this.timeline = new Timeline(name, clock);
    this.facts = new Facts(name, clock);
    this.handoffs = new HandoffList(name, clock);
    this.pane = new Pane(name, clock);
    this.clock = clock;
    this.#onRefused = onRefused;
  }

  /** Loads the first page and the current state, then follows. */
  async open(): Promise<void> {
    await Promise.all([this.timeline.show(everything), this.facts.refresh(), this.handoffs.refresh()]);
    const { signal } = this.#closing;
    if (signal.aborted) return;
    followEntries(
      {
        team: this.name,
        after: this.timeline.list.looked,
        clock: this.clock,
        onEntry: (line) => {
          this.timeline.add(line);
          this.facts.follow(line);
          this.handoffs.follow(line);
          this.pane.follow(line);
        },
        onConnection: (connection) => this.#connected(connection),
      },
      signal,
    );
    while (!signal.aborted) {
      await this.clock.wait(tickMs, signal);
      if (!signal.aborted && this.connection === "live") await this.#look();
    }
  }

  close(): void {
    this.#closing.abort();
  }

  /** Opens an entry, and marks it in the timeline. */
  async show(seq: number | null): Promise<void> {
    if (seq === null) return;
    this.timeline.marked = seq;
    await this.pane.open({ what: "entry", seq });
  }

  /** What changes without an entry: who reads, how far an opened entry got. */
  async #look(): Promise<void> {
    await this.facts.refreshUnheard();
    if (this.pane.seq !== null) await this.pane.refresh();
  }

  /** Refetches everything that is shown, after nothing was received for a while. */
  async #catchUp(): Promise<void> {
    await Promise.all([this.facts.refresh(), this.handoffs.refresh(), this.pane.refresh()]);
  }

  async #miss(loss: number): Promise<void> {
    await this.clock.wait(goneMs, this.#closing.signal);
    if (loss === this.#losses && !this.#closing.signal.aborted) this.isGone = true;
  }

  #connected(connection: Connection): void {
    const wasLost = this.isStale;
    this.connection = connection;
    if (connection === "live" || connection === "paused") {
      this.isGone = false;
      this.#losses += 1;
    } else if (this.isStale && !wasLost) void this.#miss(++this.#losses);
    if (this.isStale || connection === "paused") this.#isBehind = true;
    if (connection === "live" && this.#isBehind) {
      this.#isBehind = false;
      void this.#catchUp();
    }
    if (connection === "refused") this.#onRefused();
  }
}
