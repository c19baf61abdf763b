/**
 * One team as the page watches it: timeline, facts and the live stream that feeds both. Opened when the team is chosen,
 * closed when another is.
 */
import type { Clock } from "../../../base/clock.ts";
import type { Shown } from "../../../runtime/team.ts";
import { ask, type Refused, teamPath } from "../hub/request.ts";
import { type Connection, followEntries } from "../hub/stream.ts";
import { Facts } from "./facts.svelte.ts";
import { everything } from "./filter.ts";
import { Timeline } from "./timeline.svelte.ts";

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
  /** The entry in the detail pane: its seq, and all about it once it came. */
  opened = $state<number | null>(null);
  shown = $state.raw<Shown | null>(null);
  fault = $state.raw<Refused | null>(null);

  readonly clock: Clock;
  readonly #onRefused: () => void;
  readonly #closing = new AbortController();
  /** Counts losses, so that the end of an earlier one says nothing of the present. */
  #losses = 0;
  /** Whether nothing was heard for a while, so that more than entries may have changed. */
  #isBehind = false;

  constructor(name: string, clock: Clock, onRefused: () => void) {
    this.name = name;
    this.timeline = new Timeline(name, clock);
    this.facts = new Facts(name, clock);
    this.clock = clock;
    this.#onRefused = onRefused;
  }

  /** Loads the first page and what stands, then follows. */
  async open(): Promise<void> {
    await Promise.all([this.timeline.show(everything), this.facts.refresh()]);
    const { signal } = this.#closing;
    if (signal.aborted) return;
    followEntries(
      {
        team: this.name,
        after: this.timeline.list.looked,
        clock: this.clock,
        onEntry: (line) => {
          this.timeline.add(line);
          void this.#refresh();
        },
        onConnection: (connection) => this.#connected(connection),
      },
      signal,
    );
    while (!signal.aborted) {
      await this.clock.wait(tickMs, signal);
      if (!signal.aborted && this.connection === "live") await this.#refresh();
    }
  }

  close(): void {
    this.#closing.abort();
  }

  /** Opens the detail of an entry; null closes it. */
  async show(seq: number | null): Promise<void> {
    this.opened = seq;
    if (seq === null || this.shown?.seq !== seq) this.shown = null;
    this.fault = null;
    if (seq === null) return;
    this.timeline.marked = seq;
    const shown = await ask<Shown>(teamPath(this.name, `messages/${seq}`));
    if (this.opened !== seq) return;
    if (shown.ok) this.shown = shown.value;
    else this.fault = shown.error;
  }

  async #refresh(): Promise<void> {
    await this.facts.refresh();
    // Delivery of an opened entry goes on while it is looked at.
    if (this.opened !== null) await this.show(this.opened);
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
      void this.#refresh();
    }
    if (connection === "refused") this.#onRefused();
  }
}
