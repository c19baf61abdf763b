/**
 * The hub's columns of the last time, asked for once for all that the overview makes of them: what changed since somebody
 * looked, and what each agent did in the last half hour. From the earlier of the two times on; of the past its half hour.
 */
import { untrack } from "svelte";
import { ask, teamPath } from "../../doors/page/hub/request.ts";
import type { Span } from "../../doors/page/shown/time-span.ts";
import { Joined } from "../../doors/page/state/refetching.ts";
import type { TeamView } from "../../doors/page/state/team-view.svelte.ts";
import type { Lanes } from "../../record/operations/lanes.ts";
import type { LaneModel } from "../../record/page/lanes-model.ts";

/** What the agents did lately, and in which part of the time. */
export interface Lately {
  readonly model: LaneModel;
  readonly span: Span;
  /** The entry of the past that is shown; null: the present. */
  readonly pastSeq: number | null;
}

interface Found {
  readonly lanes: Lanes;
  readonly model: LaneModel;
  /** The time that it begins and ends with. */
  readonly from: number;
  readonly to: number;
  readonly pastSeq: number | null;
}

/**
 * Counting costs what the time holds, so on a busy team it happens at most this often, and first after what the page needs
 * immediately, in milliseconds.
 */
const [lateMs, firstMs, restMs] = [1_800_000, 500, 10_000] as const;

export class RecentLanes {
  /** From when on somebody wants to know what changed; null: nobody does. */
  since = $state<number | null>(null);

  readonly #view: TeamView;
  readonly #now: () => number;
  readonly #joined: Joined;
  #found = $state.raw<Found | null>(null);

  /** To be made with a component, with which it ends. */
  constructor(view: TeamView, now: () => number) {
    this.#view = view;
    this.#now = now;
    this.#joined = new Joined(
      () => this.#load(),
      view.clock,
      () => restMs,
    );
    $effect(() => {
      void view.lastSeq;
      untrack(() => {
        if (this.#found !== null) void this.#joined.soon();
        else void view.clock.wait(firstMs).then(() => this.#joined.soon());
      });
    });
    // Another moment, or an earlier time than was asked for, does not wait for the rest.
    $effect(() => {
      if (this.#isEnough || (this.#found === null && view.past === null)) return;
      untrack(() => void this.#load());
    });
  }

  /** The last half hour by the time that is shown, which goes on a minute at a step; null: it is not there yet. */
  readonly lately = $derived.by((): Lately | null => {
    if (this.#found === null || this.#found.pastSeq !== this.#pastSeq) return null;
    const { model, to: end, pastSeq } = this.#found;
    const to = pastSeq === null ? Math.max(end, Math.floor(this.#now() / 60_000) * 60_000) : end;
    return { model, span: { from: to - lateMs, to }, pastSeq };
  });

  /** What holds everything since then; null: it is not there yet. */
  readonly changed = $derived(
    this.#found !== null && this.#found.pastSeq === null && this.since !== null && this.#found.from <= this.since
      ? this.#found.lanes
      : null,
  );

  get #pastSeq(): number | null {
    return this.#view.past?.seq ?? null;
  }

  get #isEnough(): boolean {
    const { past } = this.#view;
    // When a moment was is known a little later than which entry it is.
    if (past !== null) return past.timeMs === null || this.#found?.pastSeq === past.seq;
    return this.#found?.pastSeq === null && (this.since === null || this.#found.from <= this.since);
  }

  async #load(): Promise<void> {
    const { past } = this.#view;
    if (past?.timeMs === null) return;
    const to = past?.timeMs ?? this.#now();
    const from = Math.min(to - lateMs, past === null ? (this.since ?? to) : to);
    const range = { from: new Date(from).toISOString() };
    const until = past === null ? {} : { to: new Date(to + 1_000).toISOString() };
    const lanes = await ask<Lanes>(teamPath(this.#view.name, "lanes", { ...range, ...until }));
    if (!lanes.ok) return;
    // The hub may be gone by then; the next entry asks again.
    const lanesModel = await import("../../record/page/lanes-model.ts").catch(() => null);
    const pastSeq = past?.seq ?? null;
    if (lanesModel === null || pastSeq !== this.#pastSeq) return;
    this.#found = { lanes: lanes.value, model: lanesModel.modelOf(lanes.value, []), from, to, pastSeq };
  }
}
